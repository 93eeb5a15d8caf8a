// Package scenario plays a run that is written down as data with a real agent, to
// see what a composition model makes of it: which bodies it sends, and what a
// provider's cache would find of them.
//
// A [Scenario] says how long a run is, of what size its texts are and which of
// them change at which step. A [Design] says where a composition model puts each
// of them. [Compare] runs the agent once for each design and protocol, with a
// model that plays a script, and hands the bodies to package cache:
//
//	s := scenario.Default()
//	reports, bound, err := scenario.Compare(ctx, s, scenario.Designs(), token.Estimate.Count)
//	reports[0].Retained // 1: no request moved what was sent before
//
// The texts are made of short words, so they have the size that is asked for with
// every counter. Equal scenarios give equal bytes.
package scenario

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// A Scenario is a run.
type Scenario struct {
	Name   string `yaml:"name"`
	Steps  int    `yaml:"steps"`  // requests
	Turns  int    `yaml:"turns"`  // of the user; Steps is a multiple
	Input  int    `yaml:"input"`  // tokens of what the user writes
	Answer int    `yaml:"answer"` // of what the model says, its call included
	Result int    `yaml:"result"` // of what a tool returns
	Tools  Tools  `yaml:"tools"`
	Parts  []Part `yaml:"parts"`
}

// Tools are the tools of a scenario.
type Tools struct {
	Count  int `yaml:"count"`
	Tokens int `yaml:"tokens"` // of each
}

// A Part is a text of the prompt.
type Part struct {
	Name   string `yaml:"name"`
	Kind   Kind   `yaml:"kind"`
	Tokens int    `yaml:"tokens"`
	From   int    `yaml:"from"`  // the first step at which it is there; 0: the first
	To     int    `yaml:"to"`    // and the last; 0: the last
	Every  int    `yaml:"every"` // it changes so many steps after From, and again; 0: not
	At     []int  `yaml:"at"`    // it changes at these steps as well
	Edit   Edit   `yaml:"edit"`
}

// Kind says what a text is, by which a design knows its place.
type Kind string

// The kinds.
const (
	Base      Kind = "base"      // who the agent is
	Section   Kind = "section"   // more of the system prompt
	File      Kind = "file"      // an instruction file of the project
	Skills    Kind = "skills"    // the list of skills
	Memory    Kind = "memory"    // a file of the agent's home, which the agent writes
	Subagents Kind = "subagents" // the list of subagents
	Tasks     Kind = "tasks"     // what subagents are doing now
	Todo      Kind = "todo"      // the list of what is to be done
	Date      Kind = "date"
)

// Kinds are all of them.
func Kinds() []Kind {
	return []Kind{Base, Section, File, Skills, Memory, Subagents, Tasks, Todo, Date}
}

// Edit says what a change does to a text.
type Edit string

// The edits.
const (
	Whole  Edit = ""       // another text of the same size
	Middle Edit = "middle" // another line in its middle
)

//go:embed default.yaml
var defaultScenario []byte

// Default returns the scenario by which designs are compared.
func Default() Scenario {
	s, err := Parse(defaultScenario, "default.yaml")
	if err != nil {
		panic(err) // it is part of the program
	}
	return s
}

// Bounds of a scenario.
const (
	MaxFile   = 1 << 20 // bytes of its file
	maxSteps  = 2000
	maxTokens = 100_000 // of one text
	maxTools  = 500
	maxTotal  = 200_000_000 // of all requests together, about
)

// Parse reads a scenario from YAML. An unknown key or a wrong type is an error
// with its place. File is only used in errors.
func Parse(data []byte, file string) (Scenario, error) {
	var s Scenario
	if len(data) > MaxFile {
		return s, fmt.Errorf("%s: a scenario is at most %d bytes", file, MaxFile)
	}
	if bytes.ContainsAny(data, "&*") { // aliases grow without end
		return s, fmt.Errorf("%s: a scenario has no aliases: write each text out", file)
	}
	if err := yaml.UnmarshalWithOptions(data, &s, yaml.Strict()); err != nil {
		return s, fmt.Errorf("%s: %s", file, strings.TrimSpace(yaml.FormatError(err, false, false)))
	}
	if err := s.check(); err != nil {
		return s, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

func (s Scenario) check() error {
	within := func(name string, n, least, most int) error {
		if n < least || n > most {
			return fmt.Errorf("%s is %d; it must be from %d to %d", name, n, least, most)
		}
		return nil
	}
	errs := []error{
		within("steps", s.Steps, 1, maxSteps), within("turns", s.Turns, 1, max(1, s.Steps)), within("input", s.Input, 1, maxTokens),
		within("answer", s.Answer, 1, maxTokens), within("result", s.Result, 1, maxTokens),
		within("tools.count", s.Tools.Count, 1, maxTools), within("tools.tokens", s.Tools.Tokens, 1, maxTokens),
	}
	size := s.Tools.Count*s.Tools.Tokens + s.Steps*(s.Answer+s.Result)/2
	for i, p := range s.Parts {
		at := fmt.Sprintf("parts[%d].", i)
		if !slices.Contains(Kinds(), p.Kind) {
			errs = append(errs, fmt.Errorf("%skind is %q; it must be one of %v", at, p.Kind, Kinds()))
		}
		if p.Name == "" || slices.ContainsFunc(s.Parts[:i], func(o Part) bool { return o.Name == p.Name }) {
			errs = append(errs, fmt.Errorf("%sname is %q; it must be set, and no other part may have it", at, p.Name))
		}
		if p.Edit != Whole && p.Edit != Middle {
			errs = append(errs, fmt.Errorf("%sedit is %q; it must be middle, or left out", at, p.Edit))
		}
		errs = append(errs, within(at+"tokens", p.Tokens, 1, maxTokens), within(at+"from", p.From, 0, s.Steps),
			within(at+"to", p.To, 0, s.Steps), within(at+"every", p.Every, 0, s.Steps))
		size += p.Tokens
	}
	if s.Turns > 0 && s.Steps%s.Turns != 0 {
		errs = append(errs, fmt.Errorf("steps is %d and turns %d; all turns must be of the same length", s.Steps, s.Turns))
	}
	if size*s.Steps > maxTotal {
		errs = append(errs, fmt.Errorf("its requests have more than %d tokens together", maxTotal))
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// PerTurn returns how many requests a turn has.
func (s Scenario) PerTurn() int { return s.Steps / s.Turns }

// Still returns the scenario without what changes: each text stays as it is at the
// first step, and what is not there at every step is left out. What it costs is
// the least that the work costs.
func (s Scenario) Still() Scenario {
	parts := s.Parts
	s.Parts = nil
	for _, p := range parts {
		if p.From <= 1 && (p.To == 0 || p.To == s.Steps) && p.Kind != Todo && p.Kind != Date {
			p.Every, p.At = 0, nil
			s.Parts = append(s.Parts, p)
		}
	}
	return s
}

// There reports whether the part is there at a step, which counts from 1.
func (p Part) There(step int) bool { return step >= p.From && (p.To == 0 || step <= p.To) }

// Version returns how often the part has changed by a step.
func (p Part) Version(step int) int {
	n := 0
	if first := max(1, p.From); p.Every > 0 && step >= first {
		n = (step - first) / p.Every
	}
	for _, at := range p.At {
		if at <= step {
			n++
		}
	}
	return n
}
