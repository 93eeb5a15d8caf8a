package agentscope

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/proemhq/proem/internal/frontmatter"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/skills/bullets"
	"github.com/proemhq/proem/span"
)

// A List says how skills are listed. The zero value is a line for each.
type List struct {
	XML   bool   // all of the front matter, as elements
	Tool  string // the name of the tool that loads a skill; empty: none is named
	Shell string // that runs commands; empty: there is none
	// Disk are the scopes whose skills lie on a disk where the shell finds them: for
	// these the XML list names the folder.
	Disk     []string
	MaxBytes int // of the list; 0: skills.DefaultListMaxBytes; less than 0: nothing is listed
}

// skillsHead stands before the list.
func (l List) head() string {
	with := ""
	if l.Tool != "" {
		with = " with " + l.Tool
	}
	usage := "A skill says how to do one kind of work. Before work that one of these is for, load it" + with + " and go by it. Load none that you do not need."
	if !l.XML {
		return "## Available Skills\n\n" + usage + "\n\n<available_skills>\n"
	}
	return "## Available Skills\n\n<usage>\n" + usage + "\nGive the skill-id as it stands here. Files of a skill are named in its text.\n</usage>\n\n<available_skills>\n"
}

const skillsFoot = "\n</available_skills>"

// lister is the source of the list.
type lister struct {
	set  *skills.Set
	list List

	mu   sync.Mutex
	last map[*skills.Catalog]prompt.Fact
}

func (l *lister) read(ctx context.Context, q source.Query) (prompt.Fact, error) {
	c, err := l.set.Catalog(ctx, q.Who)
	if err != nil {
		return prompt.Fact{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f, ok := l.last[c]; ok {
		return f, nil
	}
	if l.last == nil || len(l.last) >= 1<<10 {
		l.last = map[*skills.Catalog]prompt.Fact{}
	}
	f := l.fact(c)
	l.last[c] = f
	return f, nil
}

func (l *lister) fact(c *skills.Catalog) prompt.Fact {
	f := prompt.Fact{Class: prompt.Session, Notes: c.Notes, Diagnostics: c.Diagnostics}
	var shown []skills.Entry
	for _, e := range c.Entries {
		if e.ShadowedBy == "" {
			shown = append(shown, e)
			f.Trust = max(f.Trust, e.Trust)
		}
	}
	lost := ""
	switch {
	case len(shown) == 0:
	case l.list.XML:
		f.Spans, lost = l.list.xml(shown)
	default:
		f.Spans, lost = l.list.lines(shown)
	}
	f.Text = f.Spans.String()
	f.None = f.Text == ""
	if lost != "" {
		f.Diagnostics = append(f.Diagnostics[:len(f.Diagnostics):len(f.Diagnostics)], prompt.Diagnostic{
			Severity: prompt.Warning, Code: "skill.list_truncated", Path: shown[0].Path, Message: lost})
	}
	return f
}

// lines is a line for each skill.
func (l List) lines(shown []skills.Entry) (span.Text, string) {
	items := make([]bullets.Item, len(shown))
	for i, e := range shown {
		items[i] = bullets.Item{Name: escaped(e.Name, nil), Text: escaped(frontmatter.OneLine(e.Description), nil),
			From: from(e), NameOff: span.NoOffset, TextOff: span.NoOffset}
	}
	return bullets.Section(items, l.head(), skillsFoot, l.MaxBytes, skills.DefaultListMaxBytes, "skills")
}

func from(e skills.Entry) *span.Origin {
	return &span.Origin{Section: "skill:" + e.Name, Source: "skill", Path: e.Path, Trust: e.Trust}
}

// SkillID returns the id of a skill in the XML list: its name and where it is from.
func SkillID(e skills.Entry) string { return e.Name + "_" + e.Scope }

// xml is an element for each skill, as many as there is room for.
func (l List) xml(shown []skills.Entry) (span.Text, string) {
	room := l.MaxBytes
	switch {
	case room == 0:
		room = skills.DefaultListMaxBytes
	case room < 0:
		return nil, "no skill is listed"
	}
	foot, run := skillsFoot, ""
	if l.Shell != "" {
		run = "\n\n## Code Execution\n\nScripts of a skill lie below its files-root. Run one with " + l.Shell + ", by its path there, after you have read it."
	}
	room -= len(l.head()) + len(foot) + len(run)
	out := span.OfGenerated(l.head(), written)
	n, roots := 0, false
	for i, e := range shown {
		x := element(e, l.filesRoot(e))
		if room -= len(x) + 1; room < 0 {
			break
		}
		if i > 0 {
			out = append(out, tagged("\n")...)
		}
		out = append(out, span.Of(x, from(e))...)
		roots = roots || l.filesRoot(e) != ""
		n++
	}
	if n < len(shown) {
		more := "the list has no room for further skills"
		if n == 0 {
			return nil, more
		}
		out = append(out, tagged("\n<!-- "+more+" -->"+foot)...)
		if roots {
			out = append(out, tagged(run)...)
		}
		return out, more
	}
	out = append(out, tagged(foot)...)
	if roots {
		out = append(out, tagged(run)...)
	}
	return out, ""
}

// filesRoot returns the folder of a skill that lies on a disk, with its spaces
// escaped.
func (l List) filesRoot(e skills.Entry) string {
	if l.Shell == "" || !slices.Contains(l.Disk, e.Scope) {
		return ""
	}
	return strings.ReplaceAll(filepath.ToSlash(filepath.Dir(e.Path)), " ", `\ `)
}

func element(e skills.Entry, root string) string {
	var b strings.Builder
	b.WriteString("<skill>\n")
	fields(&b, e.Fields, indent)
	b.WriteString(indent + "<skill-id>" + xmlText(SkillID(e)) + "</skill-id>\n")
	if root != "" {
		b.WriteString(indent + "<files-root>" + xmlText(root) + "</files-root>\n")
	}
	b.WriteString("</skill>")
	return b.String()
}

func fields(b *strings.Builder, list []skills.Field, in string) {
	for _, f := range list {
		open, end := "<"+f.Name+">", "</"+f.Name+">"
		if !isElement(f.Name) {
			open, end = `<entry key="`+xmlText(f.Name)+`">`, "</entry>"
		}
		value(b, f.Value, in, open, end)
	}
}

func value(b *strings.Builder, v skills.Value, in, open, end string) {
	switch {
	case v.Fields != nil:
		b.WriteString(in + open + "\n")
		fields(b, v.Fields, in+indent)
		b.WriteString(in + end + "\n")
	case v.Items != nil:
		b.WriteString(in + open + "\n")
		for _, i := range v.Items {
			value(b, i, in+indent, "<item>", "</item>")
		}
		b.WriteString(in + end + "\n")
	default:
		b.WriteString(in + open + xmlText(v.Text) + end + "\n")
	}
}

// isElement reports whether a key can be the name of an element. Those of the
// format itself cannot.
func isElement(s string) bool {
	for i, r := range s {
		if !isTagRune(r) || i == 0 && !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "", "skill", "skill-id", "files-root", "available_skills", "item", "entry", "loaded_context", "system-reminder":
		return false
	}
	return true
}

var xmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")

func xmlText(s string) string { return xmlEscaper.Replace(s) }
