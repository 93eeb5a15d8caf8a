package quickjs_test

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/codeact"
	"github.com/proemhq/proem/agent/codeact/quickjs"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/tool"
)

// odd is a tool of any name.
type odd struct{ name string }

func (o odd) Spec() chat.ToolSpec {
	return chat.ToolSpec{Name: o.name, Description: "Does it.", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (o odd) Call(context.Context, json.RawMessage) (tool.Result, error) {
	return tool.Text("ran " + o.name), nil
}

// Every name that the language has itself is one by which no tool is called, so that
// the guide says callTool, and a tool of such a name takes nothing away from code.
func TestNamesOfTheLanguage(t *testing.T) {
	result := func(source string, tools ...tool.Tool) (result, guide string) {
		t.Helper()
		m := says(t, code(source), final("done"))
		a := newAgent(t, agent.Config{Model: m, Tools: tools}, codeact.Runtime{})
		_, answer := turn(t, a, agent.Text("go"))
		return answer, m.bodies[0]
	}
	list, _ := result(`return Object.getOwnPropertyNames(globalThis).concat(Object.getOwnPropertyNames(Object.prototype))`)
	var names []string
	filetest.Must(t, json.Unmarshal([]byte(list), &names))
	reserved := quickjs.Engine{}.Language().Reserved
	for _, n := range append(names, "undefined", "performance", "WeakRef") {
		if regexp.MustCompile(`^[A-Za-z_]\w*$`).MatchString(n) && !slices.Contains(reserved, n) {
			t.Errorf("the language has %s, and a tool could be called so", n)
		}
	}
	for _, n := range []string{"undefined", "Promise", "JSON", "console", "print", "callTool", "constructor", "__proto__", "toString", "eval", "return", "my-tool"} {
		got, body := result(`const r = await callTool(`+quote(n)+`, {}); console.log("x"); return r + ", " + (await Promise.all([1])).length + JSON.stringify({}) + typeof undefined`, odd{n})
		diff(t, n, got, "ran "+n+", 1{}undefined")
		if !strings.Contains(body, `- callTool(\"`+n+`\")`) {
			t.Errorf("%s: the guide says another thing: %s", n, body)
		}
	}
	got, body := result(`return await plain({})`, odd{"plain"})
	diff(t, "a plain name", got, "ran plain")
	if !strings.Contains(body, `- plain()`) {
		t.Errorf("got %s", body)
	}
}
