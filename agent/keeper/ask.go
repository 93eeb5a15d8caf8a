package keeper

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
	"github.com/proemhq/proem/wire"
)

// noReply is the answer that says that there is nothing to say.
const noReply = "NO_REPLY"

var (
	taskOrigin = &span.Origin{Section: "keeper", Source: "literal", Trust: span.Builtin}
	textOrigin = &span.Origin{Section: "keeper", Source: "memory", Trust: span.Tool}
)

// A given is one text that a request is about.
type given struct{ kind, name, text string }

// ask sends one request without tools and returns the answer, of at most limit
// bytes. The texts stand in fences that they cannot leave. A panic of the model is
// an error.
func (k *Keeper) ask(ctx context.Context, task string, texts []given, limit int) (answer string, usage *wire.Usage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the model panicked: %v", p)
		}
	}()
	ctx, done := context.WithTimeout(ctx, k.cfg.Timeout)
	defer done()
	var body span.Text
	for i, g := range texts {
		if i > 0 {
			body = append(body, span.OfGenerated("\n\n", taskOrigin)...)
		}
		body = append(body, stage.Enclose(g.kind, g.name, span.Tool, span.Of(g.text, textOrigin))...)
	}
	r := wire.Request{Model: k.cfg.ModelName, Options: k.cfg.Options,
		System:   []prompt.Part{{Name: "keeper", Text: span.Of(task, taskOrigin), From: taskOrigin}},
		Messages: []chat.Message{{Role: chat.User, Parts: []chat.Part{{Kind: chat.TextPart, Text: body}}}}}
	if i, ok := k.cfg.Model.(provider.Informer); ok {
		r.Capability = i.Capability()
	}
	encoded, err := k.cfg.Model.Encode(nil, r)
	if err != nil {
		return "", nil, err
	}
	return k.receive(ctx, encoded, limit)
}

// receive sends a body and collects the text of the answer.
func (k *Keeper) receive(ctx context.Context, body wire.Body, limit int) (string, *wire.Usage, error) {
	var b strings.Builder
	var usage *wire.Usage
	stop := wire.StopEnd
	for e, err := range k.cfg.Model.Send(ctx, body) {
		if err != nil {
			return "", usage, err
		}
		switch e.Kind {
		case wire.TextDelta:
			b.WriteString(e.Text)
		case wire.UsageReport:
			usage = e.Usage
		case wire.Stop:
			stop = e.Stop
		}
		if b.Len() > limit {
			return "", usage, fmt.Errorf("the answer has more than %d bytes", limit)
		}
	}
	switch {
	case ctx.Err() != nil:
		return "", usage, ctx.Err()
	case stop != wire.StopEnd:
		return "", usage, fmt.Errorf("the answer is not complete: %s", stop)
	case strings.TrimSpace(b.String()) == "":
		return "", usage, errors.New("the answer is empty")
	}
	return strings.TrimSpace(strings.ToValidUTF8(b.String(), "\uFFFD")), usage, nil
}
