package permit

import "context"

// Terms are how the calls of a step will be judged, for sources that tell the model
// of it. The zero value: nothing judges them.
type Terms struct {
	Mode       Mode
	Unattended bool // nobody can be asked
}

type termsKey struct{}

// WithTerms returns a context that says how calls are judged.
func WithTerms(ctx context.Context, t Terms) context.Context {
	return context.WithValue(ctx, termsKey{}, t)
}

// TermsOf returns what WithTerms put into a context.
func TermsOf(ctx context.Context) Terms {
	t, _ := ctx.Value(termsKey{}).(Terms)
	return t
}
