package registry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source"
)

func diff(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

func text(name, s string) prompt.SectionDef {
	return prompt.SectionDef{Name: name, Body: prompt.Body{Literal: s}}
}

// ok returns the registration, which must have been accepted.
func ok(t testing.TB) func(*registry.Registration, error) *registry.Registration {
	return func(g *registry.Registration, err error) *registry.Registration {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
}

// sections lists what a scope's lineage sees.
func sections(t testing.TB, r *registry.Registry, scope string) string {
	t.Helper()
	a, err := prompt.Resolve(r.Snapshot(), prompt.Input{Lineage: r.Lineage(scope)})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range a.Sections {
		out = append(out, s.Name+"="+s.Text.String())
	}
	return strings.Join(out, " ")
}

func TestDisposers(t *testing.T) {
	r := registry.New()
	must := ok(t)
	a := must(r.Global().Section(text("a", "1")))
	b := must(r.Global().Section(text("b", "2")))
	must(r.Global().Section(text("c", "3")))
	before := r.Snapshot()
	b.Dispose()
	diff(t, "after disposing b", sections(t, r, ""), "a=1 c=3")
	b.Dispose()
	diff(t, "version after two calls", r.Snapshot().Version(), uint64(4))
	b = must(r.Global().Section(text("b", "4")))
	a.Dispose()
	diff(t, "after a new b", sections(t, r, ""), "b=4 c=3")
	b.Dispose()
	diff(t, "the old snapshot", before.Version(), uint64(3))
	l, _ := before.Layer("")
	diff(t, "the old layer", []string{l.Sections[0].Body.Literal, l.Sections[1].Body.Literal, l.Sections[2].Body.Literal}, []string{"1", "2", "3"})
}

// A layer appears with its first registration and vanishes with its last, of
// whatever kind.
func TestLayersComeAndGo(t *testing.T) {
	must := ok(t)
	kinds := map[string]func(*registry.Scope) (*registry.Registration, error){
		"section":          func(s *registry.Scope) (*registry.Registration, error) { return s.Section(text("a", "")) },
		"dynamic":          func(s *registry.Scope) (*registry.Registration, error) { return s.Dynamic(text("a", ""), source.None) },
		"variable":         func(s *registry.Scope) (*registry.Registration, error) { return s.Variable("a", "") },
		"dynamic variable": func(s *registry.Scope) (*registry.Registration, error) { return s.DynamicVariable("a", source.None) },
		"tools":            func(s *registry.Scope) (*registry.Registration, error) { return s.Tools(prompt.ToolDef{}) },
		"dynamic tools":    func(s *registry.Scope) (*registry.Registration, error) { return s.DynamicTools(source.None) },
		"mute":             func(s *registry.Scope) (*registry.Registration, error) { return s.Mute(prompt.Context) },
	}
	for name, add := range kinds {
		r := registry.New()
		diff(t, name+": at first", r.Snapshot().Scopes(), []string{})
		one, two := must(add(r.Scope("x"))), must(r.Scope("x").Mute(prompt.System))
		diff(t, name+": registered", r.Snapshot().Scopes(), []string{"x"})
		one.Dispose()
		diff(t, name+": one is left", r.Snapshot().Scopes(), []string{"x"})
		two.Dispose()
		diff(t, name+": none is left", r.Snapshot().Scopes(), []string{})
		if needs := prompt.Needs(r.Snapshot(), []string{"x"}); len(needs) > 0 {
			t.Errorf("%s: still needs %v", name, needs)
		}
	}
}

// Sources live as long as the registrations that brought them.
func TestSourcesVanish(t *testing.T) {
	r := registry.New()
	must := ok(t)
	s := r.Scope("x")
	gs := []*registry.Registration{
		must(s.Dynamic(text("a", "ignored"), source.Text("A"))),
		must(s.DynamicVariable("v", source.Text("V"))),
		must(s.DynamicTools(source.None)), must(s.DynamicTools(source.None)),
	}
	view := r.View()
	needs := prompt.Needs(view.Snapshot, []string{"x"})
	diff(t, "needs", needs, []string{"x/system/a", "x/tools/3", "x/tools/4", "x/variable/v"})
	for _, n := range needs {
		if _, ok := view.Source(n); !ok {
			t.Errorf("%s has no source", n)
		}
	}
	for _, g := range gs {
		g.Dispose()
	}
	for _, n := range needs {
		if _, ok := r.View().Source(n); ok {
			t.Errorf("%s still has a source", n)
		}
		if _, ok := view.Source(n); !ok {
			t.Errorf("the older view lost the source of %s", n)
		}
	}
}

func TestRefused(t *testing.T) {
	r := registry.New()
	must := ok(t)
	must(r.Global().Section(text("a", "1")))
	must(r.Global().Variable("v", "1"))
	told := 0
	r.OnChange(func() error { told++; return nil })
	before := r.View()
	order := text("x", "")
	order.Order = 1
	order.Order /= order.Order - 1
	context := text("a", "")
	context.Channel = prompt.Channels
	for name, add := range map[string]func() (*registry.Registration, error){
		"order":              func() (*registry.Registration, error) { return r.Global().Section(order) },
		"channel":            func() (*registry.Registration, error) { return r.Global().Section(context) },
		"duplicate":          func() (*registry.Registration, error) { return r.Global().Section(text("a", "2")) },
		"dynamic duplicate":  func() (*registry.Registration, error) { return r.Global().Dynamic(text("a", ""), source.None) },
		"variable name":      func() (*registry.Registration, error) { return r.Global().Variable("V", "") },
		"duplicate variable": func() (*registry.Registration, error) { return r.Global().DynamicVariable("v", source.None) },
		"mute":               func() (*registry.Registration, error) { return r.Global().Mute(prompt.Channels) },
		"in a new scope":     func() (*registry.Registration, error) { return r.Scope("new").Variable("1", "") },
	} {
		if g, err := add(); err == nil || g != nil {
			t.Errorf("%s was accepted", name)
		}
	}
	after := r.View()
	diff(t, "notifications", told, 0)
	if after.Snapshot != before.Snapshot {
		t.Error("a refused registration changed the snapshot")
	}
	// Names are free in another layer, channel or kind.
	context.Channel = prompt.Context
	must(r.Global().Section(context))
	must(r.Scope("x").Section(text("a", "")))
	must(r.Global().Variable("a", ""))
	must(r.Global().Section(prompt.SectionDef{}))
}

func TestBind(t *testing.T) {
	r := registry.New()
	must := ok(t)
	must(r.Scope("team").Section(text("t", "team")))
	must(r.Scope("dept").Section(text("d", "dept")))
	must(r.Scope("agent").Section(text("a", "agent")))
	diff(t, "unbound", sections(t, r, "agent"), "a=agent")
	version := r.Snapshot().Version()
	b, err := r.Bind("agent", "team")
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "version", r.Snapshot().Version(), version)
	diff(t, "bound", sections(t, r, "agent"), "a=agent t=team")
	up, err := r.Bind("team", "dept")
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "lineage", r.Lineage("agent"), []string{"agent", "team", "dept"})
	for _, tt := range []struct {
		name string
		err  error
		want error
	}{
		{"again", second(r.Bind("agent", "dept")), registry.ErrBound},
		{"self", second(r.Bind("x", "x")), registry.ErrCycle},
		{"cycle of three", second(r.Bind("dept", "agent")), registry.ErrCycle},
		{"rebind to self", b.Rebind("agent"), registry.ErrCycle},
		{"rebind to a descendant", up.Rebind("agent"), registry.ErrCycle},
	} {
		if !errors.Is(tt.err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, tt.err, tt.want)
		}
	}
	if second(r.Bind("", "x")) == nil || second(r.Bind("x", "")) == nil || b.Rebind("") == nil {
		t.Error("the global layer was linked")
	}
	diff(t, "after what was refused", r.Lineage("agent"), []string{"agent", "team", "dept"})
	if err := b.Rebind("dept"); err != nil {
		t.Error(err)
	}
	diff(t, "rebound", sections(t, r, "agent"), "a=agent d=dept")
	b.Release()
	b.Release()
	diff(t, "released", r.Lineage("agent"), []string{"agent"})
	if b.Rebind("team") == nil {
		t.Error("a released binding was used")
	}
	again, err := r.Bind("agent", "team")
	if err != nil {
		t.Fatal(err)
	}
	b.Release()
	diff(t, "the old binding cannot release the new one", r.Lineage("agent"), []string{"agent", "team", "dept"})
	again.Release()
	diff(t, "global", r.Lineage(""), []string{})
}

