package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/wire/openaichat"
)

// However often a part of the prefix changed, a summary leaves one notice of it, or
// none if it says again what it said. All requests can be made again, and another
// process goes on alike.
func TestChangesAfterCompaction(t *testing.T) {
	reg := registry.New()
	n := 0
	_, err := reg.Global().Dynamic(prompt.SectionDef{Name: "notes", Order: 500}, source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
		var b strings.Builder
		b.WriteString("# Notes\n" + strings.Repeat("A line that stays.\n", 20))
		for i := range n {
			fmt.Fprintf(&b, "- note %d\n", i)
		}
		return prompt.Fact{Text: b.String()}, nil
	}))
	filetest.Must(t, err)
	store, err := jsonl.Open(jsonl.Config{Dir: t.TempDir()})
	filetest.Must(t, err)
	defer store.Close()
	p := &tape{}
	open := func(reg *registry.Registry) *agent.Agent {
		return newAgent(t, agent.Config{Model: p.model(t, openaichat.Dialect, "turns: [{text: ok}]"), System: "Base.", Registry: reg, Store: store,
			Compaction: agent.Compaction{Keep: 1, Summary: agent.Alternative{Model: script(t, "turns: [{text: short}]"), Name: "s"}}})
	}
	a := open(reg)
	told := func(want int, last string) {
		t.Helper()
		turn(t, a, "s", "go "+strings.Repeat("on ", 20))
		body := p.bodies[len(p.bodies)-1]
		if got := strings.Count(body, "[context: changed:notes"); got != want || !strings.Contains(body, last) {
			t.Errorf("%d notices, want %d, with %q:\n%s", got, want, last, body)
		}
	}
	compact := func() {
		t.Helper()
		events, err := a.Compact(t.Context(), "s")
		if filetest.Must(t, err); kinds(events) != "compacted" {
			t.Fatalf("got %s", kinds(events))
		}
	}
	for n = range 9 {
		told(n, "A line that stays.")
	}
	compact()
	told(1, `[context: changed:notes]\nChanged; what it says now holds:\n@@ -22 +22,8 @@\n+- note 0\n`)
	n++
	told(2, `[context: changed:notes (2)]\nChanged; what it says now holds:\n@@ -30 +30 @@\n+- note 8\n`)
	compact()
	n++ // before the next request
	told(1, "note 9")
	a.Close()
	a = open(reg)
	told(1, "note 9")
	compact()
	n = 0
	told(0, "A line that stays.")
	told(0, "A line that stays.")
	n = 1
	told(1, `[context: changed:notes]\nChanged`)
	replays(t, a, "s", p.bodies)
}
