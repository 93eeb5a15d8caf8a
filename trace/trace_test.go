package trace_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/trace"
)

type kept struct {
	mu    sync.Mutex
	spans []trace.Span
}

func (k *kept) End(s trace.Span) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.spans = append(k.spans, s)
}

func (k *kept) names() (out []string) {
	for _, s := range k.spans {
		out = append(out, s.Name)
	}
	return out
}

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func tracer() (*trace.Tracer, *kept, *env.FakeClock) {
	k, clock := &kept{}, env.NewFakeClock(t0)
	return &trace.Tracer{Sink: k, Env: &env.Env{Clock: clock, IDs: &env.Sequence{}}}, k, clock
}

func diff(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

// What is open below a span that ends is ended before it, once.
func TestOpenChildrenEnd(t *testing.T) {
	tr, k, clock := tracer()
	ctx, root := tr.Start(t.Context(), trace.InvokeAgent, "a")
	ctx2, step := trace.Start(ctx, trace.Step, "")
	_, one := trace.Start(ctx2, trace.ExecuteTool, "one")
	trace.Start(ctx2, trace.ExecuteTool, "two")
	clock.Advance(time.Second)
	one.End()
	root.End()
	one.End()
	step.End()
	root.End()
	diff(t, "ended", k.names(), []string{"execute_tool one", "execute_tool two", "step", "invoke_agent a"})
	diff(t, "failed", []bool{k.spans[0].Failed, k.spans[1].Failed, k.spans[2].Failed, k.spans[3].Failed}, []bool{false, true, true, false})
	diff(t, "why", k.spans[1].Get(trace.ErrorType).String(), trace.Abandoned)
	if _, late := trace.Start(ctx2, "late", ""); late != nil {
		t.Error("a span began below one that is over")
	}
	step.Set(trace.Int("n", 1))
	step.Fail("x", "late")
	diff(t, "after the end", step.Span().Get("n").Any(), nil)
}

// Ids have the form of the W3C's, whatever the environment's look like.
func TestIDs(t *testing.T) {
	for _, e := range []*env.Env{nil, {IDs: &env.Sequence{}}} {
		k := &kept{}
		ctx, root := (&trace.Tracer{Sink: k, Env: e}).Start(t.Context(), "a", "")
		_, child := trace.Start(ctx, "b", "")
		child.End()
		root.End()
		c, r := k.spans[0], k.spans[1]
		if len(c.Trace) != 32 || len(c.ID) != 16 || c.Parent != r.ID || c.Trace != r.Trace || c.ID == r.ID || r.Parent != "" || strings.Trim(c.Trace+c.ID, "0123456789abcdef") != "" {
			t.Errorf("got %+v and %+v", c, r)
		}
	}
}

// What goes on in the background is a trace of its own that is linked.
func TestDetached(t *testing.T) {
	tr, k, _ := tracer()
	ctx, root := tr.Start(t.Context(), "turn", "")
	far := trace.Detached(ctx)
	_, job := tr.Start(far, "job", "")
	in, other := trace.Start(far, "other", "")
	root.End()
	job.End()
	trace.Start(in, "child of other", "")
	other.End()
	_, after := tr.Start(ctx, "after", "")
	after.End()
	for _, i := range []int{1, 3, 4} {
		s := k.spans[i]
		if s.Parent != "" || s.Trace == k.spans[0].Trace || s.Link != (trace.Link{Trace: k.spans[0].Trace, ID: k.spans[0].ID}) {
			t.Errorf("got %+v", s)
		}
	}
	diff(t, "a child", k.spans[2].Parent, k.spans[3].ID)
	if ctx := t.Context(); trace.Detached(ctx) != ctx {
		t.Error("a context without a span was changed")
	}
}

func TestAttrs(t *testing.T) {
	tr, k, _ := tracer()
	_, s := tr.Start(t.Context(), "a", "", trace.String("s", "x"), trace.String("", "no name"), trace.String("empty", ""))
	s.Set(trace.Int("i", 1), trace.Float("f", 0.5), trace.Bool("b", true), trace.Strings("l", []string{"x", "y"}), trace.Strings("none", nil), trace.Int("i", 2))
	s.Fail("first", "one")
	s.Fail("second", "two")
	s.End()
	var got []string
	for _, a := range k.spans[0].Attrs {
		got = append(got, fmt.Sprintf("%s=%s %T", a.Key, a.Value, a.Value.Any()))
	}
	diff(t, "attributes", got, []string{"s=x string", "i=2 int64", "f=0.5 float64", "b=true bool", "l=x, y []string", "error.type=first string"})
	diff(t, "message", k.spans[0].Message, "one")
}

// Nobody who is not traced pays for it.
func TestNothingCostsNothing(t *testing.T) {
	ctx, text := t.Context(), strings.Repeat("x", 10)
	var none *trace.Tracer
	n := testing.AllocsPerRun(100, func() {
		ctx, turn := none.Start(ctx, trace.InvokeAgent, text, trace.String("a", text), trace.Int("b", len(text)))
		ctx, step := trace.Start(ctx, trace.Step, "", trace.Int(trace.Turn, len(text)))
		step.Set(trace.String("c", text), trace.Bool("d", true))
		step.Fail("x", text)
		_ = step.In(ctx)
		step.End()
		turn.End()
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Spans of one trace may begin and end in many goroutines.
func TestConcurrent(t *testing.T) {
	k := &kept{}
	tr := &trace.Tracer{Sink: k}
	ctx, root := tr.Start(t.Context(), "root", "")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				in, s := trace.Start(ctx, "a", "")
				_, c := trace.Start(in, "b", "")
				c.Set(trace.Int("n", 1))
				s.End()
				c.End()
			}
		})
	}
	wg.Wait()
	root.End()
	diff(t, "spans", len(k.spans), 801)
}