func second[T any](_ T, err error) error { return err }

func TestDisposedScope(t *testing.T) {
	r := registry.New()
	must := ok(t)
	s, other := r.Scope("x"), r.Scope("x")
	must(s.Section(text("a", "1")))
	must(other.Section(text("b", "2")))
	must(s.Mute(prompt.Context))
	s.Dispose()
	diff(t, "what another handle registered stays", sections(t, r, "x"), "b=2")
	for _, err := range []error{second(s.Section(text("c", ""))), second(s.Variable("v", "")), second(s.DynamicTools(source.None))} {
		if !errors.Is(err, registry.ErrDisposed) {
			t.Errorf("got %v", err)
		}
	}
	version := r.Snapshot().Version()
	s.Dispose()
	diff(t, "version", r.Snapshot().Version(), version)
	must(r.Global().Section(text("g", "3")))
	r.Global().Dispose()
	must(r.Global().Variable("v", ""))
	diff(t, "global", sections(t, r, "")+" "+s.Key(), "g=3 x")
}

// Nobody's fact has the name of another one's, whatever scopes, channels and
// sections are called.
func TestFactNamesNeverCollide(t *testing.T) {
	r := registry.New()
	must := ok(t)
	words := []string{"", "a", "a/b", "a%2Fb", "a%b", "/", "%", "%2F", "system", "system/a", "variable", "system/variable", "variable/a", "context/a", "a/system/b", "tools", "tools/1"}
	want := map[string]string{}
	add := func(key string, register func(src source.Source) (*registry.Registration, error)) {
		must(register(source.Text(key)))
		want[key] = ""
	}
	for _, scope := range words {
		for _, name := range words {
			for _, ch := range []prompt.Channel{prompt.System, prompt.Context} {
				add(fmt.Sprintf("%q %v %q", scope, ch, name), func(src source.Source) (*registry.Registration, error) {
					return r.Scope(scope).Dynamic(prompt.SectionDef{Name: name, Channel: ch}, src)
				})
			}
		}
		for _, name := range []string{"a", "b"} {
			add(fmt.Sprintf("%q variable %q", scope, name), func(src source.Source) (*registry.Registration, error) {
				return r.Scope(scope).DynamicVariable(name, src)
			})
		}
		add(fmt.Sprintf("%q tools", scope), r.Scope(scope).DynamicTools)
	}
	view := r.View()
	found := map[string]string{}
	for _, scope := range words {
		for _, n := range prompt.Needs(view.Snapshot, []string{scope}) {
			src, ok := view.Source(n)
			if !ok {
				t.Fatalf("%s has no source", n)
			}
			f, _ := src.Read(context.Background(), source.Query{})
			if old := found[f.Text]; old != "" && old != n {
				t.Errorf("%s has two facts: %s and %s", f.Text, old, n)
			}
			found[f.Text] = n
		}
	}
	for key := range want {
		if found[key] == "" {
			t.Errorf("the source of %s was lost to another one of the same fact", key)
		}
	}
}

