// Package preset says what a composition model is to an agent: a list of stages
// and the rules around them. The models themselves live in packages below this
// one, each as a list of stages and definitions that can be read at once.
//
// A preset is plain data with two pure functions:
//
//	p := preset.Preset{
//		Name:     "mine",
//		Stages:   func([]string) []prompt.Stage { return []prompt.Stage{stage.DropBlank()} },
//		Contexts: preset.Deltas,
//	}
//	agent.New(agent.Config{Preset: &p, …})
//
// Presets lie below package agent, which uses standard by default; see
// docs/decisions.
package preset

import (
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
)

// A Preset is a composition model.
type Preset struct {
	Name   string // as in the configuration, such as "standard"
	Ties   prompt.Ties
	Strict bool // a failed source is always a fault
	// Stages returns the stages for a lineage, nearest scope first.
	Stages func(lineage []string) []prompt.Stage
	// Epoch grows when Stages would return others than before; nil: it never does.
	Epoch func() int
	// Transform returns the stages with transformers of the host among them, where
	// the model has a place for these; nil: they stand behind Stages. What an agent's
	// hooks do to the prompt comes this way.
	Transform func(lineage []string, hosts []Transformer) []prompt.Stage
	// Orders are the places of built-in sections, by name, where the model has others
	// than standard; nil: it has not.
	Orders map[string]float64
	// Refresh says when what stands before the conversation may change.
	Refresh Refresh
	// Project returns what a request sends of a history; nil: all of it. What it
	// leaves out stays in the session, and notes of the assembly say so. It may move
	// reminders: they are missing in the assembly then. Sections that it removes count
	// for the request alone. Project is pure, never parts calls from their results,
	// and runs behind the stages and before hooks.
	Project func(a prompt.Assembly, history []chat.Message) (prompt.Assembly, []chat.Message)
	// Live reports whether a section that stands before the conversation follows at
	// every request, whatever Refresh says; nil: none does. Such sections stand before
	// or behind all others of their channel.
	Live func(s *prompt.Section) bool
	// Untold keeps quiet about what changed since the prefix was made: it is seen
	// when the prefix is made anew.
	Untold bool
	// Contexts returns the messages that tell the model what changed in the context
	// channel since the given history, to be appended to it and kept. The history is
	// what Project leaves of it. It is pure; nil: Deltas.
	Contexts func(history []chat.Message, a prompt.Assembly) []chat.Message
	// Traced says that the event of each request holds the texts of system and
	// instructions as they are sent, which makes logs longer by so much.
	Traced bool
}

// DefaultOrder is the order of a transformer that names none, and of what a preset
// contributes itself.
const DefaultOrder = 1

// A Transformer is a stage of the host with its place among the others: those of a
// higher order run before those of a lower one, and of equal ones the first named.
type Transformer struct {
	Order int
	Stage prompt.Stage
}

// With returns the stages for a lineage, behind them further ones, and the host's
// transformers in their places.
func (p *Preset) With(lineage []string, hosts []Transformer, further ...prompt.Stage) []prompt.Stage {
	if p.Transform != nil && len(hosts) > 0 {
		return append(slices.Clip(p.Transform(lineage, hosts)), further...)
	}
	stages := append(slices.Clip(p.Stages(lineage)), further...)
	hosts = slices.Clone(hosts)
	slices.SortStableFunc(hosts, func(a, b Transformer) int { return b.Order - a.Order })
	for _, h := range hosts {
		stages = append(stages, h.Stage)
	}
	return stages
}

// Refresh says when the system and instructions of a session follow what they are
// made from. The zero value is EachStep.
type Refresh int

// The refreshes.
const (
	EachStep Refresh = iota // at every request
	EachTurn                // at the first request of a turn
	// EachSession keeps them for the whole session. What changes meanwhile is told
	// behind the conversation, so that the prefix does not move.
	EachSession
)

// Order returns the place of a built-in section: the model's, or else the given one.
func (p *Preset) Order(section string, standard float64) float64 {
	if o, ok := p.Orders[section]; ok {
		return o
	}
	return standard
}

// Input returns the input of an assembly under the preset's rules.
func (p *Preset) Input(lineage []string, facts *prompt.Facts) prompt.Input {
	return prompt.Input{Lineage: lineage, Facts: facts, Ties: p.Ties, Strict: p.Strict}
}
