package stage_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

// A composer that reuses what did not change makes what Assemble makes.
func TestStagesUnderComposer(t *testing.T) {
	layer := prompt.Layer{Tools: []prompt.ToolDef{{Specs: tools("write", "read", "web")}}}
	for i := range 8 {
		layer.Sections = append(layer.Sections, prompt.SectionDef{Name: fmt.Sprint("s", i), Channel: prompt.Channel(i % 4), Class: prompt.Class(i % 3), Trust: span.Trust(i % 5),
			Order: float64(i), Priority: i % 3, Body: prompt.Body{Fact: fmt.Sprint("f", i)}})
	}
	snapshot, err := prompt.NewSnapshot(1, layer)
	if err != nil {
		t.Fatal(err)
	}
	local := []prompt.Stage{stage.ToolOrder([]string{"web", stage.Unlisted}), stage.Interpolate(stage.InterpolateConfig{}), stage.Heading(prompt.Context, "Now."), stage.Fence(stage.FenceConfig{})}
	all := append([]prompt.Stage{stage.Visibility(stage.VisibilityRule{Tool: "read"}), stage.MoveTurn(), stage.DropBlank()}, local...)
	all = append(all, stage.Budget(stage.BudgetConfig{Tokens: 400, Tools: true}))
	r := rand.New(rand.NewPCG(3, 4))
	for name, stages := range map[string][]prompt.Stage{"local": local, "all": all} {
		c := prompt.NewComposer(stages...)
		facts := map[string]prompt.Fact{}
		for round := range 300 {
			for i := range 8 {
				if round == 0 || r.IntN(5) == 0 {
					facts[fmt.Sprint("f", i)] = prompt.Fact{Text: []string{"", " ", "text", lines(r.IntN(20), "a line"), "<block 0123456789abcdef "}[r.IntN(5)]}
				}
			}
			in := prompt.Input{Facts: prompt.NewFacts(facts), Turn: 1, Step: round}
			got, err := c.Compose(snapshot, in)
			want, err2 := prompt.Assemble(snapshot, in, stages...)
			if err != nil || err2 != nil {
				t.Fatalf("%s, round %d: %v; %v", name, round, err, err2)
			}
			if d := cmp.Diff(got.Assembly, want, cmpopts.IgnoreUnexported(prompt.Section{}), cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("%s, round %d (-composed +assembled):\n%s", name, round, d)
			}
			for ch := range prompt.Channels {
				if got.Text(ch) != want.Render(ch) {
					t.Fatalf("%s, round %d, %s: got %q, want %q", name, round, ch, got.Text(ch), want.Render(ch))
				}
			}
		}
	}
}
