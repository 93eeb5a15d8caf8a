package stage

import (
	"fmt"
	"slices"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// A Next runs the hooks behind the calling one and returns what they made of
// the assembly.
type Next func(prompt.Assembly) (prompt.Assembly, error)

// A Hook wraps the assembly: it may change the assembly before it calls next,
// change what next returned, or not call next at all, which replaces everything
// behind it. The slices of the assembly it is given are its own to change; texts
// are not. A hook is pure, like a stage.
type Hook struct {
	Name  string // to whom explain attributes what the hook adds
	Apply func(in prompt.Input, a prompt.Assembly, next Next) (prompt.Assembly, error)
}

// Protect runs hooks around the assembly, the first outermost, and protects two
// things from them: a sole section stands in its channel alone and as it was,
// and a muted channel stays empty. What a hook adds is not sorted. Without hooks
// it only clears the channels that a sole section claims.
func Protect(hooks ...Hook) prompt.Stage {
	hooks = slices.Clone(hooks)
	return prompt.Stage{
		Name:  "protect",
		Doc:   "runs assembly hooks; a sole section and muted channels are restored after them",
		Local: len(hooks) == 0,
		Apply: func(in prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			soles := soleSections(a)
			if len(hooks) > 0 {
				out, err := runHooks(hooks, in, a.Clone())
				if err != nil {
					return prompt.Assembly{}, err
				}
				a = unmute(keepReceipts(a, out))
			}
			return restore(a, soles), nil
		},
	}
}

func runHooks(hooks []Hook, in prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
	if len(hooks) == 0 {
		return a, nil
	}
	h := &hooks[0]
	out, err := h.Apply(in, a, func(b prompt.Assembly) (prompt.Assembly, error) {
		return runHooks(hooks[1:], in, attribute(h, b))
	})
	if err != nil {
		return prompt.Assembly{}, err
	}
	return attribute(h, out), nil
}

// keepReceipts carries over what no hook may take away: which channels are
// muted, and the receipts of what was left out before.
func keepReceipts(before, after prompt.Assembly) prompt.Assembly {
	after.Mutes = before.Mutes
	after.Notes = keep(before.Notes, after.Notes)
	after.Diagnostics = keep(before.Diagnostics, after.Diagnostics)
	return after
}

// keep returns after if it begins with what was there before; otherwise what was
// there before, followed by what is new.
func keep[T comparable](before, after []T) []T {
	if len(after) >= len(before) && slices.Equal(after[:len(before)], before) {
		return after
	}
	return append(slices.Clone(before), slices.DeleteFunc(slices.Clone(after), func(x T) bool { return slices.Contains(before, x) })...)
}

// attribute gives what has no origin that of the hook which must have made it.
func attribute(h *Hook, a prompt.Assembly) prompt.Assembly {
	for i := range a.Sections {
		s := &a.Sections[i]
		if s.From == nil {
			s.From = &span.Origin{Section: s.Name, Source: "hook", Stage: h.Name}
		}
		if slices.ContainsFunc(s.Text, func(p span.Span) bool { return p.From == nil }) {
			s.Text = slices.Clone(s.Text)
			for j := range s.Text {
				if s.Text[j].From == nil {
					s.Text[j].From = &span.Origin{Section: s.Name, Source: "hook", Stage: h.Name, Trust: s.Trust()}
				}
			}
		}
	}
	for i := range a.Tools {
		if a.Tools[i].From == nil {
			a.Tools[i].From = &span.Origin{Section: a.Tools[i].Name, Source: "hook", Stage: h.Name}
		}
	}
	for i := range a.Vars {
		if a.Vars[i].From == nil {
			a.Vars[i].From = &span.Origin{Section: a.Vars[i].Name, Source: "hook", Stage: h.Name}
		}
	}
	return a
}

// soleSections returns the sole section of each channel that has one. More than
// one is reported by resolve already; here the first counts.
func soleSections(a prompt.Assembly) (soles []prompt.Section) {
	for i := range a.Sections {
		s := a.Sections[i]
		if s.Sole && !slices.ContainsFunc(soles, func(o prompt.Section) bool { return o.Channel == s.Channel }) {
			soles = append(soles, s)
		}
	}
	return soles
}

// unmute drops what hooks put into muted channels.
func unmute(a prompt.Assembly) prompt.Assembly {
	if len(a.Mutes) == 0 {
		return a
	}
	kept := a.Sections[:0:0]
	for _, s := range a.Sections {
		if a.Muted(s.Channel) {
			a.Notes = append(slices.Clip(a.Notes), prompt.Note{Name: s.Name, Stage: "protect", From: s.From,
				Reason: fmt.Sprintf("the channel %s is muted", s.Channel)})
			continue
		}
		kept = append(kept, s)
	}
	a.Sections = kept
	return a
}

// restore makes each sole section the only one of its channel. It stands where
// the channel's first section stood.
func restore(a prompt.Assembly, soles []prompt.Section) prompt.Assembly {
	for _, sole := range soles {
		kept := make([]prompt.Section, 0, len(a.Sections)+1)
		placed := false
		for _, s := range a.Sections {
			if s.Channel != sole.Channel {
				if !placed && s.Channel > sole.Channel {
					kept, placed = append(kept, sole), true
				}
				kept = append(kept, s)
				continue
			}
			if !placed {
				kept, placed = append(kept, sole), true
			}
			if s.Name != sole.Name {
				a.Notes = append(slices.Clip(a.Notes), prompt.Note{Name: s.Name, Stage: "protect", From: s.From,
					Reason: fmt.Sprintf("the section %q is the only one of the channel %s", sole.Name, sole.Channel)})
			}
		}
		if !placed {
			kept = append(kept, sole)
		}
		a.Sections = kept
	}
	return a
}
