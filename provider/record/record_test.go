package record_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/provider/record"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

var _ interface {
	provider.Model
	provider.Informer
} = (*record.Recorder)(nil)

var _ interface {
	provider.Model
	provider.Informer
} = (*record.Player)(nil)

func quick() *env.Env {
	return &env.Env{Clock: env.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), Rand: env.FixedRand(0)}
}

type clock struct{ says string }

func (clock) Spec() chat.ToolSpec { return chat.ToolSpec{Name: "time", Description: "Tells the time."} }
func (c clock) Call(context.Context, json.RawMessage) (tool.Result, error) {
	return tool.Text(c.says), nil
}

// turns runs the same two turns with a model and returns what happened, without
// times.
func turns(t *testing.T, m provider.Model, says string) ([]session.Event, error) {
	t.Helper()
	a, err := agent.New(agent.Config{Model: m, ModelName: "m", System: "You help.", Tools: []tool.Tool{clock{says}}, Env: quick()})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var out []session.Event
	for _, in := range []string{"What time is it?", "And now?"} {
		for e, err := range a.Run(t.Context(), "s", agent.Text(in)) {
			if err != nil {
				return out, err
			}
			e.Time = time.Time{}
			out = append(out, e)
		}
	}
	return out, nil
}

const script = `
turns:
  - reasoning: I look.
    calls: [{tool: time}, {tool: time, args: {zone: é}}]
  - text: It is noon.
  - calls: [{tool: time}]
  - text: Still noon.`

// A tool loop through failures, recorded and played again, is the same; a tool
// that says something else is found at the byte.
func TestRoundTrip(t *testing.T) {
	for _, d := range []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect} {
		t.Run(d.Name, func(t *testing.T) {
			s := providertest.New(t, providertest.Config{Script: providertest.Script(t, script), Env: quick(), Faults: []providertest.Fault{
				{At: 1, Kind: providertest.Status, Status: 429, RetryAfter: time.Minute, Message: "slow down, " + providertest.DefaultKey},
				{At: 2, Kind: providertest.Reset},
				{At: 4, Kind: providertest.StreamError},
				{Kind: providertest.Chunk, N: 100},
			}})
			dir := filepath.Join(t.TempDir(), "run")
			rec, err := record.To(s.Model(d), dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, err := turns(t, rec, "noon")
			if err != nil {
				t.Fatal(err)
			}
			if err := rec.Close(); err != nil {
				t.Fatal(err)
			}
			noCredentials(t, dir)

			play := from(t, dir, d)
			got, err := turns(t, play, "noon")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("(-played +recorded)\n%s", diff)
			}
			if n := play.Rest(); n != 0 {
				t.Errorf("%d sends were not played", n)
			}

			_, err = turns(t, from(t, dir, d), "night")
			var differ *record.DifferenceError
			if !errors.As(err, &differ) || differ.Number != 2 || !strings.HasPrefix(differ.Want, "oon") || !strings.HasPrefix(differ.Got, "ight") ||
				!strings.Contains(err.Error(), "request 2 differs from the recorded one at byte") || !strings.Contains(err.Error(), "in section time, source tool") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func from(t *testing.T, dir string, d wire.Dialect) *record.Player {
	t.Helper()
	p, err := record.From(dir, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// noCredentials checks that no file of a folder holds the key, and that nothing
// half written is left.
func noCredentials(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil || strings.Contains(string(b), providertest.DefaultKey) || strings.HasPrefix(f.Name(), "tmp") {
			t.Errorf("%s: %v", f.Name(), err)
		}
	}
}

func send(ctx context.Context, m provider.Model, text string) (string, error) {
	b, err := m.Encode(nil, wire.Request{Model: "m", Messages: []chat.Message{chat.UserText(text, nil)}})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for ev, err := range m.Send(ctx, b) {
		if err != nil {
			return out.String(), err
		}
		out.WriteString(ev.Text)
	}
	return out.String(), nil
}

// Failures are played as they were.
func TestFailures(t *testing.T) {
	s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: one two three}]"), Env: quick(), Faults: []providertest.Fault{
		{At: 1, Kind: providertest.Drop, N: 500},
		{At: 2, Kind: providertest.Stall, N: 2},
		{At: 3, Kind: providertest.ContextLength, N: 5000},
	}})
	m := s.Model(openaichat.Dialect)
	m.Idle, m.Retry.Max = 100*time.Millisecond, -1
	dir := t.TempDir()
	rec, err := record.To(m, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	run := func(m provider.Model) (out []string) {
		for i := range 4 {
			got, err := send(t.Context(), m, fmt.Sprint("request ", i))
			kind := "none"
			var api *wire.APIError
			switch {
			case errors.As(err, &api):
				kind = err.Error()
			case errors.Is(err, wire.ErrTruncated):
				kind = "truncated"
			case err != nil:
				kind = "transport"
			}
			out = append(out, got+" "+kind)
		}
		return out
	}
	want := run(rec)
	got := run(from(t, dir, openaichat.Dialect))
	for i := range want {
		if i == 2 {
			want[i], got[i] = strings.ReplaceAll(want[i], s.URL(), "http://recording"), strings.ReplaceAll(got[i], "/v1", "")
			want[i] = strings.ReplaceAll(want[i], "/v1", "")
		}
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-played +recorded)\n%s", diff)
	}
	if !strings.HasSuffix(want[0], "truncated") || !strings.HasSuffix(want[1], "transport") || want[3] != "one two threestop none" {
		t.Errorf("got %q", want)
	}
}

