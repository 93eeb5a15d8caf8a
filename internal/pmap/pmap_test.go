package pmap_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/internal/pmap"
)

// Every version of a map keeps saying what a Go map said at its time.
func TestPersistence(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	type version struct {
		m    pmap.Map[int]
		want map[string]int
	}
	versions := []version{{want: map[string]int{}}}
	for i := range 4000 {
		v := versions[r.IntN(len(versions))] // any version may be built on
		key, want := fmt.Sprint("k", r.IntN(300)), maps.Clone(v.want)
		m := v.m
		if r.IntN(3) > 0 {
			m, want[key] = m.With(key, i), i
		} else {
			m = m.Without(key)
			delete(want, key)
		}
		if versions = append(versions, version{m, want}); len(versions) > 60 {
			versions = slices.Delete(versions, 1, 2)
		}
		check := versions[r.IntN(len(versions))]
		if got := check.m.Len(); got != len(check.want) {
			t.Fatalf("step %d: got %d keys, want %d", i, got, len(check.want))
		}
		if d := cmp.Diff(check.m.Keys(), slices.Sorted(maps.Keys(check.want))); d != "" && len(check.want) > 0 {
			t.Fatalf("step %d: keys (-got +want):\n%s", i, d)
		}
		probe := fmt.Sprint("k", r.IntN(300))
		got, ok := check.m.Get(probe)
		want2, ok2 := check.want[probe]
		if got != want2 || ok != ok2 {
			t.Fatalf("step %d: %s is %d, %v; want %d, %v", i, probe, got, ok, want2, ok2)
		}
	}
}

func TestZero(t *testing.T) {
	var m pmap.Map[string]
	if _, ok := m.Get(""); ok || m.Len() != 0 || m.Keys() != nil || m.Without("x") != m {
		t.Error("the zero map is not empty")
	}
	full := m.With("", "v")
	if v, ok := full.Get(""); !ok || v != "v" || full.Without("other") != full {
		t.Errorf("got %q, %v", v, ok)
	}
	if full.Without("").Len() != 0 {
		t.Error("the last key stays")
	}
}
