package record_test

import (
	"context"
	"encoding/json"
	"errors"
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
