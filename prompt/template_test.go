package prompt_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

func TestTemplateForms(t *testing.T) {
	ok := func(lo, hi int, name string) prompt.Ref { return prompt.Ref{Lo: lo, Hi: hi, Name: name} }
	badName := func(lo, hi int, name string) prompt.Ref {
		return prompt.Ref{Lo: lo, Hi: hi, Name: name, Fault: prompt.RefBadName}
	}
	badOpen := func(lo int) prompt.Ref { return prompt.Ref{Lo: lo, Hi: lo + 2, Fault: prompt.RefBadOpen} }
	tests := []struct {
		in   string
		want []prompt.Ref
	}{
		{"", nil},
		{"no braces", nil},
		{"{a} }} {", nil},
		{"{{a}}", []prompt.Ref{ok(0, 5, "a")}},
		{"x{{a_1}}{{b}}y", []prompt.Ref{ok(1, 8, "a_1"), ok(8, 13, "b")}},
		{"{{a}}}", []prompt.Ref{ok(0, 5, "a")}},
		{"{{a?}}", []prompt.Ref{{Lo: 0, Hi: 6, Name: "a", Optional: true}}},
		{"{{}}", []prompt.Ref{badName(0, 4, "")}},
		{"{{?}}", []prompt.Ref{badName(0, 5, "?")}},
		{"{{a??}}", []prompt.Ref{badName(0, 7, "a??")}},
		{"{{ a }}", []prompt.Ref{badName(0, 7, " a ")}},
		{"{{A}}", []prompt.Ref{badName(0, 5, "A")}},
		{"{{1a}}", []prompt.Ref{badName(0, 6, "1a")}},
		{"{{a-b}}", []prompt.Ref{badName(0, 7, "a-b")}},
		{"{{a\n}}", []prompt.Ref{badName(0, 6, "a\n")}},
		{"{{é}}", []prompt.Ref{badName(0, 6, "é")}},
		{"{{__proto__}}", []prompt.Ref{badName(0, 13, "__proto__")}},
		{"{{{a}}}", []prompt.Ref{badOpen(0)}},
		{"{{{{a}}}}", []prompt.Ref{badOpen(0), ok(2, 7, "a")}},
		{"{{a}", nil},
		{"{{a} }}", []prompt.Ref{badOpen(0)}},
		{"{{ { }} {{", []prompt.Ref{badOpen(0)}},
		{"{{ {{", nil},
		{"}}{{", nil},
		{"{{a}}{{", []prompt.Ref{ok(0, 5, "a")}},
	}
	for _, tt := range tests {
		diff(t, tt.in, prompt.ParseTemplate(tt.in).Refs, tt.want)
	}
}

func TestExcerpt(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"{{short", "{{short"},
		{"{{" + strings.Repeat("x", 30), "{{" + strings.Repeat("x", 14)},
		{"{{" + strings.Repeat("x", 13) + "\U0001F600", "{{" + strings.Repeat("x", 13)},
		{"{{" + strings.Repeat("\U0001F600", 9), "{{" + strings.Repeat("\U0001F600", 7)},
	} {
		if got := (prompt.Ref{}).Excerpt(tt.in); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

var (
	group = regexp.MustCompile(`^\{\{([^{}]*)\}\}`)
	name  = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// naive reads the three rules word by word.
func naive(s string) []prompt.Ref {
	var out []prompt.Ref
	for at := 0; at < len(s); {
		rest := s[at:]
		if !strings.HasPrefix(rest, "{{") {
			at++
			continue
		}
		if m := group.FindStringSubmatch(rest); m != nil { // rule 1
			r := prompt.Ref{Lo: at, Hi: at + len(m[0]), Name: m[1]}
			if n := strings.TrimSuffix(m[1], "?"); n != m[1] && name.MatchString(n) {
				r.Name, r.Optional = n, true
			}
			if !name.MatchString(r.Name) {
				r.Fault = prompt.RefBadName
			}
			out = append(out, r)
			at = r.Hi
			continue
		}
		if strings.Contains(rest[2:], "}}") { // rule 2
			out = append(out, prompt.Ref{Lo: at, Hi: at + 2, Fault: prompt.RefBadOpen})
		}
		at += 2 // rule 3
	}
	return out
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"", "{{a}}", "{{{a}}}", "{{ a }}{{b?}}", "{{a} }} {{", "x{{a\n}}", "{{\xff}}", "{{é?}}", "}}{{{{a}}}}{{b_1}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := prompt.ParseTemplate(s)
		diff(t, s, got.Refs, naive(s))
		for _, r := range got.Refs {
			e := r.Excerpt(s)
			if !strings.HasPrefix(s[r.Lo:], e) || len(utf16.Encode([]rune(e))) > 16 {
				t.Errorf("excerpt %q of %q", e, s[r.Lo:])
			}
			if utf8.ValidString(s) && !utf8.ValidString(e) {
				t.Errorf("excerpt %q is cut inside a rune", e)
			}
		}
	})
}

// The references of a definition's own text are known; a stage that rewrites a
// text must look for those of the new one.
func TestRefsOfSection(t *testing.T) {
	s := snapshot(t, prompt.Layer{Sections: []prompt.SectionDef{{Name: "a", Body: prompt.Body{Literal: "{{x}}", Template: true}}}})
	sec := resolve(t, s, prompt.Input{}).Sections[0]
	refs, ok := sec.Refs(0)
	if !ok {
		t.Error("the references as defined are not known")
	}
	diff(t, "as defined", refs, []prompt.Ref{{Lo: 0, Hi: 5, Name: "x"}})
	for _, text := range []span.Text{
		{{Text: "say {{y}}", Template: true}},
		{{Text: "{{x}}", Template: true}, {Text: "{{z}}", Template: true}},
	} {
		sec.Text = text
		if refs, ok := sec.Refs(len(text) - 1); ok {
			t.Errorf("the references of a rewritten text are known: %v", refs)
		}
	}
}
