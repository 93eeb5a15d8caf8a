package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

type place struct {
	Lat float64 `json:"lat"`
}

type weather struct {
	City    string            `json:"city" description:"without the country"`
	Celsius *float64          `json:"celsius"`
	Note    string            `json:"note,omitempty"`
	At      time.Time         `json:"at,omitzero"`
	Tags    []string          `json:"tags,omitempty"`
	More    map[string]uint16 `json:"more,omitempty"`
	Raw     []byte            `json:"raw,omitempty"`
	Hidden  func()            `json:"-"`
	place
	Place place `json:"place"`
}

const oslo = `{"city":"Oslo","celsius":null,"note":null,"lat":1,"place":{"lat":59.9}}`

// ask runs one turn against a script and returns the model too.
func ask[T any](t *testing.T, yaml string, change func(*agent.Config, *scripted.Model)) (T, *recorder, error) {
	t.Helper()
	m := &recorder{Model: script(t, yaml)}
	cfg := agent.Config{Model: m, ModelName: "m"}
	if change != nil {
		change(&cfg, m.Model)
	}
	a, err := agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	v, err := agent.RunAs[T](context.Background(), a, "s1", agent.Text("the weather?"))
	return v, m, err
}

func TestRunAsText(t *testing.T) {
	v, m, err := ask[weather](t, "turns:\n  - text: '"+oslo+"'\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	if v.City != "Oslo" || v.Lat != 1 || v.Place.Lat != 59.9 || v.Celsius != nil || v.Note != "" {
		t.Errorf("got %+v", v)
	}
	want := `"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"additionalProperties":false,"properties":{` +
		`"at":{"format":"date-time","type":"string"},` +
		`"celsius":{"type":["number","null"]},` +
		`"city":{"description":"without the country","type":"string"},` +
		`"lat":{"type":"number"},`
	if !strings.Contains(m.last(), want) {
		t.Errorf("got %s, want %s", m.last(), want)
	}
}

// Where a protocol has no answer schemas, the answer is a call, and one that does
// not fit goes back to the model.
func TestRunAsTool(t *testing.T) {
	store := &memory.Store{}
	v, m, err := ask[weather](t, `
turns:
  - calls: [{tool: answer, args: {city: Oslo}}]
  - calls: [{tool: answer, raw: '`+oslo+`'}]
    expect: {result_contains: "/lat is missing"}
  - text: "never asked"
`, func(c *agent.Config, m *scripted.Model) { m.Cap.OutputSchema, c.Store = false, store })
	if err != nil || v.City != "Oslo" {
		t.Fatalf("got %+v, %v", v, err)
	}
	if len(m.bodies) != 2 || !strings.Contains(m.last(), `"tool_choice":{"type":"function","function":{"name":"answer"}}`) {
		t.Errorf("got %d requests: %s", len(m.bodies), m.last())
	}
	open := map[string]bool{}
	for e, err := range store.Events(context.Background(), "s1") {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == session.Answer {
			for _, c := range e.Message.Calls() {
				open[c.ID] = true
			}
		}
		if e.Kind == session.Result {
			delete(open, e.Message.Results()[0].ID)
		}
	}
	if len(open) > 0 {
		t.Errorf("calls without results: %v", open)
	}
}

// The tool of the answer gives way to a tool of the same name.
func TestRunAsOtherTools(t *testing.T) {
	other := &fake{name: "answer", call: func(context.Context, json.RawMessage) (tool.Result, error) { return tool.Text("42"), nil }}
	v, _, err := ask[weather](t, `
turns:
  - calls: [{tool: answer, args: {}}]
    expect: {tools: [answer, answer_]}
  - calls: [{tool: answer_, raw: '`+oslo+`'}]
    expect: {result_contains: "42"}
`, func(c *agent.Config, m *scripted.Model) {
		m.Cap.OutputSchema = false
		c.Tools = append(c.Tools, other)
	})
	if err != nil || v.City != "Oslo" {
		t.Errorf("got %+v, %v", v, err)
	}
}

func TestRunAsValues(t *testing.T) {
	list, _, err := ask[[]int](t, "turns:\n  - text: '{\"value\":[1,2]}'\n", nil)
	diff(t, "list", list, []int{1, 2})
	if err != nil {
		t.Error(err)
	}
	word, _, err := ask[string](t, "turns:\n  - text: '{\"value\":\"x\"}'\n", nil)
	if err != nil || word != "x" {
		t.Errorf("got %q, %v", word, err)
	}
}

