package agent

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
)

// project returns what the preset sends of the history, behind it what changed in
// the contexts, and the assembly for the request. The step's own assembly gets the
// notes of what was left out.
func (a *Agent) project(s *Step, history []chat.Message) (prompt.Assembly, []chat.Message, error) {
	sending, sent := s.Assembly, history
	if p := a.preset.Project; p != nil {
		var err error
		if sending, sent, err = projected(p, s.Assembly, history); err != nil {
			return sending, nil, err
		}
		s.Assembly.Notes = sending.Notes
		s.projected = !reflect.DeepEqual(sent, history)
	}
	s.sent, s.history = len(sent), len(history)
	s.Contexts = a.preset.Contexts(sent, s.Assembly)
	return sending, append(slices.Clip(sent), s.Contexts...), nil
}

// projected calls a projection. A panic is an error of it, as with stages.
func projected(f func(prompt.Assembly, []chat.Message) (prompt.Assembly, []chat.Message), a prompt.Assembly, history []chat.Message) (out prompt.Assembly, sent []chat.Message, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the projection of the preset: panic: %v", p)
		}
	}()
	out, sent = f(a, history)
	return out, sent, nil
}

// traceOf returns what the event of a request says of its texts.
func traceOf(s Step) *session.Trace {
	t := &session.Trace{Sent: s.sent, History: s.history}
	text := func(parts []prompt.Part) (string, *session.Range) {
		var b strings.Builder
		var runtime *session.Range
		for _, p := range parts {
			b.WriteString(p.Sep)
			lo := b.Len()
			b.WriteString(validUTF8(p.Text.String()))
			if p.Name == standard.RuntimeSection {
				runtime = &session.Range{Lo: lo, Hi: b.Len()}
			}
		}
		return b.String(), runtime
	}
	t.System, t.Runtime = text(s.Request.System)
	t.Instructions, _ = text(s.Request.Instructions)
	return t
}
