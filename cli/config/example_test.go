package config_test

import (
	"fmt"

	"github.com/proemhq/proem/cli/config"
)

func ExampleLoad() {
	c, _, err := config.Load(config.Options{
		Environ: []string{"PROEM_STEPS_MAX=20"},
		Set:     []string{"sampling.temperature=0", "variables.role=reviewer"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Steps.Max, c.Origin("steps.max").Layer)
	fmt.Println(*c.Sampling.Temperature, c.Origin("sampling.temperature").Layer)
	fmt.Println(c.Project.MaxBytes, c.Origin("project.max_bytes").Layer)

	_, _, err = config.Load(config.Options{Set: []string{"project.max_byte=1"}})
	fmt.Println(err)
	// Output:
	// 20 environment
	// 0 set
	// 32768 default
	// --set:1:1: project.max_byte: unknown key; did you mean project.max_bytes?
}

func ExampleFile_Pick() {
	f := config.File{Path: "/w/any.md", Models: []config.Model{{Glob: "gpt-5*", Path: "/w/gpt5.md"}, {Glob: "gpt-5-mini", Path: "/w/mini.md"}}}
	fmt.Println(f.Pick("openai:gpt-5.1"), f.Pick("openai:gpt-5-mini"), f.Pick("anthropic:m"))
	// Output: /w/gpt5.md /w/mini.md /w/any.md
}

func ExampleKeys() {
	for _, k := range config.Keys() {
		if k.UserOnly && k.Values == nil {
			fmt.Println(k.Name, k.Type, k.Meaning)
		}
	}
	// Output:
	// providers map endpoints, by the name before the colon of a model
	// providers.*.base_url string the endpoint, an http or https URL
	// providers.*.headers pairs further headers of a request
	// providers.*.key_env string the environment variable that holds the key
}
