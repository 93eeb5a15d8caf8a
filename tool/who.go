package tool

import (
	"context"

	"github.com/proemhq/proem/prompt"
)

type whoKey struct{}

// WithWho returns a context that says for whom tools are called.
func WithWho(ctx context.Context, who prompt.Who) context.Context {
	return context.WithValue(ctx, whoKey{}, who)
}

// Who returns for whom a tool is called; the zero value is nobody in particular.
// A tool that reaches what belongs to one user asks this, never its arguments.
func Who(ctx context.Context) prompt.Who {
	who, _ := ctx.Value(whoKey{}).(prompt.Who)
	return who
}
