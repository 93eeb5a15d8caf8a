package prompt

import (
	"errors"
	"fmt"
)

// Assemble resolves the snapshot and applies the stages in order. The error, of
// type [Faults] unless a stage failed otherwise, holds the faults of all stages,
// so that a person can mend them in one go.
func Assemble(s Snapshot, in Input, stages ...Stage) (Assembly, error) {
	return s.Plan(in.Lineage, in.Ties).Assemble(in, stages...)
}

// Assemble is [Assemble] for the plan's snapshot and lineage.
func (p *Plan) Assemble(in Input, stages ...Stage) (Assembly, error) {
	a, err := p.Resolve(in)
	faults, err := asFaults(err)
	if err != nil {
		return Assembly{}, err
	}
	for i := range stages {
		a, faults, err = apply(&stages[i], in, a, faults)
		if err != nil {
			return Assembly{}, err
		}
	}
	if len(faults) > 0 {
		return Assembly{}, faults
	}
	return a, nil
}

// asFaults returns the faults that err is made of, or err itself.
func asFaults(err error) (Faults, error) {
	if faults, ok := err.(Faults); ok || err == nil {
		return faults, nil
	}
	return nil, err
}

// run applies the stage. A panic is an error of it: a stage may call functions of
// the host, which must not end the program.
func (s *Stage) run(in Input, a Assembly) (out Assembly, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = Assembly{}, fmt.Errorf("panic: %v", p)
		}
	}()
	return s.Apply(in, a)
}

// apply runs one stage and adds its faults to those found before.
func apply(s *Stage, in Input, a Assembly, faults Faults) (Assembly, Faults, error) {
	out, err := s.run(in, a)
	if err == nil {
		return out, faults, nil
	}
	var more Faults
	if !errors.As(err, &more) {
		err = fmt.Errorf("stage %s: %w", s.Name, err)
		if len(faults) > 0 { // do not hide what was found before
			err = errors.Join(faults, err)
		}
		return Assembly{}, faults, err
	}
	for _, f := range more {
		if f.Stage == "" {
			f.Stage = s.Name
		}
		faults = append(faults, f)
	}
	return out, faults, nil
}

// A Frame is the assembly after one stage.
type Frame struct {
	Stage    string // "resolve" for the first
	Doc      string
	Assembly Assembly
	Faults   Faults // those that the stage found
}

// Trace is Assemble that keeps the assembly after each stage, "resolve" first.
// The frames up to a failing stage are returned with the error.
func Trace(s Snapshot, in Input, stages ...Stage) ([]Frame, error) {
	a, err := Resolve(s, in)
	faults, err := asFaults(err)
	if err != nil {
		return nil, err
	}
	frames := make([]Frame, 0, len(stages)+1)
	frames = append(frames, Frame{Stage: "resolve", Doc: "collects what the lineage sees", Assembly: a, Faults: faults})
	for i := range stages {
		before := len(faults)
		a, faults, err = apply(&stages[i], in, a, faults)
		if err != nil {
			return frames, err
		}
		frames = append(frames, Frame{Stage: stages[i].Name, Doc: stages[i].Doc, Assembly: a, Faults: faults[before:len(faults):len(faults)]})
	}
	if len(faults) > 0 {
		return frames, faults
	}
	return frames, nil
}