func TestRedactor(t *testing.T) {
	s := trace.Span{Name: "execute_tool hunter22", Message: "key hunter22 refused", Attrs: []trace.Attr{
		trace.String("http.request.header.authorization", "Bearer whatever"), trace.Strings("http.request.header.cookie", []string{"a", "b"}),
		trace.String("gen_ai.tool.call.arguments", `{"url":"https://u:p@h/","password":"x"}`), trace.Int("gen_ai.usage.input_tokens", 7), trace.String("plain", "text"),
		trace.Strings("list", []string{"aHVudGVyMjI="})}}
	got := trace.NewRedactor("hunter22").Span(s)
	want := trace.Span{Name: "execute_tool [redacted]", Message: "key [redacted] refused", Attrs: []trace.Attr{
		trace.String("http.request.header.authorization", "[redacted]"), trace.Strings("http.request.header.cookie", []string{"[redacted]", "[redacted]"}),
		trace.String("gen_ai.tool.call.arguments", `{"url":"https://[redacted]@h/","password":"[redacted]"}`), trace.Int("gen_ai.usage.input_tokens", 7), trace.String("plain", "text"),
		trace.Strings("list", []string{"[redacted]"})}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if s.Attrs[0].Value.String() != "Bearer whatever" {
		t.Error("the span that was given was changed")
	}
	if got := (trace.Redactor{}).Span(s); strings.Contains(fmt.Sprint(got), "whatever") {
		t.Errorf("the zero value: %v", got)
	}
}

func TestCut(t *testing.T) {
	s := trace.Span{Message: strings.Repeat("é", 40), Attrs: []trace.Attr{trace.String("a", "short"), trace.String("b", "bad \xff")}}.Cut(15)
	diff(t, "message", s.Message, strings.Repeat("é", 7)+"…[66 bytes cut]")
	diff(t, "others", s.Attrs[0].Value.String()+s.Attrs[1].Value.String(), "shortbad \uFFFD")
}

func ExampleTracer() {
	sink := printer{}
	t := &trace.Tracer{Sink: sink, Env: &env.Env{Clock: env.NewFakeClock(t0), IDs: &env.Sequence{}}}
	ctx, turn := t.Start(context.Background(), trace.InvokeAgent, "reviewer", trace.Int(trace.Turn, 1))
	_, call := trace.Start(ctx, trace.ExecuteTool, "grep")
	call.Fail("timeout", "no answer in 30 s")
	call.End()
	turn.End()
	// Output:
	// execute_tool grep: no answer in 30 s
	// invoke_agent reviewer: proem.turn 1
}

type printer struct{}

func (printer) End(s trace.Span) {
	if s.Failed {
		fmt.Printf("%s: %s\n", s.Name, s.Message)
		return
	}
	fmt.Printf("%s: %s %s\n", s.Name, s.Attrs[0].Key, s.Attrs[0].Value)
}
