package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

var (
	codeOrigin   = &span.Origin{Section: "code", Source: "code", Trust: span.Tool}
	noticeOrigin = span.Generated("runtime")
)

// obey does what an answer asks for. It returns why the turn does not go on, if it
// does not.
func (r *run) obey(ctx context.Context, answer chat.Message, stop session.Stop) (*session.Stop, error) {
	p := r.progress
	p.Calls = r.called
	move := r.a.cfg.Runtime.Read(answer.Text().String(), p)
	switch {
	case move.Final != nil:
		r.say(ctx, *move.Final)
		return &stop, nil
	case move.Stop != nil:
		return move.Stop, nil
	case !ended(stop): // what came is not all, and not what was asked for
		return &stop, nil
	}
	if over := r.over(ctx, r.models[r.model].Name); over != nil {
		return over, nil
	}
	if move.Code == nil {
		if r.progress.Invalid++; !move.Invalid {
			r.progress.Invalid = 0
		}
		m := chat.TextMessage(chat.User, span.OfGenerated(validUTF8(move.Again), noticeOrigin))
		m.Name = "notice"
		return nil, r.append(ctx, session.Event{Kind: session.Notice, Message: &m})
	}
	r.progress.Invalid = 0
	move.Code.ID = fmt.Sprintf("code-%d-%d", r.turnNo, r.step)
	if err := r.append(ctx, session.Event{Kind: session.Ran, Code: move.Code}); err != nil {
		return nil, err
	}
	return r.code(ctx, false)
}

// ended reports whether a model ended its answer by itself.
func ended(stop session.Stop) bool {
	switch wire.StopReason(stop.Reason) {
	case wire.StopEnd, wire.StopTools, wire.StopOtherwise:
		return true
	}
	return false
}

// say keeps the answer of the turn, and shows it.
func (r *run) say(ctx context.Context, text string) {
	m := chat.TextMessage(chat.Assistant, span.Of(validUTF8(text), modelOrigin))
	r.said = &m
	if text != "" {
		r.emit(ctx, session.Event{Kind: session.DeltaText, Turn: r.turnNo, Step: r.step, Delta: m.Text().String()})
	}
}

// code runs the program of the log, from its start. Calls that it made before get
// the results that they had.
func (r *run) code(ctx context.Context, again bool) (*session.Stop, error) {
	view := r.l.folder.View()
	p := Program{Code: view.Code.Code, Began: view.Code.Began, Again: again}
	for i := range r.shown {
		p.Tools = append(p.Tools, r.shown[i].Name)
	}
	c := calling{run: r, before: view.Code.Batches}
	ran, err := r.runCode(ctx, p, &c)
	switch {
	case c.err != nil:
		return nil, c.err
	case r.paused:
		stop := r.pause()
		return &stop, nil
	case err != nil:
		return nil, cmp.Or(ctx.Err(), fmt.Errorf("code: %w", err))
	}
	if err := r.closeCalls(ctx, "the code was over"); err != nil {
		return nil, err
	}
	m := codeMessage(span.OfGenerated(validUTF8(ran.Message), codeOrigin), r.l.folder.View().Code)
	r.loop.add(chat.ToolCall{Name: "code", Args: codeArgs(p.Source)}, ran.Message, !ran.OK)
	if err := r.append(ctx, session.Event{Kind: session.RanResult, Message: &m}); err != nil {
		return nil, err
	}
	r.progress.Succeeded = r.progress.Succeeded || ran.OK
	if ran.Final != nil {
		r.say(ctx, *ran.Final)
		return &session.Stop{Reason: string(wire.StopEnd)}, nil
	}
	return r.loop.stop(), nil
}

func codeArgs(source string) json.RawMessage {
	b, _ := json.Marshal(source) // a string always has a form
	return b
}

