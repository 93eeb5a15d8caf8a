package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/tool"
)

type inner struct {
	Text string `json:"text"`
	Done *bool  `json:"done"`
}

type base struct {
	ID string `json:"id" jsonschema:"Who <it> is."`
}

type everything struct {
	base
	Items  []inner           `json:"items" description:"The items."`
	Labels map[string]string `json:"labels,omitempty"`
	Level  string            `json:"level,omitzero" enum:"low,high"`
	Count  int               `json:"count,omitempty" minimum:"1" maximum:"9"`
	Size   *uint8            `json:"size"`
	Ratio  float64           `json:"ratio,omitempty"`
	Deep   *inner            `json:"deep"`
	Pair   [2]int            `json:"pair,omitzero"`
	At     time.Time         `json:"at,omitzero"`
	Any    any               `json:"any,omitempty"`
	Raw    json.RawMessage   `json:"raw,omitempty"`
	Skip   chan int          `json:"-"`
	hidden int               //lint:ignore U1000 it is not exported, so no argument fills it
}

func newEverything(t testing.TB, got *everything) tool.Tool {
	t.Helper()
	tl, err := tool.New("everything", "Takes all.", func(_ context.Context, e everything) (tool.Result, error) {
		*got = e
		return tool.Text("ok"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

func TestSchema(t *testing.T) {
	got := string(newEverything(t, new(everything)).Spec().Parameters)
	item := `{"additionalProperties":false,"properties":{"done":{"type":"boolean"},"text":{"type":"string"}},"required":["text"],"type":"object"}`
	want := `{"additionalProperties":false,"properties":{` +
		`"any":{},"at":{"type":"string"},` +
		`"count":{"maximum":9,"minimum":1,"type":"integer"},` +
		`"deep":` + item + `,` +
		`"id":{"description":"Who <it> is.","type":"string"},` +
		`"items":{"description":"The items.","items":` + item + `,"type":"array"},` +
		`"labels":{"additionalProperties":{"type":"string"},"type":"object"},` +
		`"level":{"enum":["low","high"],"type":"string"},` +
		`"pair":{"items":{"type":"integer"},"type":"array"},"ratio":{"type":"number"},"raw":{},` +
		`"size":{"minimum":0,"type":"integer"}},"required":["id","items"],"type":"object"}`
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("schema (-got +want):\n%s", diff)
	}
}

func TestDecode(t *testing.T) {
	var got everything
	tl := newEverything(t, &got)
	in := `{"id":"a","items":[{"text":"x","done":true},{"text":"y","done":null}],"labels":{"k":"v"},"level":"high","count":3,
		"size":4,"ratio":0.5,"deep":{"text":"z"},"pair":[1,2],"at":"2026-01-02T03:04:05Z","any":{"a":[1]},"raw":null}`
	r, err := tl.Call(t.Context(), json.RawMessage(in))
	if err != nil || r.IsError {
		t.Fatal(r.Text, err)
	}
	yes, four := true, uint8(4)
	want := everything{base: base{"a"}, Items: []inner{{"x", &yes}, {"y", nil}}, Labels: map[string]string{"k": "v"}, Level: "high",
		Count: 3, Size: &four, Ratio: 0.5, Deep: &inner{Text: "z"}, Pair: [2]int{1, 2},
		At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Any: map[string]any{"a": []any{1.0}}}
	if diff := cmp.Diff(got, want, cmp.AllowUnexported(everything{})); diff != "" {
		t.Errorf("decoded (-got +want):\n%s", diff)
	}
}

func TestDecodeIsStrict(t *testing.T) {
	tl := newEverything(t, new(everything))
	for in, want := range map[string]string{
		``:                                       "the argument id is missing",
		`{"id":"a"}`:                             "the argument items is missing",
		`{"id":"a","items":null}`:                "the argument items is not an array",
		`{"ID":"a","items":[]}`:                  "there is no argument ID; did you mean id?",
		`{"id":"a","id":"b"}`:                    "the argument id is given twice",
		`{"id":"a","items":[{"text":1}]}`:        "the argument items[0].text is not a string",
		`{"id":"a","items":[{"text":"","x":1}]}`: "there is no argument items[0].x (arguments: text, done)",
		`{"id":"a","items":[{}]}`:                "the argument items[0].text is missing",
		`{"id":"a","items":[{"text":"a","text":"b"}]}`:   "the argument items[0].text is given twice",
		`{"id":"a","items":{}}`:                          "the argument items is not an array",
		`{"id":"a","items":[],"labels":{"a":1}}`:         "the argument labels.a is not a string",
		`{"id":"a","items":[],"labels":{"a":"","a":""}}`: "the argument labels.a is given twice",
		`{"id":"a","items":[],"labels":[]}`:              "the argument labels is not an object",
		`{"id":"a","items":[],"level":"Low"}`:            "the argument level is Low; it is one of: low, high",
		`{"id":"a","items":[],"count":0}`:                "the argument count is 0; it is at least 1",
		`{"id":"a","items":[],"count":10}`:               "the argument count is 10; it is at most 9",
		`{"id":"a","items":[],"count":1.5}`:              "the argument count is not an integer",
		`{"id":"a","items":[],"size":256}`:               "the argument size is not an integer",
		`{"id":"a","items":[],"size":-1}`:                "the argument size is not an integer",
		`{"id":"a","items":[],"ratio":"1"}`:              "the argument ratio is not a number",
		`{"id":"a","items":[],"deep":[]}`:                "the argument deep is not an object",
		`{"id":"a","items":[],"pair":[1]}`:               "the argument pair has 1 items; it needs 2",
		`{"id":"a","items":[],"at":"now"}`:               "the argument at cannot be read: ",
		`{"id":"a","items":[],"any":[{"b":1,"b":2}]}`:    "the argument any[0].b is given twice",
		`[]`:                          "the arguments are not a JSON object",
		`{"id":"a"`:                   "the arguments are not valid JSON",
		`{"id":"a","items":[]} extra`: "something follows the JSON object of the arguments",
	} {
		r, err := tl.Call(t.Context(), json.RawMessage(in))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Text.String(); !r.IsError || !strings.HasPrefix(got, "everything: "+want) {
			t.Errorf("%s:\n got %s\nwant %s", in, got, want)
		}
	}
}

type loop struct{ Next []loop }

type ownJSON struct{}

func (*ownJSON) UnmarshalJSON([]byte) error { return nil }

func TestMakeRefuses(t *testing.T) {
	errs := map[string]error{}
	_, errs["contains itself"] = tool.New("x", "", func(context.Context, loop) (tool.Result, error) { return tool.Result{}, nil })
	_, errs["no form in JSON"] = tool.New("x", "", func(context.Context, struct{ C chan int }) (tool.Result, error) { return tool.Result{}, nil })
	_, errs["keys of a map"] = tool.New("x", "", func(context.Context, struct{ M map[int]int }) (tool.Result, error) { return tool.Result{}, nil })
	_, errs["no struct"] = tool.New("x", "", func(context.Context, string) (tool.Result, error) { return tool.Result{}, nil })
	_, errs["by itself"] = tool.New("x", "", func(context.Context, ownJSON) (tool.Result, error) { return tool.Result{}, nil })
	_, errs["a name is"] = tool.New("a b", "", func(context.Context, struct{}) (tool.Result, error) { return tool.Result{}, nil })
	_, errs["no function"] = tool.New[struct{}]("x", "", nil)
	_, errs["only a string has an enum"] = tool.New("x", "", func(context.Context, struct {
		N int `enum:"1"`
	}) (tool.Result, error) {
		return tool.Result{}, nil
	})
	_, errs["two fields"] = tool.New("x", "", func(context.Context, struct {
		A int
		B int `json:"A"`
	}) (tool.Result, error) {
		return tool.Result{}, nil
	})
	for want, err := range errs {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestPanicIsContained(t *testing.T) {
	tl := tool.Must(tool.Make(tool.Def[struct{}]{
		Name:   "bad",
		Call:   func(context.Context, struct{}) (tool.Result, error) { panic("oh") },
		Effect: func(context.Context, struct{}) tool.Effect { panic("oh") },
	}))
	r, err := tl.Call(t.Context(), nil)
	if err != nil || !r.IsError || r.Text.String() != "the tool bad panicked: oh" {
		t.Errorf("got %v, %v", r, err)
	}
	if diff := cmp.Diff(tool.EffectOf(t.Context(), tl, nil), tool.Effect{}); diff != "" {
		t.Errorf("effect (-got +want):\n%s", diff)
	}
}

func TestErrorsPass(t *testing.T) {
	own := errors.New("mine")
	tl := tool.Must(tool.New("fails", "", func(context.Context, struct{}) (tool.Result, error) { return tool.Result{}, own }))
	if _, err := tl.Call(t.Context(), nil); err != own {
		t.Errorf("got %v, want %v", err, own)
	}
}

func TestEffectOfRefused(t *testing.T) {
	e := tool.EffectOf(t.Context(), newEverything(t, new(everything)), json.RawMessage(`{"nope":1}`))
	if !e.Refused || !e.ReadOnly {
		t.Errorf("got %+v, want a refused one", e)
	}
}

func TestSession(t *testing.T) {
	if got := tool.Session(tool.WithSession(t.Context(), "s1")); got != "s1" {
		t.Errorf("got %q", got)
	}
	if got := tool.Session(t.Context()); got != "" {
		t.Errorf("got %q", got)
	}
}

// FuzzDecode checks that whatever a model writes is taken or refused with a
// sentence, and that what is taken would be taken by encoding/json too.
func FuzzDecode(f *testing.F) {
	f.Add(`{"id":"a","items":[{"text":"x"}]}`)
	f.Add(`{"id":"a","items":[],"any":{"a":{"a":[1,{"b":null}]}},"pair":[1,2]}`)
	var got everything
	tl := newEverything(f, &got)
	f.Fuzz(func(t *testing.T, in string) {
		got = everything{}
		r, err := tl.Call(t.Context(), json.RawMessage(in))
		if err != nil {
			t.Fatal(err)
		}
		if r.IsError {
			if strings.Contains(r.Text.String(), "panicked") {
				t.Fatalf("%q: %s", in, r.Text)
			}
			return
		}
		var want everything
		if err := json.Unmarshal([]byte(in), &want); err != nil {
			t.Fatalf("%q: taken, but %v", in, err)
		}
	})
}
