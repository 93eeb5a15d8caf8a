package stage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// section returns a section of one span with an origin of its own.
func section(ch prompt.Channel, name, text string) prompt.Section {
	from := &span.Origin{Section: name, Source: "literal"}
	return prompt.Section{Name: name, Channel: ch, Text: span.Of(text, from), From: from}
}

// system returns an assembly with the texts as sections s0, s1, … of system.
func system(texts ...string) prompt.Assembly {
	var a prompt.Assembly
	for i, t := range texts {
		a.Sections = append(a.Sections, section(prompt.System, fmt.Sprintf("s%d", i), t))
	}
	return a
}

func tools(names ...string) []chat.ToolSpec {
	out := make([]chat.ToolSpec, len(names))
	for i, n := range names {
		out[i] = chat.ToolSpec{Name: n, Description: fmt.Sprintf("%s %d", n, i), From: &span.Origin{Section: n, Source: "registry"}}
	}
	return out
}

func toolNames(a prompt.Assembly) []string {
	out := []string{}
	for _, t := range a.Tools {
		out = append(out, t.Name)
	}
	return out
}

// apply runs a stage that must not fail.
func apply(t testing.TB, s prompt.Stage, in prompt.Input, a prompt.Assembly) prompt.Assembly {
	t.Helper()
	out, err := s.Apply(in, a)
	if err != nil {
		t.Fatalf("stage %s: %v", s.Name, err)
	}
	return out
}

// shape lists the sections of an assembly as "channel name[sep]: text".
func shape(a prompt.Assembly) []string {
	out := []string{}
	for _, s := range a.Sections {
		sep := ""
		if s.Sep != "" {
			sep = fmt.Sprintf("%q", s.Sep)
		}
		out = append(out, fmt.Sprintf("%s %s%s: %q", s.Channel, s.Name, sep, s.Text.String()))
	}
	return out
}

// origins lists who each run of a text came from, as "section/stage: text".
func origins(t span.Text) []string {
	var out []string
	for _, s := range t {
		who := s.From.Section
		if s.From.Stage != "" {
			who += "/" + s.From.Stage
		}
		out = append(out, fmt.Sprintf("%s: %q", who, s.Text))
	}
	return out
}

func notes(a prompt.Assembly) []string {
	out := []string{}
	for _, n := range a.Notes {
		out = append(out, n.Stage+": "+n.Name+": "+n.Reason)
	}
	return out
}

func codes(err error) []string {
	out := []string{}
	if faults, ok := err.(prompt.Faults); ok {
		for _, f := range faults {
			out = append(out, f.Code)
		}
	} else if err != nil {
		out = append(out, err.Error())
	}
	return out
}

func diff(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want, cmpopts.IgnoreUnexported(prompt.Section{})); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

// untouched fails unless out shares a's sections, tools, notes and diagnostics.
func untouched(t testing.TB, a, out prompt.Assembly) {
	t.Helper()
	if !same(a.Sections, out.Sections) || !same(a.Tools, out.Tools) || !same(a.Notes, out.Notes) || !same(a.Diagnostics, out.Diagnostics) {
		t.Error("the argument was copied although there was nothing to do")
	}
}

func same[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func noAllocs(t *testing.T, s prompt.Stage, a prompt.Assembly) {
	t.Helper()
	if n := testing.AllocsPerRun(50, func() { s.Apply(prompt.Input{}, a) }); n > 0 {
		t.Errorf("stage %s allocates %v times with nothing to do", s.Name, n)
	}
}

func lines(n int, of string) string { return strings.Repeat(of+"\n", n) }
