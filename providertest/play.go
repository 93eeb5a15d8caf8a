package providertest

import (
	"fmt"
	"strings"
	"time"

	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/providertest/internal/prefix"
	"github.com/proemhq/proem/providertest/internal/reply"
	"github.com/proemhq/proem/providertest/internal/request"
)

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// play sends the answer of an entry.
func (x *exchange) play(in *request.Request, t *scripted.Turn) {
	a := x.compose(in, t)
	x.usage(in, t, a)
	if in.Store && x.protocol == request.Responses {
		x.store(in, a)
	}
	if !in.Stream {
		x.deliver([][]byte{x.whole(a, t)}, "application/json")
		return
	}
	x.deliver(x.pieces(a, t), "text/event-stream")
}

// compose returns what the entry says, with what faults make of it.
func (x *exchange) compose(in *request.Request, t *scripted.Turn) *reply.Answer {
	number := max(x.number, in.Answers+1) // new in the conversation
	a := &reply.Answer{Number: x.number, Created: x.s.env.Clock.Now().Unix(), Model: in.Model, Reasoning: words(t.Reasoning), Text: words(t.Text),
		Stop: t.Stop, Sealed: in.Sealed, Store: in.Store, Previous: in.Previous}
	for i, c := range t.Calls {
		call := reply.Call{ID: c.ID, Name: c.Tool, Args: c.Raw}
		if call.ID == "" {
			call.ID = fmt.Sprintf("call_%d_%d", number, i+1)
		}
		if call.Args == "" {
			call.Args = string(c.Args)
		}
		if call.Args == "" {
			call.Args = "{}"
		}
		if x.faults.find(SameIDs) != nil {
			call.ID = "call_same"
		}
		a.Calls = append(a.Calls, call)
	}
	if f := x.faults.find(CutArguments); f != nil && len(a.Calls) > 0 {
		last := &a.Calls[len(a.Calls)-1]
		last.Args = last.Args[:min(f.N, len(last.Args))]
	}
	if f := x.faults.find(Filter); f != nil {
		a.Text, a.Calls, a.Stop = a.Text[:min(f.N, len(a.Text))], nil, "content_filter"
	}
	if f := x.faults.find(LongLines); f != nil {
		a.Pad = f.N
	}
	return a
}

// words cuts a text behind its spaces, so that the pieces concatenate to it.
func words(s string) []string {
	if s == "" {
		return nil
	}
	return strings.SplitAfter(s, " ")
}

// usage counts the tokens and decides what is reported of them.
func (x *exchange) usage(in *request.Request, t *scripted.Turn, a *reply.Answer) {
	hit, output := x.charge(in, a)
	units := x.kind() == prefix.Units
	reasoning := x.s.count.Count(strings.Join(a.Reasoning, ""))
	switch u := t.Usage; {
	case x.faults.find(NoUsage) != nil, x.protocol == request.Chat && in.Stream && !in.StreamUsage:
	case u != nil:
		a.Usage = &reply.Usage{Input: u.Input, Cached: u.Cached, Written: u.CacheWrite, Output: u.Output, Reasoning: u.Reasoning, Units: units}
	default:
		a.Usage = &reply.Usage{Input: &hit.Input, Cached: &hit.Cached, Output: &output, Reasoning: &reasoning, Units: units}
		if x.kind() == prefix.Breakpoints || x.protocol == request.Responses { // the latter always says so
			a.Usage.Written, a.Usage.WrittenLong = &hit.Written, &hit.WrittenLong
		}
	}
}

func (x *exchange) kind() prefix.Kind {
	switch x.s.cfg.Cache.Kind {
	case CacheOff:
		return prefix.None
	case CacheSteps:
		return prefix.Steps
	case CacheBreakpoints:
		return prefix.Breakpoints
	case CacheUnits:
		return prefix.Units
	}
	if x.protocol == request.Messages {
		return prefix.Breakpoints
	}
	return prefix.Steps
}

// charge asks the cache and adds up the tokens.
func (x *exchange) charge(in *request.Request, a *reply.Answer) (prefix.Hit, int) {
	text := strings.Join(a.Text, "")
	for _, c := range a.Calls {
		text += request.CallText(c.ID, c.Name, c.Args)
	}
	reasoning := strings.Join(a.Reasoning, "")
	output := x.s.count.Count(text) + x.s.count.Count(reasoning)
	s := x.s
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprintf("%s\x00%s\x00%s", x.protocol, in.Model, in.CacheKey)
	if s.caches[key] == nil {
		s.caches[key] = prefix.New(x.kind(), s.cfg.Cache.Least, s.count.Count)
	}
	hit := s.caches[key].Ask(in.Prompt, s.env.Clock.Now())
	s.caches[key].Answered(in.Prompt, prefix.Block{Text: "assistant\n" + text})
	if reasoning != "" {
		s.caches[key].Answered(in.Prompt, prefix.Block{Text: "assistant\n" + reasoning + text})
	}
	t := s.totals[in.Model]
	t.Requests, t.Input, t.Cached = t.Requests+1, t.Input+hit.Input, t.Cached+hit.Cached
	t.Written, t.Output = t.Written+hit.Written, t.Output+output
	s.totals[in.Model] = t
	sum := &s.requests[x.number-1].Summary
	sum.Input, sum.Cached, sum.Written = hit.Input, hit.Cached, hit.Written
	return hit, output
}

// store keeps the items of a response that a later request may continue.
func (x *exchange) store(in *request.Request, a *reply.Answer) {
	items := append([]byte{}, in.Items[:len(in.Items)-1]...)
	for _, item := range a.Items() {
		if len(items) > 1 {
			items = append(items, ',')
		}
		items = append(items, item...)
	}
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	x.s.stored[reply.ResponseID(a.Number)] = append(items, ']')
}

// whole returns the answer as one object.
func (x *exchange) whole(a *reply.Answer, t *scripted.Turn) []byte {
	if f := x.faults.find(StreamError); f != nil {
		return f.error().Object(x.protocol)
	}
	if t.Error != nil {
		return scriptedError(t.Error).Object(x.protocol)
	}
	return a.Object(x.protocol)
}

func scriptedError(e *scripted.Error) *reply.Error {
	return &reply.Error{Status: 500, Code: e.Code, Message: e.Message}
}

// pieces returns the answer as a stream, an event in each.
func (x *exchange) pieces(a *reply.Answer, t *scripted.Turn) [][]byte {
	events := a.Events(x.protocol)
	if t.Error != nil {
		events = append(events[:min(1, len(events))], scriptedError(t.Error).Event(x.protocol))
	}
	if t.Cut > 0 {
		events = events[:min(t.Cut, len(events))]
	}
	if f := x.faults.find(StreamError); f != nil {
		events = append(events[:min(f.N, len(events))], f.error().Event(x.protocol))
	}
	if f := x.faults.find(Stall); f != nil {
		events = events[:min(f.N, len(events))]
	}
	out := make([][]byte, len(events))
	for i := range events {
		out[i] = events[i].Bytes()
	}
	return out
}
