package codeact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/span"
)

var guideOrigin = span.Generated("tools")

// identifier is a name that can be called as it is.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Guide implements [agent.Runtime]: for each tool how it is called, its description
// and its own note. Lines of a description are indented, so that none looks like
// another tool.
func (r Runtime) Guide(tools []agent.Guided) span.Text {
	if len(tools) == 0 {
		return span.OfGenerated("\n\nThere are no tools.", guideOrigin)
	}
	text := span.OfGenerated("\n\nThe tools:", guideOrigin)
	for _, t := range tools {
		params := signature(t.Parameters)
		call := t.Name + "(" + params + ")"
		if !identifier.MatchString(t.Name) || slices.Contains(r.engine().Language().Reserved, t.Name) {
			call = "callTool(" + string(quoted(t.Name)) + ", " + params + ")"
			if params == "" {
				call = "callTool(" + string(quoted(t.Name)) + ")"
			}
		}
		from := t.From
		if from == nil {
			from = guideOrigin
		}
		text = append(text, span.OfGenerated("\n- ", guideOrigin)...)
		text = append(text, span.OfGenerated(call, from)...)
		for _, s := range slices.DeleteFunc([]string{t.Description, t.Note}, func(s string) bool { return strings.TrimSpace(s) == "" }) {
			text = append(text, span.OfGenerated("\n  "+indented(s, "  "), from)...)
		}
	}
	return text
}

// indented returns a text whose lines after the first begin with blanks.
func indented(s, with string) string {
	lines := strings.Split(lineEnds.Replace(strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))), "\n")
	return strings.Join(lines, "\n"+with)
}

// lineEnds makes one of everything that a reader may take for the end of a line.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
