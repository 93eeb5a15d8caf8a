package codeact

import (
	"context"
	"encoding/json"
	"time"
)

// An Engine runs scripts of one language. A script reaches nothing but the tools,
// and what is left of it when Run returns is nothing: no process, file or
// goroutine. It may be used concurrently.
type Engine interface {
	// Language says what the scripts are written in. It does not change.
	Language() Language
	// Run runs a script. What is wrong with the script, a limit that it exceeded
	// included, is the Error of the result. An error of call, and of the context,
	// ends the script at once and is returned.
	Run(ctx context.Context, s Script, call CallFunc) (Result, error)
}

// A Language is what a model is told of an engine.
type Language struct {
	Name    string   // as the model writes it, such as "js"
	Aliases []string // other names that are understood
	// Reserved are names by which no function can be called.
	Reserved []string
	Guide    string // how a script is written, how tools are called, what there is not
}

// A Script is code to run.
type Script struct {
	Source string
	Tools  []string  // names of tools that are functions in the script
	Now    time.Time // the only time that the script is told
	Seed   uint64    // of its random numbers
	Limits Limits    // none of them zero
}

// A CallFunc makes calls of a script, all that it makes at the same time, and
// returns the replies in order.
type CallFunc func(ctx context.Context, calls []Call) ([]Reply, error)

// A Call is a call of a tool by a script.
type Call struct {
	Name string
	Args json.RawMessage // as the script gave it; usually an object
}

// A Reply is what a call returns in a script.
type Reply struct {
	Value json.RawMessage // one JSON value, without an error
	Error string          // what the call throws; empty: nothing
}

// A Result is what came of a script.
type Result struct {
	Value  json.RawMessage // what the script returned, as JSON; nil: nothing
	Stdout string          // what it printed, valid UTF-8
	Error  string          // why it did not run to its end; empty: it did
}

// The limits that hold when none is given.
const (
	DefaultTime   = 8 * time.Second
	DefaultMemory = 64 << 20
	DefaultOutput = 64 << 10
	DefaultCalls  = 100
)

// Limits bound a script. Zero values are the defaults.
type Limits struct {
	// Time is how long a script may compute; while it waits for tools no time
	// passes. 0: DefaultTime.
	Time   time.Duration
	Memory int64 // bytes of its values; 0: DefaultMemory
	// Output is how many bytes of what it prints, and of what it returns, are kept.
	// 0: DefaultOutput.
	Output int
	Calls  int // of tools; those beyond fail in the script; 0: DefaultCalls
}

// orDefaults returns the limits with what is not set.
func (l Limits) orDefaults() Limits {
	if l.Time <= 0 {
		l.Time = DefaultTime
	}
	if l.Memory <= 0 {
		l.Memory = DefaultMemory
	}
	if l.Output <= 0 {
		l.Output = DefaultOutput
	}
	if l.Calls <= 0 {
		l.Calls = DefaultCalls
	}
	return l
}
