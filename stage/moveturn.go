package stage

import (
	"slices"

	"github.com/proemhq/proem/prompt"
)

// MoveTurn returns a stage that moves sections of class turn from the system
// and instructions channels to the context channel, where a change at every
// request costs least. A moved section takes its place by order and name. Each
// leaves a note.
//
// A sole section stays, and so does everything while the context channel is
// muted or has a sole section: what was meant to be sent must not vanish. A note
// says that too.
func MoveTurn() prompt.Stage {
	return prompt.Stage{
		Name: "move-turn",
		Doc:  "moves sections that change at every request from system and instructions to context",
		Apply: func(in prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			return moveTurn(in.Ties, a), nil
		},
	}
}

func misplaced(s prompt.Section) bool {
	return s.Class == prompt.Turn && (s.Channel == prompt.System || s.Channel == prompt.Instructions)
}

func moveTurn(ties prompt.Ties, a prompt.Assembly) prompt.Assembly {
	if !slices.ContainsFunc(a.Sections, misplaced) {
		return a
	}
	closed := ""
	if a.Muted(prompt.Context) {
		closed = "the context channel is muted"
	} else if i := slices.IndexFunc(a.Sections, func(s prompt.Section) bool { return s.Sole && s.Channel == prompt.Context }); i >= 0 {
		closed = "the context channel belongs to the section " + a.Sections[i].Name
	}
	var moved []prompt.Section
	kept := make([]prompt.Section, 0, len(a.Sections))
	a.Notes = slices.Clip(a.Notes)
	for _, s := range a.Sections {
		reason := ""
		switch {
		case !misplaced(s):
		case closed != "":
			reason = "it changes at every request but stays in " + s.Channel.String() + ": " + closed
		case s.Sole:
			reason = "it changes at every request but stays in " + s.Channel.String() + ": it is the channel's only section"
		default:
			reason = "it changes at every request and was moved from " + s.Channel.String() + " to context"
		}
		if reason != "" {
			a.Notes = append(a.Notes, prompt.Note{Name: s.Name, Path: path(s.From), Stage: "move-turn", From: s.From, Reason: reason})
		}
		if reason != "" && closed == "" && !s.Sole {
			s.Channel = prompt.Context
			moved = append(moved, s)
			continue
		}
		kept = append(kept, s)
	}
	if len(moved) == 0 {
		return a
	}
	for _, s := range moved {
		kept = slices.Insert(kept, placeFor(kept, s, ties), s)
	}
	a.Sections = kept
	return a
}

// placeFor returns where a section belongs in its channel: before the first one
// that stands behind it by order and tie.
func placeFor(sections []prompt.Section, s prompt.Section, ties prompt.Ties) int {
	first, end := channelRange(sections, s.Channel)
	for i := first; i < end; i++ {
		o := &sections[i]
		if o.Channel != s.Channel || o.Order < s.Order {
			continue
		}
		if o.Order > s.Order || !ties.ByPosition[s.Channel] && ties.Names.Compare(o.Name, s.Name) > 0 {
			return i
		}
	}
	return end
}
