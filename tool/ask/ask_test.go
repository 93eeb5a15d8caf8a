package ask_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/ask"
)

const question = `{"question":"Which one?"}`

func TestPending(t *testing.T) {
	_, err := ask.New(nil).Call(t.Context(), []byte(question))
	var p *tool.Pending
	if !errors.As(err, &p) || p.Question != "Which one?" {
		t.Errorf("got %v, want a pending question", err)
	}
	r, err := ask.New(nil).(tool.Answerer).Answer(t.Context(), []byte(question), "the second")
	if err != nil || r.Text.String() != "the second" {
		t.Errorf("got %v, %v", r.Text, err)
	}
}

func TestAsker(t *testing.T) {
	for _, tt := range []struct {
		answer string
		err    error
		args   string
		want   string
		isErr  bool
	}{
		{"the first\xff", nil, question, "the first\ufffd", false},
		{" ", nil, question, "[the user gave no answer]", false},
		{"", errors.New("no terminal"), question, "ask_user: there is no answer: no terminal; go on as well as you can without it", true},
		{"", nil, `{"question":" "}`, "ask_user: question is empty", true},
		{"", nil, `{}`, "ask_user: the argument question is missing", true},
	} {
		tl := ask.New(func(context.Context, string) (string, error) { return tt.answer, tt.err })
		r, err := tl.Call(t.Context(), []byte(tt.args))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r.Text.String(), tt.want); diff != "" || r.IsError != tt.isErr {
			t.Errorf("error %v (-got +want):\n%s", r.IsError, diff)
		}
	}
}

func TestAnswerIsTheUsers(t *testing.T) {
	if got := ask.Answer("yes").Text[0].From.Trust; got != span.User {
		t.Errorf("trust %v", got)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tl := ask.New(func(ctx context.Context, _ string) (string, error) {
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	})
	if _, err := tl.Call(ctx, []byte(question)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func ExampleNew() {
	t := ask.New(func(_ context.Context, question string) (string, error) { return "blue", nil })
	r, err := t.Call(context.Background(), []byte(`{"question":"Which colour?"}`))
	fmt.Println(r.Text, err, tool.EffectOf(context.Background(), t, nil).ReadOnly)
	// Output: blue <nil> true
}