// codeMessage returns what the model is told of a program: a text, and what its
// calls brought that a program cannot use: documents that were handed over, and
// pictures.
func codeMessage(text span.Text, c *session.CodeRun) chat.Message {
	var images []chat.Image
	var docs span.Text
	for _, batch := range c.Batches {
		for _, call := range batch {
			if call.Result != nil {
				_, more := ownText(call.Result.Text)
				docs = span.Concat(docs, more)
				images = append(images, call.Result.Images...)
			}
		}
	}
	images, left := boundedImages(images)
	m := chat.TextMessage(chat.User, span.Concat(text, left, docs))
	m.Name = "code"
	for i := range images {
		m.Parts = append(m.Parts, chat.Part{Kind: chat.ImagePart, Image: &images[i]})
	}
	return m
}

// ownText returns the text of a result without the documents that were handed over
// with it, and these.
func ownText(t span.Text) (own, docs span.Text) {
	i := slices.IndexFunc(t, func(s span.Span) bool { return s.From != nil && s.From.Source == nestedSource })
	if i < 0 {
		return t, nil
	}
	return t[:i], t[i:]
}

// errPaused ends a program that waits for a person.
var errPaused = errors.New("the turn pauses")

// A calling makes the calls of a program.
type calling struct {
	run    *run
	before [][]session.CodeCall // that the log has
	batch  int                  // how many batches the program has asked for
	n      int                  // how many calls
	err    error                // what ends the turn
}

// call implements [CallFunc].
func (c *calling) call(ctx context.Context, calls []chat.ToolCall) ([]chat.ToolResult, error) {
	if err := c.make(ctx, calls); err != nil {
		if err != errPaused && ctx.Err() == nil {
			c.err = err
		}
		return nil, err
	}
	made := c.run.l.folder.View().Code.Batches[c.batch-1]
	results := make([]chat.ToolResult, len(made))
	for i := range made {
		results[i] = *made[i].Result
		results[i].Text, _ = ownText(results[i].Text)
	}
	return results, nil
}

// make sees to it that the log has a result of each call.
func (c *calling) make(ctx context.Context, calls []chat.ToolCall) error {
	r := c.run
	if err := ctx.Err(); err != nil {
		return err
	}
	var open []chat.ToolCall
	if c.batch < len(c.before) {
		made := c.before[c.batch]
		if !sameCalls(made, calls) {
			return fmt.Errorf("code %s: run again, it made other calls than before", r.l.folder.View().Code.ID)
		}
		open = r.l.folder.View().Open // of the last batch; none of those before it
		if c.batch < len(c.before)-1 {
			open = nil
		}
	} else {
		m := chat.Message{Role: chat.Assistant}
		id := r.l.folder.View().Code.ID
		for i := range calls {
			call := calls[i]
			call.ID, call.From = fmt.Sprintf("%s-%d", id, c.n+i+1), codeOrigin
			open = append(open, call)
			m.Parts = append(m.Parts, chat.Part{Kind: chat.CallPart, Call: &call})
		}
		if err := r.append(ctx, session.Event{Kind: session.RanCalls, Message: &m}); err != nil {
			return err
		}
	}
	c.batch, c.n = c.batch+1, c.n+len(calls)
	if len(open) == 0 {
		return nil
	}
	if err := r.act(ctx, open); err != nil {
		return err
	}
	if r.paused {
		return errPaused
	}
	return nil
}

// sameCalls reports whether calls are those that were made before.
func sameCalls(made []session.CodeCall, calls []chat.ToolCall) bool {
	return slices.EqualFunc(made, calls, func(m session.CodeCall, c chat.ToolCall) bool {
		return m.Call.Name == c.Name && string(m.Call.Args) == string(c.Args)
	})
}

// brokenOff returns what the model is told of a program that did not run to its
// end.
func brokenOff(c *session.CodeRun, why string) *chat.Message {
	text := "The code did not run to its end: " + why + "."
	n, broken := 0, 0
	for _, batch := range c.Batches {
		for _, call := range batch {
			n++
			if call.Result == nil || call.Result.IsError {
				broken++
			}
		}
	}
	if n > 0 {
		text += fmt.Sprintf(" It made %d calls, of which %d failed or were broken off; what they did stands.", n, broken)
	}
	m := codeMessage(span.OfGenerated(validUTF8(text), codeOrigin), c)
	return &m
}
