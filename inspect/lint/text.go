package lint

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/internal/markdown"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

// A text is what one section or file says, with where each piece came from.
type text struct {
	name  string // of the section, or of the document
	body  string
	spans span.Text
	md    markdown.Text

	section *prompt.Section // nil: it is not in the prompt from the start
	from    *span.Origin
	skill   bool
	runtime bool // the program adds it by itself

	split    []word   // nil: not looked for yet
	shingled []uint64 // of split
}

func newText(name string, spans span.Text) *text {
	t := &text{name: name, spans: spans, body: spans.String()}
	t.md = markdown.Scan(t.body)
	if len(spans) > 0 {
		t.from = spans[0].From
	}
	return t
}

// texts returns what the sections of system and instructions say.
func (l *linter) texts(p *Prompt) []*text {
	var out []*text
	for i := range p.Preview.Assembly.Sections {
		s := &p.Preview.Assembly.Sections[i]
		if s.Channel != prompt.System && s.Channel != prompt.Instructions || s.Text.Len() == 0 {
			continue
		}
		t := newText(s.Name, stage.Content(*s))
		t.section = s
		if s.From != nil {
			t.from = s.From
		}
		t.runtime = isRuntime(&p.Preview.Assembly, s)
		l.remember(t)
		out = append(out, t)
	}
	return out
}

// isRuntime reports whether a section is one that the program adds by itself: what a
// preset says of the loop, and what is said of tools.
func isRuntime(a *prompt.Assembly, s *prompt.Section) bool {
	if s.From == nil || s.From.Trust != span.Builtin || s.From.Path != "" || s.Doc != nil {
		return false
	}
	return s.Name == "runtime" || strings.HasPrefix(s.Name, "memory-") || strings.HasPrefix(s.Name, "tools:") ||
		slices.Contains(a.Known, s.Name) || slices.ContainsFunc(a.Tools, func(t chat.ToolSpec) bool { return t.Name == s.Name })
}

// laterTexts returns what is told later: nested files and skills.
func (l *linter) laterTexts() []*text {
	if l.told != nil {
		return l.told
	}
	out := []*text{}
	for _, d := range l.in.Docs {
		spans := d.Spans
		if spans == nil {
			spans = span.Of(d.Text, &span.Origin{Section: d.Name, Source: "file", Path: d.Path, Trust: d.Trust})
		}
		out = append(out, newText(d.Name, spans))
	}
	for _, s := range l.in.Skills {
		if s.Loaded != nil && s.ShadowedBy == "" {
			t := newText("skill:"+s.Name, s.Loaded.Body)
			t.skill = true
			out = append(out, t)
		}
	}
	for _, t := range out {
		l.remember(t)
	}
	l.told = out
	return out
}

// remember has the files that a text came from looked at whole.
func (l *linter) remember(t *text) {
	for _, s := range t.spans {
		if isFile(s) {
			l.file(s.From.Path)
		}
	}
}

// isFile reports whether a span's offset is one in the file of its origin. The
// texts that a configuration holds are not: their offsets are those in the value.
func isFile(s span.Span) bool {
	return s.From != nil && s.From.Path != "" && s.Off >= 0 && s.From.Source != "config" && !strings.HasPrefix(s.From.Source, "generated:")
}

// place returns where a range of a text stands: in its file, as far as its
// beginning is of one.
func (l *linter) place(t *text, lo, hi int) Place {
	at := 0
	for _, s := range t.spans {
		end := at + len(s.Text)
		if lo < end {
			if !isFile(s) {
				break
			}
			if s.From.Stage != "" { // the span is not as long as what it stands for
				return l.file(s.From.Path).place(int(s.Off), int(s.Off))
			}
			return l.file(s.From.Path).place(int(s.Off)+lo-at, l.end(t, s, at, max(lo, hi)))
		}
		at = end
	}
	if t.from != nil && t.from.Source == "config" {
		return Place{Path: t.from.Path}
	}
	return Place{}
}

// end returns the offset behind the last byte before hi, in the file of a span that
// begins at byte lo of the text and holds the beginning of the range.
func (l *linter) end(t *text, first span.Span, lo, hi int) int {
	at, end := 0, int(first.Off)+len(first.Text)
	for _, s := range t.spans {
		if at+len(s.Text) > lo && isFile(s) && s.From.Path == first.From.Path && at < hi && s.From.Stage == "" {
			end = int(s.Off) + min(len(s.Text), hi-at)
		}
		if at += len(s.Text); at >= hi {
			break
		}
	}
	return end
}

// report adds a finding about a range of a text. Where the text is of no file, the
// message says where in the section it stands.
func (l *linter) report(rule string, t *text, lo, hi int, format string, args ...any) {
	l.reportAs(rule, severityOf(rule), t, lo, hi, format, args...)
}

func severityOf(rule string) prompt.Severity {
	r, _ := RuleOf(rule)
	return r.Severity
}

func (l *linter) reportAs(rule string, s prompt.Severity, t *text, lo, hi int, format string, args ...any) {
	if l.enough(rule, t) {
		return
	}
	at := l.place(t, lo, hi)
	message := fmt.Sprintf(format, args...)
	f := Finding{Rule: rule, Severity: s, Place: at, Message: message}
	if at.Line == 0 {
		f.Section = t.name
		f.Message = fmt.Sprintf("section %s, line %d: %s", t.name, 1+strings.Count(t.body[:lo], "\n"), message)
	}
	l.add(f)
}

// where names the place of a range, for messages about another one.
func (l *linter) where(t *text, lo int) string {
	if at := l.place(t, lo, lo); at.Line > 0 {
		return fmt.Sprintf("%s:%d", l.short(at.Path), at.Line)
	}
	return fmt.Sprintf("section %s, line %d", t.name, 1+strings.Count(t.body[:lo], "\n"))
}

// inCode reports whether a byte of a text is code or a comment.
func (t *text) inCode(at int) bool { return within(t.md.Code, at) || within(t.md.Comments, at) }

// within reports whether one of some ranges, ascending and apart, holds a byte.
func within(rs []markdown.Range, at int) bool {
	i := sort.Search(len(rs), func(i int) bool { return rs[i].Hi > at })
	return i < len(rs) && rs[i].Lo <= at
}
