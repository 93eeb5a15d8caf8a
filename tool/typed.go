package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"

	"github.com/proemhq/proem/chat"
)

// New makes a tool of a function whose argument is a struct. The fields of the
// struct are the arguments of the tool, under the names of their json tags:
//
//	type forecast struct {
//		City string  `json:"city" description:"The city, in English."`
//		Days int     `json:"days,omitempty" minimum:"1" maximum:"7"`
//		Unit *string `json:"unit" enum:"celsius,fahrenheit"`
//	}
//	t, err := tool.New("forecast", "Returns the weather of the next days.",
//		func(ctx context.Context, f forecast) (tool.Result, error) { … })
//
// A field is optional if it is a pointer or its json tag says omitempty or
// omitzero. What a model should know of it stands in the tag description, or in
// jsonschema. Structs, slices, maps with string keys and pointers nest; a type
// that contains itself, or that JSON cannot hold, is an error of New.
//
// Arguments are taken strictly. A member that is unknown, also by its case, that
// comes twice, is missing or has the wrong type is an error result that names it,
// and the function is not called. A panic of the function is an error result.
func New[A any](name, description string, f func(context.Context, A) (Result, error)) (Tool, error) {
	return Make(Def[A]{Name: name, Description: description, Call: f})
}

// A Def is a tool as data, for [Make]. A is a struct; see [New].
type Def[A any] struct {
	Name        string // letters, digits, _ and -, at most 64
	Description string // what the model is told
	Strict      bool   // ask the provider to enforce the schema
	Note        string // what a model is told that calls it from code; see [Noter]
	// Call runs the tool. It may be called concurrently.
	Call func(ctx context.Context, args A) (Result, error)
	// Answer makes a result of what a person answered to a call that was [Pending];
	// see [Answerer]. nil: no call ever is.
	Answer func(ctx context.Context, args A, answer string) (Result, error)
	// Effect tells what Call would do; see [Effector]. nil: nobody knows.
	Effect func(ctx context.Context, args A) Effect
	// Passages are texts of the tool in the prompt; see [Speaker].
	Passages []Passage
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Make makes a tool of its definition. The tool is an [Effector], an [Answerer] and a
// [Speaker].
func Make[A any](d Def[A]) (Tool, error) {
	if !toolName.MatchString(d.Name) {
		return nil, fmt.Errorf("tool %q: a name is 1 to 64 letters, digits, _ or -", d.Name)
	}
	if d.Call == nil {
		return nil, fmt.Errorf("tool %s has no function", d.Name)
	}
	t := reflect.TypeFor[A]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("tool %s: its argument is of type %v, which is no struct", d.Name, t)
	}
	s, err := shapeOf(t, nil)
	if err == nil && s.kind != object {
		err = errors.New("its argument reads JSON by itself")
	}
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", d.Name, err)
	}
	spec := chat.ToolSpec{Name: d.Name, Description: d.Description, Parameters: s.schema(""), Strict: d.Strict}
	return typed[A]{def: d, spec: spec, shape: s}, nil
}

// Must returns the tool, and panics if its definition was wrong. It is for tools
// whose definition stands in the program.
func Must(t Tool, err error) Tool {
	if err != nil {
		panic(err)
	}
	return t
}

type typed[A any] struct {
	def   Def[A]
	spec  chat.ToolSpec
	shape *shape
}

// Spec implements [Tool].
func (t typed[A]) Spec() chat.ToolSpec { return t.spec }

// Note implements [Noter].
func (t typed[A]) Note() string { return t.def.Note }

// Passages implements [Speaker].
func (t typed[A]) Passages() []Passage { return t.def.Passages }

// Call implements [Tool].
func (t typed[A]) Call(ctx context.Context, args json.RawMessage) (Result, error) {
	return t.do(args, func(a A) (Result, error) { return t.def.Call(ctx, a) })
}

// Answer implements [Answerer].
func (t typed[A]) Answer(ctx context.Context, args json.RawMessage, answer string) (Result, error) {
	if t.def.Answer == nil {
		return Errorf("%s: it asks nothing, so that there is nothing to answer", t.def.Name), nil
	}
	return t.do(args, func(a A) (Result, error) { return t.def.Answer(ctx, a, answer) })
}

// do calls a function of the tool with its arguments.
func (t typed[A]) do(args json.RawMessage, f func(A) (Result, error)) (r Result, err error) {
	var a A
	if err := decodeArgs(t.shape, args, reflect.ValueOf(&a).Elem()); err != nil {
		return Errorf("%s: %v", t.def.Name, err), nil
	}
	defer func() {
		if p := recover(); p != nil {
			r, err = Errorf("the tool %s panicked: %v", t.def.Name, p), nil
		}
	}()
	return f(a)
}

// Effect implements [Effector]. A panic means that nobody knows.
func (t typed[A]) Effect(ctx context.Context, args json.RawMessage) (e Effect) {
	var a A
	if err := decodeArgs(t.shape, args, reflect.ValueOf(&a).Elem()); err != nil {
		return Effect{ReadOnly: true, Idempotent: true, Refused: true}
	}
	if t.def.Effect == nil {
		return Effect{}
	}
	defer func() {
		if recover() != nil {
			e = Effect{}
		}
	}()
	return t.def.Effect(ctx, a)
}
