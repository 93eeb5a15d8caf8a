package dialect

import (
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire"
)

// Channels returns the parts of the two text channels; nil for one without text.
func (e *Encoder) Channels() (system, instructions []prompt.Part) {
	if !wire.Blank(e.Req.System) {
		system = e.Req.System
	}
	if !wire.Blank(e.Req.Instructions) {
		instructions = e.Req.Instructions
	}
	return system, instructions
}

// HeadRole returns the role of system text at the head.
func (e *Encoder) HeadRole() string {
	if e.Cap.DeveloperRole {
		return "developer"
	}
	return "system"
}

// Joined writes the two channels into one string, with a blank line between.
func (e *Encoder) Joined(system, instructions []prompt.Part) {
	e.Parts(system)
	if len(system) > 0 && len(instructions) > 0 {
		e.Separator(prompt.DefaultSep)
	}
	e.Parts(instructions)
}
