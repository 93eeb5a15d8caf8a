package prompt_test

import (
	"fmt"
	"testing"

	"github.com/proemhq/proem/prompt"
)

func TestSnapshotPersistence(t *testing.T) {
	var empty prompt.Snapshot
	layer := prompt.Layer{Scope: "a", Sections: []prompt.SectionDef{literal("x", 0, "one")}}
	one := empty.With(1, layer)
	layer.Sections = append(layer.Sections, literal("y", 1, "two"))
	two := one.With(2, layer)
	three := two.With(3, prompt.Layer{Scope: "b", Mutes: []prompt.Channel{prompt.Context}})
	gone := three.With(4, prompt.Layer{Scope: "a"})
	var got []string
	for _, s := range []prompt.Snapshot{empty, one, two, three, gone} {
		got = append(got, fmt.Sprint(s.Version(), s.Scopes(), shape(resolve(t, s, prompt.Input{Lineage: []string{"a"}}))))
	}
	diff(t, "snapshots", got, []string{
		`0 [] []`, `1 [a] [system x: "one"]`, `2 [a] [system x: "one" system y: "two"]`,
		`3 [a b] [system x: "one" system y: "two"]`, `4 [b] []`,
	})
	if _, ok := gone.Layer("a"); ok {
		t.Error("a layer without registrations exists")
	}
	l, ok := three.Layer("a")
	if !ok || len(l.Sections) != 2 {
		t.Errorf("got layer %+v", l)
	}
	// A layer that did not change is shared, with all that was derived from it.
	a, b := resolve(t, two, prompt.Input{Lineage: []string{"a"}}), resolve(t, three, prompt.Input{Lineage: []string{"a"}})
	if a.Sections[0].From != b.Sections[0].From || &a.Sections[0].Text[0] != &b.Sections[0].Text[0] {
		t.Error("an unchanged layer was copied")
	}
}

// A plan outlives registrations that its lineage does not see.
func TestComposerKeepsItsPlan(t *testing.T) {
	s := snapshot(t, prompt.Layer{Sections: []prompt.SectionDef{literal("a", 0, "a")}})
	c := prompt.NewComposer()
	plan := c.Plan(s, []string{"x"}, prompt.Ties{})
	other := s.With(2, prompt.Layer{Scope: "y", Mutes: []prompt.Channel{prompt.Context}})
	if c.Plan(other, []string{"x"}, prompt.Ties{}) != plan {
		t.Error("a registration elsewhere made a new plan")
	}
	mine := other.With(3, prompt.Layer{Scope: "x", Mutes: []prompt.Channel{prompt.Context}})
	if c.Plan(mine, []string{"x"}, prompt.Ties{}) == plan {
		t.Error("a registration in the lineage is not seen")
	}
	if c.Plan(mine, []string{"x"}, prompt.Ties{KeepTools: true}) == plan || c.Plan(mine, nil, prompt.Ties{}) == plan {
		t.Error("other ties or another lineage need another plan")
	}
}
