package tool

import (
	"context"

	"github.com/proemhq/proem/chat"
)

// A History is what a tool is told of the session in which it is called. A tool
// that does a thing once in a session finds out here whether it did: what a
// process remembers is gone when another one goes on with the session, and what
// was cut from the history, the model does not have any more.
type History struct {
	Turn int    // of the call, from 1
	Call string // the id of the call
	// Messages are those that the model has, the answer with the call and the results
	// of calls before it included; the calls that run at the same time have none yet.
	// They are shared and not to be changed.
	Messages []chat.Message
}

// LoadedSource is the source of a span by which a tool finds in the history that a
// result holds what it loads once in a session. Such a result is never cut when a
// long conversation is made shorter: it goes as a whole, and the tool loads anew.
const LoadedSource = "generated:loaded"

type historyKey struct{}

// WithHistory returns a context that says what came before a call.
func WithHistory(ctx context.Context, h History) context.Context {
	return context.WithValue(ctx, historyKey{}, h)
}

// HistoryOf returns what came before a call, or false outside of a session.
func HistoryOf(ctx context.Context) (History, bool) {
	h, ok := ctx.Value(historyKey{}).(History)
	return h, ok
}
