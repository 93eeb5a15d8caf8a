package deepseek_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
)

// One call is: assemble with all stages, render the prompt, render the snapshot.
//
//	cold       nothing is kept but the registry and what its snapshot derives from
//	           itself; the texts are appended to the caller's buffers
//	unchanged  the same snapshot and the same facts as in the call before
//	onefact    the text of the first dynamic section differs, at equal length,
//	           from what it was when the same scope was last asked for; the texts
//	           are returned as strings
//	gather     reading the facts again when none changed
//	copy       the floor: copying prompt and snapshot into a buffer
//	alloc+copy the floor: the same into new memory
func BenchmarkLayered(b *testing.B) {
	for _, name := range []string{"a", "b"} {
		b.Run(name, func(b *testing.B) {
			benchLayered(b, readVectors(b, "testdata/bench/layered-"+name+".json")[0], 1)
		})
	}
	b.Run("scopes", func(b *testing.B) {
		benchLayered(b, manyScopes(readVectors(b, "testdata/bench/layered-a.json")[0], 1000), 1000)
	})
}

// manyScopes gives the parent of the vector's scope n children, each with the
// registrations of the first.
func manyScopes(v vector, n int) vector {
	last := v.Layers[len(v.Layers)-1]
	v.Layers = v.Layers[:len(v.Layers)-1]
	for i := range n {
		l := last
		key := fmt.Sprintf("agent-%d", i)
		l.Scope = &key
		v.Layers = append(v.Layers, l)
	}
	v.Assemble.Scope = "agent-0"
	return v
}

// A caller asks for one scope again and again.
type caller struct {
	composer *deepseek.Composer
	scope    string
	facts    *prompt.Facts
	other    *prompt.Facts // differs from facts in one; only made where it is used
	n        int
}

func benchLayered(b *testing.B, v vector, scopes int) {
	w, failed := setUp(v)
	if failed != nil {
		b.Fatal(failed)
	}
	if got := w.preset.Registry.Snapshot(); len(got.Scopes()) == 0 {
		b.Fatal("empty registry")
	}
	callers := make([]*caller, scopes)
	for i := range callers {
		scope := v.Assemble.Scope
		if scopes > 1 {
			scope = fmt.Sprintf("agent-%d", i)
		}
		callers[i] = newCaller(w, scope)
	}
	var system, snapshot []byte
	at := 0
	next := func() *caller {
		at++
		if at >= len(callers) {
			at = 0
		}
		return callers[at]
	}
	compose := func(b *testing.B, c *caller, f *prompt.Facts) *prompt.Composed {
		out, err := c.composer.Compose(f)
		if err != nil {
			b.Fatal(err)
		}
		return out
	}
	if out := compose(b, callers[0], callers[0].facts); v.Expected.Prompt != nil && out.Text(prompt.System) != *v.Expected.Prompt {
		b.Fatal("the prompt is not the recorded one")
	}

	b.Run("cold", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c := next()
			out := compose(b, c, c.facts)
			system = out.Assembly.AppendText(system[:0], prompt.System)
			snapshot = out.Assembly.AppendText(snapshot[:0], prompt.Context)
			c.composer.Forget() // nothing of one call is there at the next
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		for _, c := range callers {
			out := compose(b, c, c.facts)
			out.Text(prompt.System)
			out.Text(prompt.Context)
		}
		b.ReportAllocs()
		for b.Loop() {
			c := next()
			out := compose(b, c, c.facts)
			sink = out.Text(prompt.System)
			sink = out.Text(prompt.Context)
		}
	})
	b.Run("onefact", func(b *testing.B) {
		for _, c := range callers {
			c.other = oneChanged(b, w, c)
			compose(b, c, c.facts).Text(prompt.System)
			compose(b, c, c.facts).Text(prompt.Context)
		}
		b.ReportAllocs()
		for b.Loop() {
			c := next()
			c.n++
			f := c.facts
			if c.n%2 == 1 {
				f = c.other
			}
			out := compose(b, c, f)
			sink = out.Text(prompt.System)
			sink = out.Text(prompt.Context)
		}
	})
	b.Run("gather", func(b *testing.B) {
		b.ReportAllocs()
		view := w.preset.Registry.View()
		in := w.preset.Input(v.Assemble.Scope, nil)
		needs := prompt.Needs(view.Snapshot, in.Lineage)
		q := source.Query{Lineage: in.Lineage}
		facts := source.Gather(context.Background(), needs, view, q, 0, nil)
		for b.Loop() {
			if source.Gather(context.Background(), needs, view, q, 0, facts) != facts {
				b.Fatal("unchanged facts were not recognised")
			}
		}
	})
	out := compose(b, callers[0], callers[0].facts)
	text, short := out.Text(prompt.System), out.Text(prompt.Context)
	b.Run("copy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			system = append(system[:0], text...)
			snapshot = append(snapshot[:0], short...)
		}
	})
	b.Run("alloc+copy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sink = strings.Clone(text)
			sink = strings.Clone(short)
		}
	})
}

var sink string

func newCaller(w *world, scope string) *caller {
	view := w.preset.Registry.View()
	lineage := w.preset.Registry.Lineage(scope)
	needs := view.Snapshot.Plan(lineage, deepseek.Ties).Needs()
	return &caller{composer: w.preset.Composer(scope), scope: scope,
		facts: source.Gather(context.Background(), needs, view, source.Query{Lineage: lineage}, 0, nil)}
}

// oneChanged returns the caller's facts with another text, of equal length, for
// the first section of the prompt whose text is a fact.
func oneChanged(b *testing.B, w *world, c *caller) *prompt.Facts {
	a, err := prompt.Resolve(w.preset.Registry.Snapshot(), w.preset.Input(c.scope, c.facts))
	if err != nil {
		b.Fatal(err)
	}
	needs := c.facts.Names()
	read := make([]prompt.Fact, len(needs))
	for i, n := range needs {
		read[i], _ = c.facts.Get(n)
	}
	for _, s := range a.Sections {
		if i := slices.Index(needs, s.From.Source); i >= 0 {
			text := read[i].Text
			read[i].Text = strings.ToUpper(text[:8]) + text[8:]
			return c.facts.Next(needs, read)
		}
	}
	b.Fatal("no dynamic section")
	return nil
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestScopeHeap measures what a scope costs besides its own texts.
func TestScopeHeap(t *testing.T) {
	base := readVectors(t, "testdata/bench/layered-a.json")[0]
	const n = 1000
	texts := 0
	for _, s := range base.Layers[len(base.Layers)-1].Sections {
		if x, ok := text(s.Text); ok {
			texts += len(x)
		}
	}
	heap := func(scopes int) uint64 {
		w, failed := setUp(manyScopes(base, scopes))
		if failed != nil {
			t.Fatal(failed)
		}
		w.preset.Registry.View()
		used := heapInUse()
		w.preset.Registry.View() // keep w alive
		return used
	}
	small, large := heap(1), heap(n+1)
	per := int(large-small)/n - texts
	t.Logf("%d bytes of heap a scope, besides %d bytes of text", per, texts)
	if per > 2048 {
		t.Errorf("a scope costs %d bytes of heap besides its texts, want at most 2048", per)
	}
}
