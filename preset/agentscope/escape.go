package agentscope

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/proemhq/proem/span"
)

// formatTags are the tags of the format, which nothing from outside may begin or
// end. Those that are also common words count only where a tag would have them.
var formatTags = []string{
	"loaded_context", agentsTag, memoryTag, knowledgeTag, "system-reminder", "available_skills", "attached_file",
	"block", "skill", "skills", "skill-id", "usage", "task", "subagents",
}

// longestTag is how far a tag's name is looked for, in characters.
const longestTag = 200

// An edit replaces the byte at a place by other text, or puts text before it.
type edit struct {
	at      int
	replace bool
	text    string
}

// tags returns the edits that escape the tags of the format, and of further names,
// in a text: opening, closing, in any case, with white space or characters that
// nobody sees in them.
func tags(s string, more []string) []edit {
	var out []edit
	for at := 0; ; at++ {
		i := strings.IndexByte(s[at:], '<')
		if i < 0 {
			return out
		}
		at += i
		if isTag(s[at+1:], more) {
			out = append(out, edit{at, true, "&lt;"})
		}
	}
}

// isTag reports whether what stands behind a "<" is a tag of the format.
func isTag(s string, more []string) bool {
	var name strings.Builder
	closing, spaced, n := false, false, 0
	for _, r := range s {
		if n++; n > longestTag {
			break
		}
		switch {
		case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			continue
		case name.Len() == 0 && r == '/':
			closing = true
			continue
		case name.Len() == 0 && unicode.IsSpace(r):
			spaced = true
			continue
		case isTagRune(r):
			name.WriteRune(unicode.ToLower(r))
			continue
		}
		break
	}
	got := name.String()
	if got == "" {
		return false
	}
	is := func(tag string) bool {
		if strings.ContainsAny(tag, "_-") { // no word: what only begins like it is escaped too
			return strings.HasPrefix(got, tag)
		}
		return got == tag && (closing || !spaced)
	}
	return slices.ContainsFunc(formatTags, is) || slices.ContainsFunc(more, is)
}

func isTagRune(r rune) bool {
	return r == '_' || r == '-' || r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// rewrite applies edits, which are in ascending order. What is not edited keeps
// its origin.
func rewrite(t span.Text, edits []edit) span.Text {
	if len(edits) == 0 {
		return t
	}
	var out span.Text
	at := 0
	for _, e := range edits {
		out = append(out, t.Slice(at, e.at)...)
		out = append(out, span.Span{Text: e.text, From: written, Off: span.NoOffset})
		if at = e.at; e.replace {
			at++
		}
	}
	return append(out, t.Slice(at, t.Len())...)
}

var written = span.Generated("agentscope")

// indented returns the text without white space around it, each line two spaces to
// the right, blank ones too, with the tags of the format escaped.
func indented(t span.Text, more []string) span.Text {
	t = t.TrimSpace()
	s := t.String()
	edits := append(tags(s, more), edit{0, false, indent})
	for i := range len(s) {
		if s[i] == '\n' {
			edits = append(edits, edit{i + 1, false, indent})
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(a.at-b.at, cmp.Compare(b2i(a.replace), b2i(b.replace)))
	})
	return rewrite(t, edits)
}

const indent = "  "

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Escape returns a text whose tags of the format are escaped, so that it can stand
// in a block and neither end it nor begin another.
func Escape(s string) string { return rewrite(span.Of(s, nil), tags(s, nil)).String() }
