package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
)

// observe tells the observers of an event. One that panics is told nothing more
// in this turn; that it did is recorded with the next events.
func (r *run) observe(ctx context.Context, e session.Event) {
	for _, h := range r.a.hooks.observers {
		if slices.Contains(r.deaf, h.name) {
			continue
		}
		err := guard(h.name, func() error { h.hook.Observe(ctx, r.l.id, cloneEvent(e)); return nil })
		if err != nil {
			r.deaf = append(r.deaf, h.name)
			r.panics = append(r.panics, session.Event{Kind: session.Diagnostic, Diagnostic: &prompt.Diagnostic{
				Severity: prompt.Warning, Code: "hook.panic",
				Message: fmt.Sprintf("the observer is told nothing more in this turn: %v", err)}})
		}
	}
}
