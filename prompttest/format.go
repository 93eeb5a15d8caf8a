package prompttest

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// Format writes an assembly in the form of golden files: a head line for each
// head, section and tool, and below it the lines of its text, each behind a bar. A
// line that cannot be shown as it is stands in quotes with escapes instead.
// Different assemblies differ in this form if a model can tell them apart, or if
// a section's class or trust differ.
//
//	system "base" stable builtin
//	|You help with code.
//	system "project:AGENTS.md" session project sep "\n"
//	|Use tabs.
//	|
//	tool "read_file"
//	|Reads a file.
//	|{"type":"object"}
func Format(a prompt.Assembly) string {
	var b strings.Builder
	for _, ch := range a.Mutes {
		fmt.Fprintf(&b, "mute %s\n", ch)
	}
	for ch := range prompt.Channels {
		for _, h := range a.Heads {
			if h.Channel == ch {
				fmt.Fprintf(&b, "%s %q head\n", ch, h.Name)
				writeLines(&b, h.Text.String())
			}
		}
		for _, s := range a.Sections {
			if s.Channel == ch {
				fmt.Fprintf(&b, "%s %q %s\n", ch, s.Name, attributes(s))
				writeLines(&b, s.Text.String())
			}
		}
	}
	for _, t := range a.Tools {
		fmt.Fprintf(&b, "tool %q%s\n", t.Name, strict(t))
		writeLines(&b, t.Description)
		if len(t.Parameters) > 0 {
			writeLines(&b, string(t.Parameters))
		}
	}
	return b.String()
}

func strict(t chat.ToolSpec) string {
	if t.Strict {
		return " strict"
	}
	return ""
}

// attributes lists what a head line says besides the name.
func attributes(s prompt.Section) string {
	out := s.Class.String() + " " + s.Trust().String()
	if s.Sep != "" && s.Sep != prompt.DefaultSep {
		out += fmt.Sprintf(" sep %q", s.Sep)
	}
	if s.Sole {
		out += " sole"
	}
	if s.Required {
		out += " required"
	}
	return out
}

func writeLines(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		if shown(line) {
			b.WriteByte('|')
			b.WriteString(line)
		} else {
			b.WriteString(strconv.QuoteToGraphic(line))
		}
		b.WriteByte('\n')
	}
}

// shown reports whether a line reads the same for people and for machines.
func shown(line string) bool {
	if !utf8.ValidString(line) {
		return false
	}
	for _, r := range line {
		if r != '\t' && !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// parse reads the form of golden files into an assembly that is good for
// comparing: the attributes of a section or tool are the first line of its
// text. It never fails: what it cannot read becomes part of a text.
func parse(text string) prompt.Assembly {
	var a prompt.Assembly
	var add func(string) // adds a line to the item that was read last
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "|"); ok && add != nil {
			add(rest)
			continue
		}
		if strings.HasPrefix(line, `"`) && add != nil {
			add(line)
			continue
		}
		kind, rest, _ := strings.Cut(line, " ")
		name, attrs := rest, ""
		if q, err := strconv.QuotedPrefix(rest); err == nil {
			attrs = strings.TrimPrefix(rest[len(q):], " ")
			name, _ = strconv.Unquote(q)
		}
		if ch, err := prompt.ParseChannel(kind); err == nil {
			a.Sections = append(a.Sections, prompt.Section{Name: name, Channel: ch, Text: span.Of("("+attrs+")", nil)})
			s := &a.Sections[len(a.Sections)-1]
			add = func(line string) { s.Text = append(s.Text, span.Span{Text: "\n" + line}) }
			continue
		}
		a.Tools = append(a.Tools, chat.ToolSpec{Name: name, Description: "(" + strings.TrimSpace(kind+" "+attrs) + ")"})
		spec := &a.Tools[len(a.Tools)-1]
		add = func(line string) { spec.Description += "\n" + line }
	}
	return a
}
