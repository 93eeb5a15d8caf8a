package tool

import "context"

type sessionKey struct{}

// WithSession returns a context that says in which session tools are called.
func WithSession(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, sessionKey{}, id)
}

// Session returns the id of the session in which a tool is called, or "". A tool
// that remembers something of earlier calls, such as which files were read,
// remembers it for each session apart.
func Session(ctx context.Context) string {
	id, _ := ctx.Value(sessionKey{}).(string)
	return id
}