func TestRunAsErrors(t *testing.T) {
	for _, c := range []struct{ name, yaml, reason, text string }{
		{"prose", `turns: [{text: "It is warm."}]`, agent.AnswerInvalid, "It is warm."},
		{"another type", `turns: [{text: '{"lat":"north"}'}]`, agent.AnswerInvalid, `{"lat":"north"}`},
		{"missing", `turns: [{text: '{}'}]`, agent.AnswerInvalid, `{}`},
		{"null", `turns: [{text: '{"lat":null}'}]`, agent.AnswerInvalid, `{"lat":null}`},
		{"unknown", `turns: [{text: '{"lat":1,"lon":2}'}]`, agent.AnswerInvalid, `{"lat":1,"lon":2}`},
		{"two", `turns: [{text: '{"lat":1}{}'}]`, agent.AnswerInvalid, `{"lat":1}{}`},
		{"empty", `turns: [{text: " "}]`, agent.AnswerInvalid, " "},
		{"length", `turns: [{text: '{"la', stop: length}]`, string(wire.StopLength), `{"la`},
		{"refusal", `turns: [{text: "I will not.", stop: refusal}]`, string(wire.StopRefusal), "I will not."},
		{"filter", `turns: [{text: "par", stop: content_filter}]`, string(wire.StopFilter), "par"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, _, err := ask[place](t, c.yaml, nil)
			var answer *agent.AnswerError
			if !errors.As(err, &answer) {
				t.Fatalf("got %+v, %v", v, err)
			}
			if answer.Reason != c.reason || answer.Text != c.text || (answer.Err != nil) != (c.reason == agent.AnswerInvalid) {
				t.Errorf("got %+v", answer)
			}
			if strings.Contains(err.Error(), c.text) && c.text != "{}" && c.text != " " {
				t.Errorf("the text is part of the error: %v", err)
			}
		})
	}
	_, _, err := ask[place](t, `turns: [{calls: [{tool: x, args: {}}]}]`, func(c *agent.Config, _ *scripted.Model) { c.Limits.Steps = 2 })
	var answer *agent.AnswerError
	if !errors.As(err, &answer) || answer.Reason != agent.StopSteps {
		t.Errorf("got %v", err)
	}
	_, _, err = ask[place](t, `turns: [{error: {status: 400, message: "no"}}]`, nil)
	var api *wire.APIError
	if !errors.As(err, &api) {
		t.Errorf("got %v", err)
	}
}

// What encoding/json takes for a zero value is no answer.
func TestRunAsMisfit(t *testing.T) {
	for name, err := range map[string]error{
		"null":               answerErr[place](t, `null`),
		"null of a scalar":   answerErr[string](t, `null`),
		"null of a map":      answerErr[map[string]place](t, `null`),
		"null element":       answerErr[[]place](t, `{"value":[null]}`),
		"null in a map":      answerErr[map[string]place](t, `{"a":null}`),
		"member in a map":    answerErr[map[string]place](t, `{"a":{}}`),
		"array too short":    answerErr[[2]int](t, `{"value":[1]}`),
		"array too long":     answerErr[[2]int](t, `{"value":[1,2,3]}`),
		"value and an error": answerErr[[]int](t, `{"value":[1,"x"]}`),
	} {
		var bad *agent.AnswerError
		if !errors.As(err, &bad) || bad.Reason != agent.AnswerInvalid || bad.Text == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"pointer":  answerErr[*place](t, `{"value":null}`),
		"optional": answerErr[weather](t, oslo),
		"elements": answerErr[[]*place](t, `{"value":[null]}`),
		"anything": answerErr[map[string]any](t, `{"a":null,"b":[null]}`),
		"array":    answerErr[[2]int](t, `{"value":[1,2]}`),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func answerErr[T any](t *testing.T, text string) error {
	v, _, err := ask[T](t, "turns: [{text: '"+text+"'}]", nil)
	if err != nil && !reflect.ValueOf(&v).Elem().IsZero() {
		t.Errorf("%s: got %v with the error %v", text, v, err)
	}
	return err
}

// A provider that enforces a schema has no maps: it would allow only empty ones.
func TestRunAsOpenTypes(t *testing.T) {
	known := func(_ *agent.Config, m *scripted.Model) { m.Cap = wire.Lookup("openai", "gpt-5") }
	const text = `turns: [{text: '{"a":1}'}]`
	if v, m, err := ask[map[string]int](t, text, known); err != nil || v["a"] != 1 || strings.Contains(m.last(), `"strict"`) ||
		!strings.Contains(m.last(), `"schema":{"additionalProperties":{"type":"integer"},"type":"object"}`) {
		t.Errorf("got %v, %v from %s", v, err, m.last())
	}
	if _, m, _ := ask[place](t, `turns: [{text: '{"lat":1}'}]`, known); !strings.Contains(m.last(), `"strict":true`) {
		t.Errorf("got %s", m.last())
	}
}

type node struct{ Next *node }

type pointer *pointer

func TestRunAsTypes(t *testing.T) {
	for name, err := range map[string]error{
		"func": asErr[func()](t), "recursive": asErr[node](t), "keys": asErr[map[int]string](t), "interface": asErr[error](t),
		"own JSON": asErr[chat.Message](t), "pointer": asErr[pointer](t),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "agent: an answer of type ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func asErr[T any](t *testing.T) error {
	_, m, err := ask[T](t, `turns: [{text: "x"}]`, nil)
	if len(m.bodies) > 0 {
		t.Errorf("a request was sent: %s", m.last())
	}
	return err
}
