package prompt_test

import (
	"fmt"
	"log"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/stage"
)

// A base prompt for everybody, a replacement of one section for one agent, and a
// fact.
func example() (prompt.Snapshot, prompt.Input) {
	s, err := prompt.NewSnapshot(1,
		prompt.Layer{
			Sections: []prompt.SectionDef{
				{Name: "base", Order: 100, Body: prompt.Body{Literal: "You write {{language}}.", Template: true}},
				{Name: "style", Order: 200, Body: prompt.Body{Literal: "Write as you like."}},
				{Name: "date", Channel: prompt.Context, Class: prompt.Turn, Body: prompt.Body{Fact: "clock"}},
			},
			Vars: []prompt.VarDef{{Name: "language", Body: prompt.Body{Literal: "Go"}}},
		},
		prompt.Layer{
			Scope:    "reviewer",
			Sections: []prompt.SectionDef{{Name: "style", Order: 200, Body: prompt.Body{Literal: "Find faults; mend nothing."}}},
		})
	if err != nil {
		log.Fatal(err)
	}
	return s, prompt.Input{
		Lineage: []string{"reviewer"},
		Facts:   prompt.NewFacts(map[string]prompt.Fact{"clock": {Text: "It is Friday."}}),
	}
}

func ExampleAssemble() {
	snapshot, in := example()
	a, err := prompt.Assemble(snapshot, in, stage.Interpolate(stage.InterpolateConfig{}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Render(prompt.System))
	fmt.Println("context:", a.Render(prompt.Context))
	for _, n := range a.Notes {
		fmt.Printf("note: %s: %s\n", n.Name, n.Reason)
	}
	// Output:
	// You write Go.
	//
	// Find faults; mend nothing.
	// context: It is Friday.
	// note: style: shadowed by the section of scope "reviewer"
}

func ExampleTrace() {
	snapshot, in := example()
	frames, err := prompt.Trace(snapshot, in, stage.Interpolate(stage.InterpolateConfig{}), stage.DropBlank())
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range frames {
		fmt.Printf("%-12s %s\n", f.Stage, f.Assembly.Sections[0].Text.String())
	}
	// Output:
	// resolve      You write {{language}}.
	// interpolate  You write Go.
	// drop-blank   You write Go.
}

func ExampleNeeds() {
	snapshot, in := example()
	fmt.Println(prompt.Needs(snapshot, in.Lineage))
	// Output: [clock]
}

func ExampleDiff() {
	snapshot, in := example()
	a, err := prompt.Assemble(snapshot, prompt.Input{Facts: in.Facts})
	if err != nil {
		log.Fatal(err)
	}
	b, err := prompt.Assemble(snapshot, in)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range prompt.Diff(a, b) {
		fmt.Printf("%s %s %q: %s > %s\n", c.Kind, c.What, c.Name, c.Before, c.After)
	}
	// Output: changed section "style": Write as you like. > Find faults; mend nothing.
}
