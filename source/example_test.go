package source_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
)

func ExampleGather() {
	sources := finder{
		"branch": source.Text("main"),
		"user": source.Func(func(_ context.Context, q source.Query) (prompt.Fact, error) {
			return prompt.Fact{Text: q.Who.User}, nil
		}),
		"search": source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
			return prompt.Fact{}, errors.New("no connection")
		}),
	}
	needs := []string{"branch", "search", "user"} // as prompt.Needs returns them
	q := source.Query{Who: prompt.Who{User: "ada"}}
	facts := source.Gather(context.Background(), needs, sources, q, 0, nil)
	for _, name := range facts.Names() {
		f, _ := facts.Get(name)
		fmt.Printf("%s: %q %v\n", name, f.Text, f.Err)
	}
	again := source.Gather(context.Background(), needs, sources, q, 0, facts)
	fmt.Println("the same:", again == facts)
	// Output:
	// branch: "main" <nil>
	// search: "" no connection
	// user: "ada" <nil>
	// the same: true
}
