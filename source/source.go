// Package source reads the world for a prompt. A [Source] reads one fact; Gather
// reads all that a step needs, at the same time, and returns them as one
// immutable value. Nothing after that reads anything.
package source

import (
	"context"

	"github.com/proemhq/proem/prompt"
)

// A Source reads one fact. It changes nothing, may be called concurrently and
// should return an equal fact as long as the world is the same: an unchanged
// fact costs the rest of proem nothing.
//
// An error is recorded in the fact's Err; the assembly decides whether it can do
// without. A source that has nothing to say at present returns a fact with None
// set.
type Source interface {
	Read(ctx context.Context, q Query) (prompt.Fact, error)
}

// Func makes a function a Source.
type Func func(ctx context.Context, q Query) (prompt.Fact, error)

// Read calls f.
func (f Func) Read(ctx context.Context, q Query) (prompt.Fact, error) { return f(ctx, q) }

// A Query says for what a source is asked.
type Query struct {
	Fact    string   // the name of the fact asked for
	Lineage []string // nearest scope first
	Who     prompt.Who
	Turn    int
	Step    int
	Preview bool // nothing will be sent
}

// Text is a source that always says the same.
type Text string

// Read returns the text.
func (t Text) Read(context.Context, Query) (prompt.Fact, error) {
	return prompt.Fact{Text: string(t)}, nil
}

// None is a source without a value, such as that of a variable which is
// registered but not known at present.
var None Source = Func(func(context.Context, Query) (prompt.Fact, error) { return prompt.Fact{None: true}, nil })
