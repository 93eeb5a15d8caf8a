package prompt_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// All ways to render a channel agree: C57's one text, separators, heads.
func TestRender(t *testing.T) {
	sections := func(texts ...string) prompt.Assembly {
		var a prompt.Assembly
		for i, s := range texts {
			a.Sections = append(a.Sections, prompt.Section{Name: string(rune('a' + i)), Channel: prompt.Context, Text: span.Of(s, nil)})
		}
		return a
	}
	head := func(a prompt.Assembly, text string) prompt.Assembly {
		a.Heads = []prompt.Head{{Channel: prompt.Context, Name: "head", Text: span.OfGenerated(text, nil)}}
		return a
	}
	line := sections("BASE", "", "DOC")
	line.Sections[2].Sep = "\n"
	tests := []struct {
		name  string
		a     prompt.Assembly
		want  string
		parts string
	}{
		{"nothing", prompt.Assembly{}, "", ""},
		{"empty texts", sections("", ""), "", ""},
		{"three", sections("BASE", "SKILLS", "DOC"), "BASE\n\nSKILLS\n\nDOC", "a b c"},
		{"empty between", sections("", "SKILLS", "", "DOC"), "SKILLS\n\nDOC", "b d"},
		{"white space stays", sections(" ", "\r\n"), " \n\n\r\n", "a b"},
		{"own separator", line, "BASE\nDOC", "a c"},
		{"head", head(sections("", "x", "y"), "HEAD"), "HEAD\n\nx\n\ny", "head b c"},
		{"head of nothing", head(sections(""), "HEAD"), "", ""},
		{"empty head", head(sections("x", "y"), ""), "x\n\ny", "a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			diff(t, "Render", tt.a.Render(prompt.Context), tt.want)
			diff(t, "Text", tt.a.Text(prompt.Context).String(), tt.want)
			diff(t, "AppendText", string(tt.a.AppendText([]byte("> "), prompt.Context)), "> "+tt.want)
			var names []string
			var joined strings.Builder
			for _, p := range tt.a.Parts(prompt.Context) {
				names = append(names, p.Name)
				joined.WriteString(p.Sep + p.Text.String())
			}
			diff(t, "parts", strings.Join(names, " "), tt.parts)
			diff(t, "text of parts", joined.String(), tt.want)
			diff(t, "other channel", tt.a.Render(prompt.System), "")
		})
	}
}

func TestHash(t *testing.T) {
	base := func() prompt.Assembly {
		return prompt.Assembly{
			Sections: []prompt.Section{{Name: "a", Text: span.Of("one", nil)}, {Name: "b", Text: span.Of("two", nil)}},
			Tools:    []chat.ToolSpec{{Name: "t", Description: "d", Parameters: []byte("{}")}},
		}
	}
	edits := []struct {
		name string
		same bool
		do   func(*prompt.Assembly)
	}{
		{"nothing", true, func(*prompt.Assembly) {}},
		{"cut in spans", true, func(a *prompt.Assembly) { a.Sections[0].Text = span.Text{{Text: "o"}, {Text: "ne"}} }},
		{"origins, notes, variables", true, func(a *prompt.Assembly) {
			a.Sections[0].From, a.Notes, a.Vars = &span.Origin{Path: "/home/x"}, []prompt.Note{{}}, []prompt.Var{{Name: "v"}}
		}},
		{"an empty section", true, func(a *prompt.Assembly) { a.Sections = append(a.Sections, prompt.Section{Name: "c"}) }},
		{"text", false, func(a *prompt.Assembly) { a.Sections[0].Text = span.Of("One", nil) }},
		{"name", false, func(a *prompt.Assembly) { a.Sections[0].Name = "x" }},
		{"channel", false, func(a *prompt.Assembly) { a.Sections[1].Channel = prompt.Context }},
		{"separator", false, func(a *prompt.Assembly) { a.Sections[1].Sep = "\n" }},
		{"order", false, func(a *prompt.Assembly) { a.Sections[0], a.Sections[1] = a.Sections[1], a.Sections[0] }},
		{"head", false, func(a *prompt.Assembly) { a.Heads = []prompt.Head{{Name: "h", Text: span.Of("H", nil)}} }},
		{"tool", false, func(a *prompt.Assembly) { a.Tools[0].Description = "" }},
		{"schema", false, func(a *prompt.Assembly) { a.Tools[0].Parameters = nil }},
		{"strict tool", false, func(a *prompt.Assembly) { a.Tools[0].Strict = true }},
		{"no tool", false, func(a *prompt.Assembly) { a.Tools = nil }},
	}
	seen := map[string]string{}
	for _, e := range edits {
		a := base()
		e.do(&a)
		h := a.Hash()
		if (h == base().Hash()) != e.same {
			t.Errorf("%s: equal hash %v, want %v", e.name, !e.same, e.same)
		}
		if !e.same && seen[h] != "" {
			t.Errorf("%s has the hash of %s", e.name, seen[h])
		}
		seen[h] = e.name
	}
}

