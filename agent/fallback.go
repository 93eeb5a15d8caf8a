package agent

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/wire"
)

// An Alternative is a model to try when the one before is overloaded or the
// conversation does not fit into it.
type Alternative struct {
	Model provider.Model
	Name  string // as the host calls it
}

// sameModel reports whether two alternatives are one model, so that what was made
// for the one serves the other.
func sameModel(a, b Alternative) bool {
	x, y := reflect.ValueOf(a.Model), reflect.ValueOf(b.Model)
	switch {
	case a.Name != b.Name || !x.IsValid() || !y.IsValid() || x.Type() != y.Type():
		return false
	case x.Comparable() && y.Comparable():
		return a.Model == b.Model
	}
	return true // values of one type that cannot be told apart
}

// falls reports whether an error is one that another model may not have.
func falls(err error) bool {
	var api *wire.APIError
	return errors.As(err, &api) && (api.Kind == wire.Overloaded || api.Kind == wire.ContextTooLong)
}

// request prepares, records and sends the request of a step, and records the
// answer. A conversation that is too long for the model is made shorter, once in a
// step. When that does not help, or the model is overloaded, the next one is tried,
// unless something of the answer was shown already; the turn stays with the model
// that answered.
func (r *run) request(ctx context.Context) (chat.Message, session.Stop, error) {
	if stop, err := r.makeRoom(ctx); stop != nil || err != nil {
		return chat.Message{}, *orZero(stop), err
	}
	for recovered := false; ; {
		m, stop, err := r.attempt(ctx)
		if err == nil || !falls(err) || r.deltas || ctx.Err() != nil {
			return m, stop, err
		}
		long := tooLong(err)
		if long != nil && !recovered {
			recovered = true
			shorter, failed := r.recover(ctx, long)
			if over := r.over(ctx, r.models[r.model].Name); failed != nil || shorter && over != nil {
				return chat.Message{}, *orZero(over), failed
			}
			if shorter {
				continue
			}
		}
		if r.model+1 >= len(r.models) {
			if long != nil {
				return chat.Message{}, r.noRoom(long), nil
			}
			return m, stop, err
		}
		from, to := r.models[r.model], r.models[r.model+1]
		r.model++
		d := prompt.Diagnostic{Severity: prompt.Warning, Code: "model.fallback",
			Message: fmt.Sprintf("the turn goes on with %s instead of %s, and without the prefix cached there: %v", to.Name, from.Name, err)}
		if err := r.append(ctx, session.Event{Kind: session.Diagnostic, Diagnostic: &d}); err != nil {
			return chat.Message{}, session.Stop{}, err
		}
	}
}
