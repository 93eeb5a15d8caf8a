package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// A State is a value that a tool asks the session to keep, under a name of
// lower-case letters, digits, "_" and "-". It is recorded together with the result
// that it comes with and is no part of the conversation, so it holds after a
// summary, in another process and in a fork. Of one name the last value counts.
type State struct {
	Name  string
	Value json.RawMessage // JSON, at most 256 KiB; empty: keep nothing under the name any more
}

// NewState returns the state that keeps a value in its JSON form.
func NewState(name string, value any) (State, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // six bytes for each angle bracket
	if err := enc.Encode(value); err != nil {
		return State{}, fmt.Errorf("state %s: %w", name, err)
	}
	return State{Name: name, Value: bytes.TrimSuffix(b.Bytes(), []byte("\n"))}, nil
}

// A Kept is what the session keeps under a name; zero: nothing.
type Kept struct {
	Value json.RawMessage // not to be changed
	// Age is how many model requests were made since the value was kept, with the
	// next one, for which a source is asked: at least 1.
	Age int
	// Forgotten is how many model requests were made, with the next one, since a
	// summary took the place of the call that kept the value; 0: the conversation has
	// it.
	Forgotten int
}

type stateKey struct{}

// WithStates returns a context that says what the session keeps. The function may
// be called concurrently.
func WithStates(ctx context.Context, find func(name string) Kept) context.Context {
	return context.WithValue(ctx, stateKey{}, find)
}

// StateOf returns what the session keeps under a name. Tools ask it, and sources of
// texts about what a tool keeps. A call whose result has a State is told apart by
// [Effect.Keeps], so that it runs by itself and what it finds here still holds when
// its result is recorded.
func StateOf(ctx context.Context, name string) Kept {
	if find, ok := ctx.Value(stateKey{}).(func(string) Kept); ok {
		return find(name)
	}
	return Kept{}
}
