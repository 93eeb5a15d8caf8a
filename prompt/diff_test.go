package prompt_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// assembly returns system sections written as "name=text".
func assembly(sections ...string) prompt.Assembly {
	var a prompt.Assembly
	for _, s := range sections {
		var name, text string
		fmt.Sscanf(s, "%1s=%s", &name, &text)
		a.Sections = append(a.Sections, prompt.Section{Name: name, Text: span.Of(text, nil)})
	}
	return a
}

func changes(a, b prompt.Assembly) []string {
	out := []string{}
	for _, c := range prompt.Diff(a, b) {
		out = append(out, fmt.Sprintf("%s %s %s %s: %q > %q", c.Kind, c.Channel, c.What, c.Name, c.Before, c.After))
	}
	return out
}

func TestDiff(t *testing.T) {
	context := assembly("x=1")
	context.Sections[0].Channel = prompt.Context
	tests := []struct {
		name string
		a, b prompt.Assembly
		want []string
	}{
		{"equal", assembly("a=1", "b=2"), assembly("a=1", "b=2"), nil},
		{"added", assembly("a=1"), assembly("a=1", "b=2"), []string{`added system section b: "" > "2"`}},
		{"removed", assembly("a=1", "b=2", "c=3"), assembly("a=1", "c=3"), []string{`removed system section b: "2" > ""`}},
		{"changed", assembly("a=1", "b=2"), assembly("a=1", "b=9"), []string{`changed system section b: "2" > "9"`}},
		{"moved", assembly("a=1", "b=2", "c=3"), assembly("c=3", "a=1", "b=2"), []string{`moved system section c: "3" > "3"`}},
		{"moved and changed", assembly("a=1", "b=2", "c=3"), assembly("c=9", "a=1", "b=2"),
			[]string{`moved system section c: "3" > "9"`, `changed system section c: "3" > "9"`}},
		{"two of one name", assembly("a=1", "a=2"), assembly("a=1"), []string{`removed system section a: "2" > ""`}},
		{"another channel", assembly("x=1"), context, []string{`removed system section x: "1" > ""`, `added context section x: "" > "1"`}},
		{"all at once", assembly("a=1", "b=2", "c=3"), assembly("n=0", "c=3", "b=5"), []string{
			`added system section n: "" > "0"`, `removed system section a: "1" > ""`, `moved system section c: "3" > "3"`, `changed system section b: "2" > "5"`}},
	}
	for _, tt := range tests {
		got := changes(tt.a, tt.b)
		slices.Sort(got)
		slices.Sort(tt.want)
		diff(t, tt.name, got, tt.want)
	}

	a := prompt.Assembly{Tools: []chat.ToolSpec{{Name: "t", Description: "d", Parameters: []byte("{}")}}, Vars: []prompt.Var{{Name: "v", Value: "1"}, {Name: "w", None: true}}}
	b := prompt.Assembly{Tools: []chat.ToolSpec{{Name: "t", Description: "d", Parameters: []byte(`{"a":1}`)}}, Vars: []prompt.Var{{Name: "v", None: true}, {Name: "w", None: true}}}
	diff(t, "tools and variables", changes(a, b), []string{`changed system tool t: "d\n{}" > "d\n{\"a\":1}"`, `changed system variable v: "1" > "(no value)"`})
}

// Applied to a, the changes give b: the names that are left and those that came.
func TestDiffAddsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		random := func() prompt.Assembly {
			var s []string
			for range r.IntN(6) {
				s = append(s, fmt.Sprintf("%c=%d", 'a'+rune(r.IntN(5)), r.IntN(2)))
			}
			return assembly(s...)
		}
		a, b := random(), random()
		count := map[string]int{}
		for _, s := range a.Sections {
			count[s.Name]++
		}
		got := prompt.Diff(a, b)
		for _, c := range got {
			switch c.Kind {
			case prompt.Added:
				count[c.Name]++
			case prompt.Removed:
				count[c.Name]--
			}
		}
		for _, s := range b.Sections {
			count[s.Name]--
		}
		for name, n := range count {
			if n != 0 {
				t.Fatalf("%s is off by %d: %v to %v: %v", name, n, shape(a), shape(b), got)
			}
		}
		if same := slices.Equal(shape(a), shape(b)); same != (len(got) == 0) {
			t.Fatalf("%v to %v: %v", shape(a), shape(b), got)
		}
	}
}