// Everything at once, with snapshots taken meanwhile; for the race detector.
func TestConcurrentUse(t *testing.T) {
	r := registry.New()
	changed, stop := r.Changes()
	defer stop()
	var pending sync.WaitGroup
	for w := range 8 {
		pending.Go(func() {
			key := fmt.Sprint("s", w%3)
			for i := range 60 {
				s := r.Scope(key)
				name := fmt.Sprintf("n%d_%d", w, i)
				g, err := s.Section(text(name, "x"))
				if err != nil {
					t.Error(err)
					return
				}
				remove := r.OnChange(func() error { return nil })
				if _, err := s.DynamicVariable(name, source.Text("v")); err != nil {
					t.Error(err)
				}
				if _, err := s.Tools(prompt.ToolDef{Specs: []chat.ToolSpec{{Name: name}}}); err != nil {
					t.Error(err)
				}
				v := r.View()
				facts := source.Gather(context.Background(), prompt.Needs(v.Snapshot, []string{key}), v, source.Query{}, 0, nil)
				if _, err := prompt.Resolve(v.Snapshot, prompt.Input{Lineage: []string{key}, Facts: facts}); err != nil {
					t.Error(err)
				}
				if b, err := r.Bind(name, key); err != nil {
					t.Error(err)
				} else {
					r.Lineage(name)
					b.Release()
				}
				remove()
				g.Dispose()
				s.Dispose()
			}
		})
	}
	pending.Wait()
	<-changed
	diff(t, "scopes", r.Snapshot().Scopes(), []string{})
	diff(t, "version", r.Snapshot().Version(), uint64(8*60*6))
}

// A registration without a source could never have a value.
func TestNilSource(t *testing.T) {
	r := registry.New()
	s := r.Scope("x")
	for name, register := range map[string]func() (*registry.Registration, error){
		"section":  func() (*registry.Registration, error) { return s.Dynamic(text("a", ""), nil) },
		"variable": func() (*registry.Registration, error) { return s.DynamicVariable("v", nil) },
		"tools":    func() (*registry.Registration, error) { return s.DynamicTools(nil) },
	} {
		if g, err := register(); g != nil || err == nil || !strings.Contains(err.Error(), "its source is nil") {
			t.Errorf("%s: got %v, %v", name, g, err)
		}
	}
	diff(t, "version", r.Snapshot().Version(), uint64(0))
}
