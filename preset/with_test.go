package preset_test

import (
	"strings"
	"testing"

	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/prompt"
)

// Transformers stand behind all else, by order, unless the model has places for
// them.
func TestWith(t *testing.T) {
	s := func(name string) prompt.Stage { return prompt.Stage{Name: name} }
	names := func(stages []prompt.Stage) string {
		var out []string
		for _, s := range stages {
			out = append(out, s.Name)
		}
		return strings.Join(out, " ")
	}
	hosts := []preset.Transformer{{Order: 1, Stage: s("a")}, {Order: 2, Stage: s("b")}, {Order: 1, Stage: s("c")}}
	p := preset.Preset{Stages: func([]string) []prompt.Stage { return []prompt.Stage{s("own")} }}
	diff(t, "behind", names(p.With(nil, hosts, s("more"))), "own more b a c")
	diff(t, "as given", hosts[0].Stage.Name, "a")
	p.Transform = func(_ []string, hosts []preset.Transformer) []prompt.Stage {
		return []prompt.Stage{hosts[0].Stage, s("own")}
	}
	diff(t, "among", names(p.With(nil, hosts, s("more"))), "a own more")
	diff(t, "without any", names(p.With(nil, nil, s("more"))), "own more")
}