// A section must not be able to pass for a tool, nor a tool for a section.
func TestHashKeepsSectionsAndToolsApart(t *testing.T) {
	words := []string{"instructions", "context", "reminder"}
	section := prompt.Assembly{Sections: []prompt.Section{{Name: "a", Text: span.Of("one", nil)}, {Name: words[0], Sep: words[1], Text: span.Of(words[2], nil)}}}
	tool := prompt.Assembly{Sections: section.Sections[:1], Tools: []chat.ToolSpec{{Name: words[0], Description: words[1], Parameters: []byte(words[2])}}}
	if section.Hash() == tool.Hash() {
		t.Error("two prompts that read differently have one hash")
	}
}

func TestFaultMessages(t *testing.T) {
	cause := errors.New("cause")
	for _, tt := range []struct {
		f    prompt.Fault
		want string
	}{
		{prompt.Fault{Code: "a.b", Message: "m"}, "a.b: m"},
		{prompt.Fault{Code: "a.b", Section: "s", Channel: prompt.Context, Line: 2, Column: 3, Message: "m"}, `a.b: context section "s":2:3: m`},
		{prompt.Fault{Code: "a.b", Section: "s", Path: "/x.md", Line: 2, Message: "m", Err: cause}, "a.b: /x.md:2: m"},
	} {
		diff(t, "message", tt.f.Error(), tt.want)
	}
	if !errors.Is(prompt.Faults{{}, {Err: cause}}, cause) {
		t.Error("the cause is not found")
	}
	diff(t, "diagnostic", prompt.Diagnostic{Severity: prompt.Warning, Code: "a.b", Path: "x", Line: 1, Column: 2, Message: "m"}.String(), "warning a.b x:1:2: m")
}

func TestNames(t *testing.T) {
	for ch := range prompt.Channels {
		if got, err := prompt.ParseChannel(ch.String()); got != ch || err != nil {
			t.Errorf("channel %v: got %v, %v", ch, got, err)
		}
	}
	for c := prompt.Stable; c <= prompt.Turn; c++ {
		if got, err := prompt.ParseClass(c.String()); got != c || err != nil {
			t.Errorf("class %v: got %v, %v", c, got, err)
		}
	}
	for s := prompt.Info; s <= prompt.Error; s++ {
		var got prompt.Severity
		if err := got.UnmarshalText([]byte(s.String())); got != s || err != nil {
			t.Errorf("severity %v: got %v, %v", s, got, err)
		}
	}
	_, err := prompt.ParseChannel("x")
	_, err2 := prompt.ParseClass("x")
	if err == nil || err2 == nil || new(prompt.Severity).UnmarshalText([]byte("x")) == nil {
		t.Error("unknown names are accepted")
	}
	diff(t, "unknown", prompt.Channel(9).String()+" "+prompt.Class(9).String()+" "+prompt.Severity(9).String(), "channel(9) class(9) unknown")
}
