package prompttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/prompt"
)

const (
	allUpTo = 5   // up to so many registrations are tried in every order
	samples = 200 // so many orders are tried of more
)

// Shuffle registers what the layers hold in other orders and fails the test if
// the prompt differs. Up to five registrations are tried in every order; of
// more, the reverse and 200 orders that are the same in every run.
//
// Prompts that want the order of registration to decide, with Ties.ByPosition or
// Ties.KeepTools, differ rightly.
func Shuffle(t testing.TB, in prompt.Input, layers []prompt.Layer, stages ...prompt.Stage) {
	t.Helper()
	items := registrations(layers)
	want, err := assembled(in, layers, stages)
	if err != nil {
		t.Fatalf("prompttest: as registered: %v", err)
	}
	for order := range orders(len(items)) {
		got, err := assembled(in, rebuilt(items, order), stages)
		if err != nil {
			t.Errorf("prompttest: registered as %s: %v", named(items, order), err)
			return
		}
		if got != want {
			t.Errorf("prompttest: the prompt depends on the order of registration; registered as %s:\n%s", named(items, order), report(want, got))
			return
		}
	}
}

func assembled(in prompt.Input, layers []prompt.Layer, stages []prompt.Stage) (string, error) {
	s, err := prompt.NewSnapshot(1, layers...)
	if err != nil {
		return "", err
	}
	a, err := prompt.Assemble(s, in, stages...)
	if err != nil {
		return "", err
	}
	return Format(a), nil
}

// A registration adds one definition to the layer of a scope.
type registration struct {
	scope, name string
	add         func(*prompt.Layer)
}

func registrations(layers []prompt.Layer) (out []registration) {
	for _, l := range layers {
		for _, d := range l.Sections {
			out = append(out, registration{l.Scope, "section " + d.Name, func(l *prompt.Layer) { l.Sections = append(l.Sections, d) }})
		}
		for _, d := range l.Vars {
			out = append(out, registration{l.Scope, "variable " + d.Name, func(l *prompt.Layer) { l.Vars = append(l.Vars, d) }})
		}
		for _, d := range l.Tools {
			var names []string
			for _, s := range d.Specs {
				names = append(names, s.Name)
			}
			name := "tools " + strings.Join(append(names, d.Fact), " ")
			out = append(out, registration{l.Scope, strings.TrimSpace(name), func(l *prompt.Layer) { l.Tools = append(l.Tools, d) }})
		}
		for _, ch := range l.Mutes {
			out = append(out, registration{l.Scope, "mute " + ch.String(), func(l *prompt.Layer) { l.Mutes = append(l.Mutes, ch) }})
		}
	}
	return out
}

// rebuilt makes the registrations in the given order.
func rebuilt(items []registration, order []int) (out []prompt.Layer) {
	for _, i := range order {
		at := slices.IndexFunc(out, func(l prompt.Layer) bool { return l.Scope == items[i].scope })
		if at < 0 {
			at = len(out)
			out = append(out, prompt.Layer{Scope: items[i].scope})
		}
		items[i].add(&out[at])
	}
	return out
}

func named(items []registration, order []int) string {
	out := make([]string, len(order))
	for n, i := range order {
		out[n] = items[i].name
		if items[i].scope != "" {
			out[n] += fmt.Sprintf(" in %q", items[i].scope)
		}
	}
	return strings.Join(out, ", ")
}

// orders yields the orders of n things that are tried. The slice is the same
// each time.
func orders(n int) func(yield func([]int) bool) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return func(yield func([]int) bool) {
		if n <= allUpTo {
			permute(order, n, yield)
			return
		}
		slices.Reverse(order)
		r := rand.New(rand.NewPCG(uint64(n), 0))
		for range samples {
			if !yield(order) {
				return
			}
			r.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
	}
}

// permute yields every order of the first k things (Heap's algorithm).
func permute(order []int, k int, yield func([]int) bool) bool {
	if k <= 1 {
		return yield(order)
	}
	for i := range k {
		if !permute(order, k-1, yield) {
			return false
		}
		if i < k-1 {
			j := 0
			if k%2 == 0 {
				j = i
			}
			order[j], order[k-1] = order[k-1], order[j]
		}
	}
	return true
}
