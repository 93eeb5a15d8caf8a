package jsonl_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/trace"
	"github.com/proemhq/proem/trace/jsonl"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestLines(t *testing.T) {
	var b bytes.Buffer
	sink := &jsonl.Sink{W: &b, Resource: []trace.Attr{trace.String("service.name", "shop")}, Redact: trace.NewRedactor("hunter22")}
	clock := env.NewFakeClock(t0)
	tr := &trace.Tracer{Sink: sink, Env: &env.Env{Clock: clock, IDs: &env.Sequence{}}}
	ctx, turn := tr.Start(t.Context(), trace.InvokeAgent, "a")
	_, call := trace.Start(ctx, trace.ExecuteTool, "grep", trace.String("z", "<x>\nhunter22"), trace.Int("a", 1), trace.Float("f", math.NaN()))
	clock.Advance(1500 * time.Millisecond)
	call.Fail("timeout", "none")
	call.End()
	turn.End()
	want := `{"schema":"proem.trace/1","trace":"d86ac1b6","span":"SPAN","parent":"SPAN","name":"execute_tool grep","kind":"internal","begin":"2026-01-02T03:04:05Z","end":"2026-01-02T03:04:06.5Z","status":"error","message":"none","attributes":{"z":"\u003cx\u003e\n[redacted]","a":1,"f":null,"error.type":"timeout"},"resource":{"service.name":"shop"}}`
	got := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(got) != 2 {
		t.Fatalf("got %d lines:\n%s", len(got), &b)
	}
	var members, wanted map[string]any
	if err := errors.Join(json.Unmarshal([]byte(got[0]), &members), json.Unmarshal([]byte(want), &wanted)); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"trace", "span", "parent"} {
		delete(members, k)
		delete(wanted, k)
	}
	if d := cmp.Diff(members, wanted); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
	if !strings.Contains(got[0], `"attributes":{"z":`) {
		t.Errorf("the order of attributes is not kept: %s", got[0])
	}
}

// A line is bounded, whatever a span holds.
func TestBounds(t *testing.T) {
	long := strings.Repeat("long \x00\xff", 4<<10)
	many := trace.Span{Name: long, Message: long}
	for i := range 2500 {
		many.Attrs = append(many.Attrs, trace.String(fmt.Sprint("key", i), strings.Repeat("words ", 10)))
	}
	for name, s := range map[string]trace.Span{
		"long":   {Name: long, Message: long, Attrs: []trace.Attr{trace.String("a", long), trace.Strings("b", []string{long, long})}},
		"many":   many,
		"ageold": {Begin: time.Date(100000, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		var b bytes.Buffer
		(&jsonl.Sink{W: &b}).End(s)
		if b.Len() > jsonl.MaxLine || b.Len() == 0 || bytes.Count(b.Bytes(), []byte("\n")) != 1 || !json.Valid(b.Bytes()) {
			t.Errorf("%s: %d bytes: %.200s", name, b.Len(), &b)
		}
	}
}

// Lines of several goroutines, and of several sinks on one file, stay lines.
func TestConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	var wg sync.WaitGroup
	for range 2 {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		sink := &jsonl.Sink{W: f}
		for range 4 {
			wg.Go(func() {
				for range 25 {
					sink.End(trace.Span{Name: strings.Repeat("x", 3000)})
				}
			})
		}
	}
	wg.Wait()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for _, l := range lines {
		if !json.Valid([]byte(l)) {
			t.Fatalf("not a line: %.100s", l)
		}
	}
	if len(lines) != 200 {
		t.Errorf("%d lines", len(lines))
	}
}

type full struct{ n int }

var errFull = errors.New("the disk is full")

func (f *full) Write(p []byte) (int, error) {
	if f.n--; f.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// After a failure nothing more is written, and the failure is told.
func TestFailure(t *testing.T) {
	f := &full{n: 1}
	sink := &jsonl.Sink{W: f}
	for range 3 {
		sink.End(trace.Span{})
	}
	if err := sink.Err(); !errors.Is(err, errFull) || f.n != -1 {
		t.Errorf("got %v, %d", err, f.n)
	}
}
