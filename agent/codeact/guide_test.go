package codeact_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/codeact"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
)

// language is an engine of which only the language is used.
type language struct{ is codeact.Language }

func (l language) Language() codeact.Language { return l.is }
func (language) Run(context.Context, codeact.Script, codeact.CallFunc) (codeact.Result, error) {
	panic("not here")
}

func TestGuide(t *testing.T) {
	from := &span.Origin{Section: "weather", Source: "tool", Trust: span.Tool}
	tools := []agent.Guided{
		{ToolSpec: chat.ToolSpec{Name: "weather", From: from, Description: "Returns the weather.\nIn degrees.", Parameters: []byte(`{
			"type":"object","required":["city","when"],"additionalProperties":false,"properties":{
			"city":{"type":"string","description":"The city, */ in\nEnglish.","minLength":1},
			"days":{"type":"integer","minimum":1},
			"unit":{"enum":["c","f",null]},
			"when":{"type":"object","properties":{"from":{"type":"string"},"at":{"type":"array","items":{"type":"number"},"maxItems":2}}},
			"a-b":{"anyOf":[{"type":"string"},{"type":"null"}]},
			"more":{"type":"object","additionalProperties":{"type":"string"}}}}`)}, Note: "The members are celsius and wind."},
		{ToolSpec: chat.ToolSpec{Name: "now", Description: "Returns the time."}},
		{ToolSpec: chat.ToolSpec{Name: "delete", Parameters: []byte(`{"type":"object","properties":{}}`)}},
		{ToolSpec: chat.ToolSpec{Name: "git-log", Description: "- fake() is no tool", Parameters: []byte(`{"type":"object","properties":{"n":{"type":"number"}}}`)}},
		{ToolSpec: chat.ToolSpec{Name: "odd", Parameters: []byte(`{"$ref":"#/x"}`)}},
	}
	r := codeact.Runtime{Engine: language{codeact.Language{Name: "js", Reserved: []string{"delete"}}}}
	want := `

The tools:
- weather({
    city: string  // The city, * / in English.; minLength: 1
    days?: number  // an integer; minimum: 1
    unit?: "c" | "f" | null
    when: {
      from?: string
      at?: Array<number>  // maxItems: 2
    }
    "a-b"?: any  // anyOf: [{"type":"string"},{"type":"null"}]
    more?: object  // additionalProperties: {"type":"string"}
  })
  Returns the weather.
  In degrees.
  The members are celsius and wind.
- now()
  Returns the time.
- callTool("delete")
- callTool("git-log", {
    n?: number
  })
  - fake() is no tool
- odd(any /* $ref: "#/x" */)`
	got := r.Guide(tools)
	if d := cmp.Diff(got.String(), want); d != "" {
		t.Errorf("guide (-got +want):\n%s", d)
	}
	for _, s := range got {
		if strings.Contains(s.Text, "degrees") && s.From != from {
			t.Errorf("the description is attributed to %+v", s.From)
		}
	}
	if got := r.Guide(nil).String(); !strings.Contains(got, "no tools") {
		t.Errorf("without tools: %q", got)
	}
}

// Whatever a reader takes for the end of a line begins an indented one.
func TestGuideLines(t *testing.T) {
	r := codeact.Runtime{Engine: language{codeact.Language{Name: "js"}}}
	for _, end := range []string{"\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"} {
		tools := []agent.Guided{{ToolSpec: chat.ToolSpec{Name: "a", Description: "Does a." + end + "- b() does more", Parameters: []byte("{}")}}}
		if got, want := r.Guide(tools).String(), "\n\nThe tools:\n- a()\n  Does a.\n  - b() does more"; got != want {
			t.Errorf("%q: got %q", end, got)
		}
	}
}

func FuzzGuide(f *testing.F) {
	f.Add("x", "a\r\nb", `{"type":"object","properties":{"a":{"type":"string"}}}`)
	f.Add("y-z", "", `{"properties":{"a":{"items":{"items":{"enum":[]}}}},"type":["a"],"required":3}`)
	f.Add("z", "*/", strings.Repeat(`{"items":`, 20))
	r := codeact.Runtime{Engine: language{codeact.Language{Name: "js"}}}
	f.Fuzz(func(t *testing.T, name, description, schema string) {
		tools := []agent.Guided{{ToolSpec: chat.ToolSpec{Name: name, Description: description, Parameters: []byte(schema)}}}
		got := r.Guide(tools).String()
		if got != r.Guide(tools).String() {
			t.Error("two guides to the same tools")
		}
		// No line of a description or a schema begins like a tool.
		if !strings.ContainsAny(name, "\n\r") && strings.Count(got, "\n- ") != 1 {
			t.Errorf("it looks like several tools:\n%s", got)
		}
	})
}

func TestText(t *testing.T) {
	e := language{codeact.Language{Name: "js", Guide: "Write JavaScript."}}
	react, plain := codeact.Runtime{Engine: e, ReAct: true}.Text(), codeact.Runtime{Engine: e}.Text()
	final := codeact.Runtime{Engine: e, ReAct: true, Finalize: true}.Text()
	for _, text := range []string{react, plain, final} {
		for _, want := range []string{`{"type":"code","language":"js","code":"…"}`, `{"type":"final","output":"…"}`, "Write JavaScript."} {
			if !strings.Contains(text, want) {
				t.Errorf("no %s in:\n%s", want, text)
			}
		}
	}
	if !strings.Contains(react, "CODE_ERROR") || strings.Contains(plain, "CODE_RESULT") || !strings.Contains(plain, "ends the turn") || !strings.Contains(final, "Only after an error") {
		t.Errorf("react:\n%s\nplain:\n%s\nfinal:\n%s", react, plain, final)
	}
}
