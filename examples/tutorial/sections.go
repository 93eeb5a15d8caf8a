package main

import (
	"context"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/files"
)

// addRules registers the instruction file of the house, AGENTS.md in dir.
func addRules(reg *registry.Registry, dir string, machine *env.Env) error {
	_, err := reg.Global().Dynamic(prompt.SectionDef{
		Name: "rules", Order: standard.OrderInstructions, Class: prompt.Session, Source: "file",
	}, files.New(files.Config{Env: machine, Cwd: dir, Root: dir}))
	return err
}

// addOpening registers a section that says whether the house is open.
func addOpening(reg *registry.Registry, machine *env.Env) error {
	opening := func(context.Context, source.Query) (prompt.Fact, error) {
		if h := machine.Clock.Now().Hour(); h < 10 || h >= 22 {
			return prompt.Fact{Text: "The house is closed. It opens at 10:00."}, nil
		}
		return prompt.Fact{Text: "The house is open until 22:00."}, nil
	}
	_, err := reg.Global().Dynamic(prompt.SectionDef{
		Name: "opening", Channel: prompt.Context, Class: prompt.Turn, Source: "clock",
	}, source.Func(opening))
	return err
}
