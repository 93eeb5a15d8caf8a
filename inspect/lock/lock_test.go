package lock_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/inspect"
	"github.com/proemhq/proem/inspect/lock"
	"github.com/proemhq/proem/span"
)

func report() inspect.Prompt {
	return inspect.Prompt{Agent: "a", Preset: "standard", Model: "m", Prefix: inspect.Prefix{SHA256: "p", Bytes: 3},
		Sections: []inspect.Section{
			{Name: "base", Channel: "system", Order: 100, Class: "stable", Trust: span.User, Text: "B"},
			{Name: "doc", Channel: "system", Order: 100, Class: "session", Trust: span.Project, Path: "/w/docs/d.md", Text: "D\n"},
		},
		Tools: []inspect.Tool{{Name: "read", Description: "reads", Parameters: json.RawMessage(`{}`)}, {Name: "write", Parameters: json.RawMessage(`{}`)}},
		Wire:  map[string]json.RawMessage{"x": json.RawMessage(`{"a":1}`), "b": json.RawMessage(`{}`)},
	}
}

// Each way in which a prompt can change has its line.
func TestCompare(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*inspect.Prompt)
		want   string
	}{
		"nothing":   {func(*inspect.Prompt) {}, ""},
		"text":      {func(r *inspect.Prompt) { r.Sections[0].Text = "BB" }, "section base says something else: 2 bytes, pinned are 1 byte"},
		"place":     {func(r *inspect.Prompt) { r.Sections[0], r.Sections[1] = r.Sections[1], r.Sections[0] }, "order of the sections is another"},
		"order":     {func(r *inspect.Prompt) { r.Sections[1].Order = 7.5 }, "section doc has the order 7.5, pinned is 100"},
		"class":     {func(r *inspect.Prompt) { r.Sections[1].Class = "turn" }, "section doc has the class turn, pinned is session"},
		"trust":     {func(r *inspect.Prompt) { r.Sections[1].Trust = span.Tool }, "section doc has the trust tool, pinned is project"},
		"path":      {func(r *inspect.Prompt) { r.Sections[1].Path = "/w/e.md" }, "section doc has the path e.md, pinned is docs/d.md"},
		"gone":      {func(r *inspect.Prompt) { r.Sections = r.Sections[:1] }, "section doc is gone: 2 bytes in system"},
		"moved":     {func(r *inspect.Prompt) { r.Sections[1].Channel = "context" }, "section doc is new: 2 bytes in context; section doc is gone: 2 bytes in system"},
		"new tool":  {func(r *inspect.Prompt) { r.Tools = append(r.Tools, inspect.Tool{Name: "z"}) }, "tool z is new: 1 byte"},
		"no tool":   {func(r *inspect.Prompt) { r.Tools = r.Tools[:1] }, "tool write is gone"},
		"schema":    {func(r *inspect.Prompt) { r.Tools[0].Parameters = json.RawMessage(`[]`) }, "tool read has another description or schema: 11 bytes, pinned are 11 bytes"},
		"model":     {func(r *inspect.Prompt) { r.Model = "n" }, "model is n, pinned is m"},
		"prefix":    {func(r *inspect.Prompt) { r.Prefix.Bytes = 4 }, "prefix is another: 4 bytes, pinned are 3 bytes"},
		"body":      {func(r *inspect.Prompt) { r.Wire["b"] = json.RawMessage(`{ }`) }, "body b is another: 3 bytes"},
		"agent":     {func(r *inspect.Prompt) { r.Agent = "b" }, "is not pinned; is pinned and not there any more"},
		"elsewhere": {func(r *inspect.Prompt) { r.Sections[1].Path = "/home/u/d.md" }, "section doc has the path d.md, pinned is docs/d.md"},
	} {
		now := report()
		c.change(&now)
		var got []string
		for _, d := range lock.Compare(lock.New(lock.NewEntry(report(), "/w")), lock.New(lock.NewEntry(now, "/w"))) {
			_, line, _ := strings.Cut(d.String(), "): ")
			got = append(got, line)
		}
		if diff := cmp.Diff(strings.Join(got, "; "), c.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", name, diff)
		}
	}
}

// A file is read back as it was written, and nothing else is taken for one.
func TestDecode(t *testing.T) {
	f := lock.New(lock.NewEntry(report(), "/w"))
	back, err := lock.Decode(f.Encode())
	if diff := cmp.Diff(back, f); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, broken := range []string{"", "x", `{}`, `{"schema":"proem.lock/2","agents":[]}`, `{"schema":"proem.lock/1","agents":[],"more":1}`} {
		if _, err := lock.Decode([]byte(broken)); err == nil {
			t.Errorf("%s: taken", broken)
		}
	}
	// An entry that was edited by hand is found.
	f.Agents[0].SHA256 = "0"
	if got := lock.Compare(f, lock.New(lock.NewEntry(report(), "/w"))); len(got) != 1 || !strings.Contains(got[0].String(), "edited by hand") {
		t.Errorf("got %v", got)
	}
}
