package tool

import (
	"context"
	"encoding/json"
)

// An Effect is what a call would do to the world, said before it is done, so that
// permissions can judge it. The zero value promises nothing: the call may do
// anything.
type Effect struct {
	// ReadOnly says that the call changes nothing outside the agent.
	ReadOnly bool
	// Idempotent says that doing the call twice leaves the same as doing it once, so
	// that it may be run again when its outcome was lost.
	Idempotent bool
	// Paths are the absolute paths that the call names: each as it was asked for,
	// and behind it where its links lead to if that is another place. A search
	// names the directory it begins in. What denies one of them denies the call.
	Paths []string
	// Command is the line that a shell would run, or empty.
	Command string
	// Keeps says that the result may have a [State]: the call runs by itself, and the
	// calls behind it are judged when it is done.
	Keeps bool
	// Refused says that the call refuses its arguments and does nothing.
	Refused bool
}

// An Effector is a [Tool] that can tell the effect of a call.
type Effector interface {
	Tool
	// Effect returns what Call would do with the same arguments. It changes nothing,
	// and what it says of links holds at this moment only: a tool checks again when
	// it acts.
	Effect(ctx context.Context, args json.RawMessage) Effect
}

// EffectOf returns the effect of a call, the zero Effect if the tool cannot tell.
func EffectOf(ctx context.Context, t Tool, args json.RawMessage) Effect {
	if e, ok := t.(Effector); ok {
		return e.Effect(ctx, args)
	}
	return Effect{}
}

// An Alias is a [Tool] that presents another one under a name of its own. Rules of
// permissions are about the name of the other.
type Alias interface {
	Tool
	// RuleName returns the name that rules have for the tool.
	RuleName() string
}

// RuleName returns the name that rules have for a tool.
func RuleName(t Tool) string {
	if a, ok := t.(Alias); ok {
		return a.RuleName()
	}
	return t.Spec().Name
}
