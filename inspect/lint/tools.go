package lint

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/prompt"
)

// elsewhere are tools of other programs, with what does the same here. They are
// looked for where a text calls them tools.
var elsewhere = map[string]string{
	"Bash": "shell", "BashTool": "shell", "run_shell_command": "shell", "run_terminal_cmd": "shell",
	"Read": "read_file", "read_many_files": "read_file", "ReadFile": "read_file",
	"Write": "write_file", "WriteFile": "write_file",
	"Edit": "edit_file", "MultiEdit": "edit_file", "str_replace": "edit_file", "apply_patch": "edit_file",
	"Glob": "glob", "Grep": "grep", "search_file_content": "grep", "codebase_search": "grep",
	"LS": "list_files", "list_directory": "list_files", "list_dir": "list_files",
	"AskUserQuestion": "ask_user", "Skill": "load_skill", "activate_skill": "load_skill",
	"TodoWrite": "", "write_todos": "", "WebFetch": "", "web_fetch": "", "WebSearch": "", "google_web_search": "",
}

var (
	nameOfTool  = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)+$`)
	toolBehind  = regexp.MustCompile(`^\s{1,2}(?i:tools?)\b`)
	toolInFront = regexp.MustCompile(`(?i:\btools?:?)\s{1,2}$`)
)

// toolNames looks for names of tools that do not exist: such that differ little from
// one that does, and such that the text calls tools.
func (l *linter) toolNames(p *Prompt, texts []*text) {
	a := &p.Preview.Assembly
	known := slices.Clone(a.Known)
	params := map[string]bool{}
	for _, t := range a.Tools {
		known = append(known, t.Name)
		for _, n := range parameters(t) {
			params[n] = true
		}
		l.hiddenInTool(t)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	if len(known) == 0 {
		return
	}
	for _, t := range texts {
		if t.runtime {
			continue
		}
		for _, c := range t.md.Code {
			name := strings.Trim(t.body[c.Lo:c.Hi], "`")
			other, foreign := elsewhere[name]
			if c.IsFence(t.body) || len(name) > 64 || !foreign && !nameOfTool.MatchString(name) || slices.Contains(known, name) || params[name] {
				continue
			}
			called := toolBehind.MatchString(t.body[c.Hi:min(len(t.body), c.Hi+12)]) || toolInFront.MatchString(t.body[max(0, c.Lo-12):c.Lo])
			best := near.Best(name, known)
			switch {
			case called && foreign && slices.Contains(known, other):
				l.report(ruleTool, t, c.Lo, c.Hi, "there is no tool %s here; %s does that", name, other)
			case best != "" && !foreign:
				l.report(ruleTool, t, c.Lo, c.Hi, "there is no tool %s; did you mean %s?", name, best)
			case called:
				l.reportAs(ruleTool, prompt.Info, t, c.Lo, c.Hi, "there is no tool %s in this prompt", name)
			}
		}
	}
}

// parameters returns the names of a tool's arguments.
func parameters(t chat.ToolSpec) []string {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(t.Parameters, &schema) != nil {
		return nil
	}
	var out []string
	for n := range schema.Properties {
		out = append(out, n)
	}
	return out
}

// hiddenInTool looks for invisible characters in what a tool says of itself.
func (l *linter) hiddenInTool(t chat.ToolSpec) {
	for _, f := range textnorm.Bytes([]byte(t.Description), false).Findings {
		if f.Kind == textnorm.Invisible || f.Kind == textnorm.Secret {
			l.say("doc."+f.Kind, Place{}, "", "the description of the tool "+near.Show(t.Name)+" holds something that people do not see or should not: "+f.Message)
		}
	}
}

// How much of a tool's description a text repeats before it counts as a copy.
const (
	copiedWords = 10  // the least that a description has
	copiedShare = 0.6 // of its runs of words
)

// copiedTools looks for descriptions of tools in the prompt's own text.
func (l *linter) copiedTools(p *Prompt, texts []*text) {
	for _, tool := range p.Preview.Assembly.Tools {
		ws := words(tool.Description, 0, len(tool.Description))
		if len(ws) < copiedWords {
			continue
		}
		want := unique(shingles(ws, shingleWords))
		set := make(map[uint64]bool, len(want))
		for _, h := range want {
			set[h] = true
		}
		for _, t := range texts {
			if t.runtime {
				continue
			}
			if lo, hi, n := t.matches(set); float64(n) >= copiedShare*float64(len(want)) && !t.generated(lo, hi) {
				l.report(ruleToolText, t, lo, hi, "this repeats the description of the tool %s, which the model is sent anyway", near.Show(tool.Name))
			}
		}
	}
}

// matches counts which of some shingles occur in the text, and returns the range of
// the first and last.
func (t *text) matches(set map[uint64]bool) (lo, hi, n int) {
	ws := t.words()
	found := map[uint64]bool{}
	for i, h := range t.shingled {
		if set[h] && !found[h] {
			if len(found) == 0 {
				lo = ws[i].lo
			}
			hi = ws[i+shingleWords-1].hi
			found[h] = true
		}
	}
	return lo, hi, len(found)
}

// generated reports whether the program itself wrote all of a range, such as a
// preset's list of tools.
func (t *text) generated(lo, hi int) bool {
	for _, s := range t.spans.Slice(lo, hi) {
		if s.From == nil || !strings.HasPrefix(s.From.Source, "generated:") {
			return false
		}
	}
	return true
}

// words returns the words of the whole text, looked for once.
func (t *text) words() []word {
	if t.split == nil {
		t.split = words(t.body, 0, len(t.body))
		t.shingled = shingles(t.split, shingleWords)
	}
	return t.split
}
