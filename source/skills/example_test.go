package skills_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/span"
)

func ExampleSet() {
	embedded := skills.NewFS(fstest.MapFS{
		"deploy/SKILL.md":     {Data: []byte("---\nname: deploy\ndescription: how to ship a build\n---\nFollow ref/steps.md.\n")},
		"deploy/ref/steps.md": {Data: []byte("1. Build.\n2. Ship.\n")},
	}, ".", "/embedded", span.Builtin)
	set := skills.New(skills.Config{Tiers: []skills.Tier{{Scope: "builtin", Repo: embedded}}, Tool: "load_skill"})
	ctx := context.Background()
	list, err := set.Read(ctx, source.Query{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(list.Text)
	got, err := set.Load(ctx, prompt.Who{}, "deploy")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q %q\n", got.Body, got.Files)
	_, err = set.Open(ctx, prompt.Who{}, "deploy", "../secret.md")
	fmt.Println(err)
	// Output:
	// ## Skills
	//
	// A skill says how to do one kind of task. Before a task that one of these is for, load it with load_skill and do as it says.
	//
	// - deploy: how to ship a build
	// "Follow ref/steps.md.\n" ["ref/steps.md"]
	// skill "deploy": "../secret.md": leads out of the skill; not read
}
