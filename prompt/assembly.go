package prompt

import (
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
)

// Who says for whom a request is made. What belongs to one user never serves
// another.
type Who struct {
	User   string
	Tenant string
	Attrs  map[string]string // not to be changed while in use
}

// Input is everything an assembly depends on besides the snapshot.
type Input struct {
	Lineage []string // scopes, nearest first; the global layer is always seen
	Facts   *Facts
	Who     Who
	Turn    int // the user's turn, from 1
	Step    int // the model request within the turn, from 1
	Ties    Ties
	Strict  bool // a failed source is a fault for every section
}

// A Section is a section of an assembly: its definition's properties with the
// text they led to.
type Section struct {
	Name     string
	Channel  Channel
	Class    Class
	Sole     bool
	Required bool
	Order    float64
	Sep      string
	Priority int
	Min      int
	Text     span.Text
	From     *span.Origin
	Doc      *Doc // the document it was made from, or nil
	parsed   *Template
}

// Trust says who wrote the section.
func (s Section) Trust() span.Trust {
	if s.From == nil {
		return span.Tool
	}
	return s.From.Trust
}

// A Var is a variable of an assembly.
type Var struct {
	Name  string
	Value string
	None  bool // registered, but without a value at present
	From  *span.Origin
}

// An Assembly is a composed prompt: a value that stages transform. Its slices
// may be shared with other assemblies and with the snapshot; a stage that
// changes one makes a copy first.
type Assembly struct {
	Sections []Section
	Tools    []chat.ToolSpec
	Known    []string // names of all tools, shown or not, ascending
	Vars     []Var
	Mutes    []Channel // channels that carry nothing; ascending
	Heads    []Head    // at most one per channel
	Notes    []Note
	// Diagnostics is what sources and stages want a person to know.
	Diagnostics []Diagnostic
}

// A Head stands in front of a channel's text, as a section of its own would, if
// the channel has any text at all.
type Head struct {
	Channel Channel
	Name    string // for those who list parts, such as "heading"
	Text    span.Text
}

// head returns the head of a channel, or nil if there is none with a text.
func (a *Assembly) head(ch Channel) *Head {
	for i := range a.Heads {
		if a.Heads[i].Channel == ch && a.Heads[i].Text.Len() > 0 {
			return &a.Heads[i]
		}
	}
	return nil
}

// Clone returns an assembly whose slices may be changed. Texts, origins and
// schemas are shared still: they are immutable.
func (a Assembly) Clone() Assembly {
	a.Sections = slices.Clone(a.Sections)
	a.Tools = slices.Clone(a.Tools)
	a.Known = slices.Clone(a.Known)
	a.Vars = slices.Clone(a.Vars)
	a.Mutes = slices.Clone(a.Mutes)
	a.Heads = slices.Clone(a.Heads)
	a.Notes = slices.Clone(a.Notes)
	a.Diagnostics = slices.Clone(a.Diagnostics)
	return a
}

// Muted reports whether the channel is switched off.
func (a Assembly) Muted(ch Channel) bool { return slices.Contains(a.Mutes, ch) }

// A Part is a section's share of a channel as it is sent.
type Part struct {
	Name  string
	Class Class
	Sep   string // what joins it to the part before; empty for the first
	Text  span.Text
	From  *span.Origin
}

// DefaultSep joins the sections of a channel: exactly one blank line.
const DefaultSep = "\n\n"

var separator = span.Generated("separator")

// Parts returns the sections of a channel that have text, in order. Every
// rendering of a channel is made from these.
func (a Assembly) Parts(ch Channel) []Part {
	n := 0
	for i := range a.Sections {
		if a.Sections[i].Channel == ch {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	out := make([]Part, 0, n+1)
	for i := range a.Sections {
		s := &a.Sections[i]
		if s.Channel != ch || s.Text.Len() == 0 {
			continue
		}
		if h := a.head(ch); h != nil && len(out) == 0 {
			out = append(out, Part{Name: h.Name, Text: h.Text, From: h.Text[0].From})
		}
		p := Part{Name: s.Name, Class: s.Class, Text: s.Text, From: s.From}
		if len(out) > 0 {
			p.Sep = s.sep()
		}
		out = append(out, p)
	}
	return out
}

func (s *Section) sep() string {
	if s.Sep == "" {
		return DefaultSep
	}
	return s.Sep
}

// Text renders a channel: its parts, each after its separator. Separators are
// spans of their own.
func (a Assembly) Text(ch Channel) span.Text {
	parts := a.Parts(ch)
	n := 0
	for i := range parts {
		n += len(parts[i].Text) + 1
	}
	out := make(span.Text, 0, n)
	for i := range parts {
		if parts[i].Sep != "" {
			out = append(out, span.Span{Text: parts[i].Sep, From: separator, Off: span.NoOffset})
		}
		out = append(out, parts[i].Text...)
	}
	return out
}

// AppendText appends a channel's text to dst, without spans. It reads the same
// as Text.
func (a Assembly) AppendText(dst []byte, ch Channel) []byte {
	first := true
	for i := range a.Sections {
		s := &a.Sections[i]
		if s.Channel != ch || s.Text.Len() == 0 {
			continue
		}
		if h := a.head(ch); first && h != nil {
			dst, first = h.Text.AppendTo(dst), false
		}
		if !first {
			dst = append(dst, s.sep()...)
		}
		first = false
		dst = s.Text.AppendTo(dst)
	}
	return dst
}

// Render returns a channel's text. It reads the same as Text.
func (a Assembly) Render(ch Channel) string {
	ends := a.ends(ch)
	if len(ends) == 0 || ends[len(ends)-1] == 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(ends[len(ends)-1])
	for i := range a.Sections {
		s := &a.Sections[i]
		if s.Channel != ch || s.Text.Len() == 0 {
			continue
		}
		if h := a.head(ch); b.Len() == 0 && h != nil {
			b.WriteString(h.Text.String())
		}
		if b.Len() > 0 {
			b.WriteString(s.sep())
		}
		for j := range s.Text {
			b.WriteString(s.Text[j].Text)
		}
	}
	return b.String()
}

// ends returns for each section where its text ends in the channel's text. For
// one of another channel, or without text, it is where the text before ends.
func (a Assembly) ends(ch Channel) []int {
	out := make([]int, len(a.Sections))
	at := 0
	for i := range a.Sections {
		s := &a.Sections[i]
		if n := s.Text.Len(); s.Channel == ch && n > 0 {
			if h := a.head(ch); at == 0 && h != nil {
				at = h.Text.Len()
			}
			if at > 0 {
				at += len(s.sep())
			}
			at += n
		}
		out[i] = at
	}
	return out
}
