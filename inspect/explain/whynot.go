package explain

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Rules say where files are looked for, and what is known of the one that is
// asked about. The zero value knows nothing.
type Rules struct {
	Root, Cwd string   // absolute; empty: no project
	Markers   []string // of the root
	Names     []string // of instruction files, in order of preference
	All       bool     // every name counts, not the first
	UserFile  string   // the user's own instruction file
	Workspace string   // the agent's home, absolute
	Skills    []string // folders of skills, absolute
	Held      []string // files that are held back because the folder is not trusted
	File      Found
}

// Found is what is at a path.
type Found struct {
	Known   bool   // somebody looked
	Exists  bool   // there is something at the path
	Kind    string // "directory", "link", "pipe" …; empty: a regular file
	Blank   bool   // white space only
	Similar string // another name in its directory that differs in case only
}

// A WhyNot says why a file is not in the prompt.
type WhyNot struct {
	Path    string   `json:"path"`
	Present bool     `json:"present"` // it is there
	Reasons []Reason `json:"reasons"` // the decisive one first
}

// A Reason is one thing that keeps a file out, or, if it is present, where it is.
type Reason struct {
	By   string `json:"by"`   // a stage, a source, a diagnostic's code, or "rule"
	Text string `json:"text"` // a sentence without its full stop
	Fix  string `json:"fix"`  // what would bring it in; empty: nothing simple
}

// WhyNot explains the absence of a file. The path is absolute. What sources and
// stages reported comes before what the rules of discovery say.
func (r *Report) WhyNot(file string, rules Rules) WhyNot {
	out := WhyNot{Path: file, Reasons: []Reason{}}
	add := func(by, fix, format string, args ...any) {
		out.Reasons = append(out.Reasons, Reason{by, fmt.Sprintf(format, args...), fix})
	}
	for _, m := range r.byFile(file) {
		if !out.Present || m.Name != "" && !slices.ContainsFunc(out.Reasons, func(x Reason) bool { return x.Text == place(m) }) {
			add("prompt", "", "%s", place(m))
		}
		out.Present = true
	}
	if out.Present && within(rules.Skills, file) {
		r.skill(file, add)
	}
	for _, o := range r.Omitted {
		if o.Path == file {
			add(o.Stage, fixOf(o.Reason, rules), "%s", o.Reason)
		}
	}
	for _, d := range r.Diagnostics {
		if d.Path == file {
			add(d.Code, fixOf(d.Code, rules), "%s", d.Message)
		}
	}
	if !out.Present && len(out.Reasons) == 0 {
		r.byRules(file, rules, add)
	}
	return out
}

func place(m Match) string {
	if m.Name == "" {
		return "it is there: in " + m.Text
	}
	return fmt.Sprintf("it is there: in the section %s of %s", m.Name, m.Text)
}

// fixOf says what would bring in a file that was reported.
func fixOf(what string, rules Rules) string {
	switch {
	case what == "doc.truncated", strings.HasPrefix(what, "no room in the budget"):
		return "raise project.max_bytes"
	case strings.HasPrefix(what, "shadowed by ") && len(rules.Names) > 0:
		return "project.load: all takes every name of a directory"
	case what == "trust.changed", what == "trust.blocked":
		return "proem trust shows and trusts it"
	case strings.HasPrefix(what, "dropped to fit"), strings.HasPrefix(what, "cut from"):
		return "raise budget.input_tokens, or the section's priority"
	}
	return ""
}

// byRules says what the rules of discovery have against a file.
func (r *Report) byRules(file string, k Rules, add func(by, fix, format string, args ...any)) {
	switch {
	case k.File.Known && !k.File.Exists:
		fix := ""
		if k.File.Similar != "" {
			fix = "there is " + k.File.Similar + "; names are compared letter by letter"
		}
		add("rule", fix, "there is no such file")
		return
	case slices.Contains(k.Held, file):
		add("trust", "proem trust shows and trusts the folder; --trust project uses what is there now", "it is held back: the folder is not trusted")
		return
	case k.File.Kind != "":
		add("rule", "", "it is a %s, not a regular file", k.File.Kind)
		return
	case k.File.Blank:
		add("rule", "", "it holds white space only")
		return
	}
	if k.Root == "" && len(k.Names) == 0 {
		add("rule", "", "no source of this agent reported it; an agent built in Go reads what its sources say")
		return
	}
	rel, inside := below(k.Root, file)
	switch dir, name := path.Dir(rel), path.Base(rel); {
	case !inside:
		r.outside(file, k, add)
	case within(k.Skills, file):
		r.skill(file, add)
	case within([]string{k.Workspace}, file):
		rel, _ := below(k.Workspace, file)
		add("rule", fmt.Sprintf("workspace.extra_files: [%s]", rel), "the agent's home gives AGENTS.md, MEMORY.md and the lists of memory and knowledge; what is listed is read by a tool")
	case !k.named(rel):
		add("rule", fmt.Sprintf("project.fallbacks: [%s], or a line @%s in an instruction file", name, rel), "%s is none of project.names and project.fallbacks (%s), and no instruction file imports it", name, strings.Join(k.Names, ", "))
	case !onTheWay(k.Root, k.Cwd, dir):
		add("rule", "--cwd "+dir, "instruction files are read from the root down to the working directory; %s is not on that way. It is read when a tool touches its directory", dir)
	default:
		add("rule", "", "the rules would take it, and no source did; the diagnostics may say more")
	}
}

// outside explains a file that lies outside the project.
func (r *Report) outside(file string, k Rules, add func(by, fix, format string, args ...any)) {
	if up, ok := below(filepath.Dir(file), k.Root); ok && up != "." {
		add("rule", "a marker of project.root_markers in the directory that is to be the root",
			"it lies above the project's root, which is the nearest directory with %s; nothing above the root is read", strings.Join(k.Markers, " or "))
		return
	}
	fix := ""
	if k.UserFile != "" {
		fix = "your own instructions for every project stand in " + k.UserFile
	}
	add("rule", fix, "it lies outside the project's root %s", k.Root)
}

// skill explains a file below a folder of skills.
func (r *Report) skill(file string, add func(by, fix, format string, args ...any)) {
	if path.Base(filepath.ToSlash(file)) == "SKILL.md" {
		add("rule", "", "a skill is listed by its name and description if its front matter is sound; its text comes with load_skill")
		return
	}
	add("rule", "", "a file of a skill is read with load_skill, by its path")
}

// named reports whether a path ends in one of the names of instruction files.
func (k *Rules) named(rel string) bool {
	return slices.ContainsFunc(k.Names, func(n string) bool { return rel == n || strings.HasSuffix(rel, "/"+n) })
}

// onTheWay reports whether a directory below the root is the working directory or
// above it.
func onTheWay(root, cwd, dir string) bool {
	to, ok := below(root, cwd)
	return ok && (dir == "." || dir == to || strings.HasPrefix(to, dir+"/"))
}

// below returns a path relative to a directory that holds it.
func below(dir, file string) (string, bool) {
	if dir == "" {
		return "", false
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

func within(dirs []string, file string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool {
		_, ok := below(d, file)
		return ok
	})
}
