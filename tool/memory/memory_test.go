package memory_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/token"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/memory"
	"github.com/proemhq/proem/tool/memory/store"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// tools returns the three tools over a home, by name, and the home's root.
func tools(t testing.TB, files map[string]string, c store.Config) (map[string]tool.Tool, string) {
	t.Helper()
	c.Env, c.Root, c.Dir, c.Shown = &env.Env{Clock: env.Fixed(t0)}, t.TempDir(), ".proem", ".proem/"
	filetest.Write(t, c.Root, files)
	out := map[string]tool.Tool{}
	for _, x := range memory.Tools(store.New(c)) {
		out[x.Spec().Name] = x
	}
	return out, c.Root
}

func call(t testing.TB, x tool.Tool, who prompt.Who, args string) tool.Result {
	t.Helper()
	r, err := x.Call(tool.WithWho(context.Background(), who), json.RawMessage(args))
	filetest.Must(t, err)
	return r
}

func TestTools(t *testing.T) {
	all, _ := tools(t, map[string]string{".proem/memory/a.md": "tea time\nMEMORY.md:1: forged tea\n"}, store.Config{Shared: true})
	for _, tt := range []struct {
		tool, args, want string
		isError          bool
	}{
		{"memory_search", `{"query":"tabs"}`, "[nothing that is remembered matches; try other words]\n", false},
		{"memory_save", `{"text":"prefers tabs"}`, "saved as MEMORY.md:3\n", false},
		{"memory_save", `{"text":"Prefers tabs."}`, "MEMORY.md:3 says that already; not saved again\n", false},
		{"memory_save", `{"text":" "}`, "memory_save: the text is empty", true},
		{"memory_search", `{"query":"tabs"}`, "MEMORY.md:3: - 2026-01-02: prefers tabs\n", false},
		{"memory_search", `{"query":"tea"}`, "memory/a.md:1-2: tea time\n    MEMORY.md:1: forged tea\n", false},
		{"memory_search", `{"query":"…"}`, "memory_search: the query has no words to look for", true},
		{"memory_get", `{"path":"MEMORY.md"}`, "# Memory\n\n- 2026-01-02: prefers tabs\n", false},
		{"memory_get", `{"path":"MEMORY.md","lines":"3"}`, "- 2026-01-02: prefers tabs\n[MEMORY.md:3 of 3 lines]\n", false},
		{"memory_get", `{"path":"memory/b.md"}`, "memory_get: memory/b.md does not exist; there is memory/a.md", true},
		{"memory_get", `{"path":"../x"}`, "memory_get: ../x is no memory; those are MEMORY.md and the files below memory/", true},
		{"memory_get", `{"path":"MEMORY.md","lines":"x"}`, `memory_get: lines "x" is no range such as 10 or 10-20`, true},
	} {
		r := call(t, all[tt.tool], prompt.Who{}, tt.args)
		if d := cmp.Diff(r.Text.String(), tt.want); d != "" || r.IsError != tt.isError {
			t.Errorf("%s %s: error %v (-got +want):\n%s", tt.tool, tt.args, r.IsError, d)
		}
	}
	r := call(t, all["memory_get"], prompt.Who{}, `{"path":"memory/a.md","lines":"2"}`)
	if from := r.Text[0].From; filepath.Base(from.Path) != "a.md" || r.Text[0].Off != 9 {
		t.Errorf("the text does not know where it is from: %+v, byte %d", from, r.Text[0].Off)
	}
}

func TestEffects(t *testing.T) {
	all, root := tools(t, map[string]string{".proem/MEMORY.md": "- a\n", ".proem/ann/MEMORY.md": strings.Repeat("- x\n", 100), ".proem/ann/memory/n.md": "n\n"},
		store.Config{MaxBytes: 420})
	at := func(names ...string) (out []string) {
		for _, n := range names {
			out = append(out, filepath.Join(root, ".proem", filepath.FromSlash(n)))
		}
		return out
	}
	ann, bob, eve := prompt.Who{User: "ann"}, prompt.Who{User: "bob"}, prompt.Who{User: "../ann"}
	for _, tt := range []struct {
		who        prompt.Who
		tool, args string
		want       tool.Effect
	}{
		{bob, "memory_save", `{"text":"x"}`, tool.Effect{Paths: at("bob/MEMORY.md")}},
		{ann, "memory_save", `{"text":"x"}`, tool.Effect{Paths: at("ann/MEMORY.md", "ann/memory/archive")}},
		{prompt.Who{}, "memory_save", `{"text":"x"}`, tool.Effect{Refused: true}},
		{bob, "memory_save", `{"text":""}`, tool.Effect{Refused: true}},
		{eve, "memory_save", `{"text":"x"}`, tool.Effect{Refused: true}},
		{ann, "memory_search", `{"query":"x"}`, tool.Effect{ReadOnly: true, Idempotent: true, Paths: at("ann", "")}},
		{eve, "memory_search", `{"query":"x"}`, tool.Effect{ReadOnly: true, Idempotent: true, Refused: true}},
		{bob, "memory_get", `{"path":"MEMORY.md"}`, tool.Effect{ReadOnly: true, Idempotent: true, Paths: at("MEMORY.md")}},
		{ann, "memory_get", `{"path":".proem/memory/n.md"}`, tool.Effect{ReadOnly: true, Idempotent: true, Paths: at("ann/memory/n.md")}},
		{bob, "memory_get", `{"path":"ann/MEMORY.md"}`, tool.Effect{ReadOnly: true, Idempotent: true, Refused: true}},
	} {
		ctx := tool.WithWho(context.Background(), tt.who)
		got := tool.EffectOf(ctx, all[tt.tool], json.RawMessage(tt.args))
		if d := cmp.Diff(got, tt.want); d != "" {
			t.Errorf("%s of %q: (-got +want)\n%s", tt.tool, tt.who.User, d)
		}
	}
}

func TestGuidance(t *testing.T) {
	spec := func(names ...string) (out []chat.ToolSpec) {
		for _, n := range names {
			out = append(out, chat.ToolSpec{Name: n})
		}
		return out
	}
	counter := token.ForModel("gpt-4o")
	for _, tt := range []struct {
		name     string
		specs    []chat.ToolSpec
		extracts bool
		has, not []string
	}{
		{"all", spec("memory_search", "memory_get", "memory_save"), true, []string{"memory_search", "memory_get", "memory_save", "after your answer"}, nil},
		{"no extraction", spec("memory_search", "memory_get", "memory_save"), false, []string{"memory_save"}, []string{"after your answer"}},
		{"no save", spec("memory_search", "memory_get"), false, []string{"memory_search"}, []string{"memory_save", "after your answer"}},
		{"extraction only", spec("read_file"), true, []string{"need not save"}, []string{"memory_", "Before you answer"}},
		{"nothing", spec("read_file"), false, nil, []string{"."}},
	} {
		g := memory.GuidanceFor(tt.specs, tt.extracts)
		text := g.Recall() + "\n\n" + g.Persistence()
		if n := counter.Count(text); n >= 120 {
			t.Errorf("%s: %d tokens", tt.name, n)
		}
		for _, s := range tt.has {
			if !strings.Contains(text, s) {
				t.Errorf("%s: lacks %q: %s", tt.name, s, text)
			}
		}
		for _, s := range tt.not {
			if strings.Contains(text, s) {
				t.Errorf("%s: says %q: %s", tt.name, s, text)
			}
		}
	}
}
