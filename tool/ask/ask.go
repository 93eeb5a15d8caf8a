// Package ask has the tool by which a model asks the person it works for.
//
// Where somebody sits before a screen, an [Asker] puts the question and waits:
//
//	t := ask.New(func(ctx context.Context, question string) (string, error) {
//		return readLine(ctx, question)
//	})
//
// Without one the call is [tool.Pending]: the run pauses, and goes on once somebody
// answered, be it in another process.
package ask

import (
	"context"
	"errors"
	"strings"

	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// Name is the tool's name.
const Name = "ask_user"

// An Asker puts a question to a person and waits for the answer or the end of
// the context. It may be called concurrently.
type Asker func(ctx context.Context, question string) (answer string, err error)

type arguments struct {
	Question string `json:"question" description:"The question, complete in itself."`
}

// New returns the tool ask_user{question}. The asker may be nil: then every call
// is pending.
func New(asker Asker) tool.Tool {
	return tool.Must(tool.Make(tool.Def[arguments]{
		Name:        Name,
		Description: "Asks the user a question and returns the answer. Use it when a choice is theirs and cannot be found out; ask one thing at a time.",
		Call: func(ctx context.Context, a arguments) (tool.Result, error) {
			if strings.TrimSpace(a.Question) == "" {
				return tool.Errorf("%s: question is empty", Name), nil
			}
			if asker == nil {
				return tool.Result{}, &tool.Pending{Question: strings.ToValidUTF8(a.Question, "\uFFFD")}
			}
			answer, err := asker(ctx, a.Question)
			var pending *tool.Pending
			switch {
			case ctx.Err() != nil:
				return tool.Result{}, ctx.Err()
			case errors.As(err, &pending):
				return tool.Result{}, err
			case err != nil:
				return tool.Errorf("%s: there is no answer: %v; go on as well as you can without it", Name, err), nil
			}
			return Answer(answer), nil
		},
		Answer: func(_ context.Context, _ arguments, answer string) (tool.Result, error) { return Answer(answer), nil },
		Effect: func(context.Context, arguments) tool.Effect { return tool.Effect{ReadOnly: true, Idempotent: true} },
	}))
}

// Answer returns the result of a call that a person answered. Its text is of the
// user's trust.
func Answer(answer string) tool.Result {
	if strings.TrimSpace(answer) == "" {
		return tool.Result{Text: span.OfGenerated("[the user gave no answer]", span.Generated(Name))}
	}
	return tool.Result{Text: span.Of(strings.ToValidUTF8(answer, "\uFFFD"), &span.Origin{Section: Name, Source: "user", Trust: span.User})}
}