// Sends that ran at the same time may be played in any order, others may not.
func TestOrder(t *testing.T) {
	s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: a}]")})
	dir := t.TempDir()
	rec, err := record.To(s.Model(openaichat.Dialect), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	b, err := rec.Encode(nil, wire.Request{Model: "m", Messages: []chat.Message{chat.UserText("outer", nil)}})
	if err != nil {
		t.Fatal(err)
	}
	inner := false
	for _, err := range rec.Send(t.Context(), b) {
		if err != nil {
			t.Fatal(err)
		}
		if !inner {
			inner = true
			if _, err := send(t.Context(), rec, "inner"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := send(t.Context(), rec, "after"); err != nil {
		t.Fatal(err)
	}
	for order, ok := range map[string]bool{"outer inner after": true, "inner outer after": true, "after": false, "outer after": false} {
		p := from(t, dir, openaichat.Dialect)
		var failed error
		for _, text := range strings.Fields(order) {
			if _, err := send(t.Context(), p, text); err != nil {
				failed = err
			}
		}
		if (failed == nil) != ok {
			t.Errorf("%s: got %v", order, failed)
		}
	}
}

func TestRefused(t *testing.T) {
	if _, err := record.To(scripted.New(scripted.Script{}), t.TempDir(), nil); err == nil {
		t.Error("a model without a host was recorded")
	}
	s := providertest.New(t, providertest.Config{})
	dir := t.TempDir()
	m := s.Model(openaichat.Dialect)
	rec, err := record.To(m, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	if _, err := send(t.Context(), rec, "my key is "+m.Key); err == nil || !strings.Contains(err.Error(), "credential") || strings.Contains(err.Error(), m.Key) {
		t.Errorf("got %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("got %v, %v", files, err)
	}
	if _, err := send(t.Context(), rec, "hello"); err != nil {
		t.Error(err)
	}
	if _, err := record.To(m, dir, nil); err == nil || !strings.Contains(err.Error(), "holds a recording already") {
		t.Errorf("got %v", err)
	}
	if _, err := record.From(dir, anthropic.Dialect, nil); err == nil || !strings.Contains(err.Error(), "of openai-chat, not of anthropic") {
		t.Errorf("got %v", err)
	}
	p := from(t, dir, openaichat.Dialect)
	for _, want := range []string{"", "no further request"} {
		_, err := send(t.Context(), p, "hello")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A disk that fails at any effect makes the send fail, and leaves a recording
// that can be played as far as it goes, or none.
func TestFailingDisk(t *testing.T) {
	for k := 1; ; k++ {
		s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: a}]")})
		dir := filepath.Join(t.TempDir(), "run")
		fail := &env.Failpoints{At: k, After: true}
		rec, err := record.To(s.Model(openaichat.Dialect), dir, &env.Env{Fail: fail})
		done := 0
		for i := 0; i < 2 && err == nil; i++ {
			if _, err = send(t.Context(), rec, fmt.Sprint("request ", i)); err == nil {
				done++
			}
		}
		if rec != nil {
			rec.Close()
		}
		if fail.Hits() < k {
			if done != 2 {
				t.Errorf("without a fault: %v", err)
			}
			return
		}
		if !errors.Is(err, env.ErrInjected) {
			t.Errorf("effect %d: got %v", k, err)
		}
		p, err := record.From(dir, openaichat.Dialect, nil)
		if err != nil {
			if done > 0 {
				t.Errorf("effect %d: %v", k, err)
			}
			continue
		}
		if n := p.Rest(); n < done {
			t.Errorf("effect %d: %d sends were stored, %d recorded", k, done, n)
		}
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	host := &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: "http://127.0.0.1:1/v1", Retry: provider.Retry{Max: -1}}
	recorder, err := record.To(host, dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, first := send(context.Background(), recorder, "hi")
	if err := recorder.Close(); err != nil {
		fmt.Println(err)
	}
	player, err := record.From(dir, openaichat.Dialect, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, second := send(context.Background(), player, "hi")
	fmt.Println(first != nil, second != nil)
	_, third := send(context.Background(), player, "hi")
	fmt.Println(third)
	// Output:
	// true true
	// record: the recording has no further request
}
