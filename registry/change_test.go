package registry_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source"
)

// S24: n registrations and m disposals are n+m notifications, at once; what was
// refused is none. Versions count the same.
func TestChanges(t *testing.T) {
	r := registry.New()
	must := ok(t)
	var versions []uint64
	remove := r.OnChange(func() error {
		versions = append(versions, r.Snapshot().Version())
		return nil
	})
	g := must(r.Global().Section(text("a", "")))
	must(r.Global().Variable("v", ""))
	if _, err := r.Global().Section(text("a", "")); err == nil {
		t.Error("a duplicate was accepted")
	}
	diff(t, "after two", versions, []uint64{1, 2})
	g.Dispose()
	g.Dispose()
	s := r.Scope("x")
	must(s.Tools(prompt.ToolDef{}))
	must(s.Mute(prompt.Context))
	must(s.Dynamic(text("d", ""), source.None))
	diff(t, "before the scope goes", versions, []uint64{1, 2, 3, 4, 5, 6})
	s.Dispose()
	s.Dispose()
	diff(t, "a scope of three", versions, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9})
	remove()
	remove()
	must(r.Global().Variable("w", ""))
	diff(t, "nobody listens", len(versions), 9)
}

func TestListenersInOrder(t *testing.T) {
	r := registry.New()
	var got []string
	add := func(name string) func() {
		return r.OnChange(func() error { got = append(got, name); return nil })
	}
	add("one")
	two := add("two")
	add("three")
	ok(t)(r.Global().Variable("a", ""))
	two()
	ok(t)(r.Global().Variable("b", ""))
	diff(t, "calls", got, []string{"one", "two", "three", "one", "three"})
}

// A listener finds the registry in its new state and may use it.
func TestListenerReenters(t *testing.T) {
	r := registry.New()
	must := ok(t)
	depth := 0
	r.OnChange(func() error {
		if depth++; depth > 1 {
			return nil
		}
		if _, ok := r.View().Snapshot.Layer(""); !ok {
			t.Error("the registration is not in the snapshot yet")
		}
		r.OnChange(func() error { return nil })
		must(r.Scope("x").Variable("nested", "")).Dispose()
		if _, err := r.Bind("x", "y"); err != nil {
			t.Error(err)
		}
		return nil
	})
	must(r.Global().Variable("v", ""))
	diff(t, "calls", depth, 3)
}

// A listener that refuses takes the registration back, which is told as well.
func TestListenerRefuses(t *testing.T) {
	r := registry.New()
	first, later := errors.New("first"), errors.New("later")
	var seen []string
	refuse := true
	r.OnChange(func() error {
		_, ok := r.View().Source("x/system/a")
		seen = append(seen, fmt.Sprint(r.Snapshot().Version(), len(r.Snapshot().Scopes()), ok))
		if refuse {
			return first
		}
		return nil
	})
	calls := 0
	r.OnChange(func() error { calls++; return later })
	g, err := r.Scope("x").Dynamic(text("a", ""), source.None)
	if g != nil || !errors.Is(err, first) {
		t.Errorf("got %v, %v", g, err)
	}
	diff(t, "what the listener saw", seen, []string{"1 1 true", "2 0 false"})
	diff(t, "calls of the second", calls, 2)
	diff(t, "scopes", r.Snapshot().Scopes(), []string{})
	refuse = false
	if _, err := r.Global().Variable("v", ""); !errors.Is(err, later) {
		t.Errorf("got %v", err)
	}
	// At a disposal nobody is asked.
	r2 := registry.New()
	h := ok(t)(r2.Global().Variable("v", ""))
	r2.OnChange(func() error { return first })
	h.Dispose()
	diff(t, "disposed", r2.Snapshot().Scopes(), []string{})
	// The name is free again after a refusal.
	r3 := registry.New()
	remove := r3.OnChange(func() error { return first })
	r3.Global().Variable("v", "")
	remove()
	ok(t)(r3.Global().Variable("v", ""))
}

func TestChangesCoalesce(t *testing.T) {
	r := registry.New()
	must := ok(t)
	changed, stop := r.Changes()
	must(r.Global().Variable("a", "")).Dispose()
	must(r.Global().Variable("b", ""))
	<-changed
	select {
	case <-changed:
		t.Error("many changes are more than one value")
	default:
	}
	must(r.Global().Variable("c", ""))
	<-changed
	stop()
	must(r.Global().Variable("d", ""))
	select {
	case <-changed:
		t.Error("a value after stop")
	default:
	}
}
