package providertest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
)

// byWord counts a token for every word.
type byWord struct{}

func (byWord) Name() string          { return "words" }
func (byWord) Exact() bool           { return true }
func (byWord) Count(text string) int { return len(strings.Fields(text)) }

// converse sends the requests of a conversation in which every answer calls a
// tool; base returns the system text of a request. It returns the usage that the
// last response reported.
func converse(t *testing.T, s *providertest.Server, d wire.Dialect, requests int, base func(int) string) string {
	t.Helper()
	m := s.Model(d)
	m.Cap.StreamUsage = true
	history := []chat.Message{chat.UserText(strings.Repeat("ask ", 50), nil)}
	last := ""
	for i := range requests {
		b, err := m.Encode(nil, wire.Request{Model: "m", System: []prompt.Part{{Name: "base", Text: span.Of(base(i), nil)}}, Tools: tools, Messages: history})
		if err != nil {
			t.Fatal(err)
		}
		answer := chat.Message{Role: chat.Assistant}
		for ev, err := range m.Send(t.Context(), b) {
			switch {
			case err != nil:
				t.Fatal(err)
			case ev.Kind == wire.TextDelta:
				answer.Parts = append(answer.Parts, chat.Part{Kind: chat.TextPart, Text: span.Of(ev.Text, nil)})
			case ev.Kind == wire.CallEnd:
				answer.Parts = append(answer.Parts, chat.Part{Kind: chat.CallPart, Call: ev.Call})
			case ev.Kind == wire.UsageReport:
				last = usage(ev.Usage)
			}
		}
		calls := answer.Calls()
		history = append(history, answer, chat.ResultMessage(chat.ToolResult{ID: calls[0].ID, Text: span.Of(strings.Repeat("word ", 300), nil)}))
	}
	return last
}

// What a conversation costs when it only grows, and when its system text moves.
// The requests have 1256, 1564, 1872 … tokens; those of anthropic begin at 1260
// and grow by 310.
func TestCachedTokens(t *testing.T) {
	still := func(int) string { return strings.Repeat("rule ", 1200) }
	moving := func(i int) string { return fmt.Sprintf("It is %d o'clock. %s", i, still(i)) }
	const script = "turns: [{text: I look., calls: [{tool: grep, args: {x: 1}}]}]"
	type totals = providertest.Totals
	for _, c := range []struct {
		name string
		d    wire.Dialect
		kind providertest.CacheKind
		base func(int) string
		want totals
		last string // what the last response reports
	}{
		// 1152 + 1536 + 1792 + 2176 + 2432
		{"steps, growing", openaichat.Dialect, providertest.CacheAuto, still, totals{6, 12156, 9088, 0, 36}, "input:2796,cached:2432,output:6,reasoning:0"},
		{"steps, moving", openaichat.Dialect, providertest.CacheAuto, moving, totals{6, 12180, 0, 0, 36}, "input:2800,cached:0,output:6,reasoning:0"},
		// all of the request before
		{"breakpoints, growing", anthropic.Dialect, providertest.CacheAuto, still, totals{6, 12210, 9400, 2810, 36}, "input:2810,cached:2500,cacheWrite:310,output:6"},
		{"breakpoints, moving", anthropic.Dialect, providertest.CacheAuto, moving, totals{6, 12234, 0, 12234, 36}, "input:2814,cached:0,cacheWrite:2814,output:6"},
		// all of the request before and its answer, seven tokens with its role
		{"units, growing", openaichat.Dialect, providertest.CacheUnits, still, totals{6, 12156, 9395, 0, 36}, "input:2796,cached:2495,output:6,reasoning:0"},
		// what the first two requests share, from the third on
		{"units, moving", openaichat.Dialect, providertest.CacheUnits, moving, totals{6, 12180, 28, 0, 36}, "input:2800,cached:7,output:6,reasoning:0"},
		{"none", openaichat.Dialect, providertest.CacheOff, still, totals{6, 12156, 0, 0, 36}, "input:2796,cached:0,output:6,reasoning:0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := providertest.New(t, providertest.Config{Script: providertest.Script(t, script),
				Cache: providertest.Cache{Kind: c.kind}, Counter: byWord{}, Env: quick()})
			last := converse(t, s, c.d, c.want.Requests, c.base)
			if diff := cmp.Diff(last, c.last); diff != "" {
				t.Errorf("reported (-got +want)\n%s", diff)
			}
			if diff := cmp.Diff(s.Cache(), map[string]totals{"m": c.want}); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
		})
	}
}

// An agent's conversation only grows: every request finds the one before.
func TestAgentKeepsThePrefix(t *testing.T) {
	each(t, func(t *testing.T, d wire.Dialect) {
		s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{calls: [{tool: grep}]}, {text: done}, {calls: [{tool: grep}]}, {text: end}]"),
			Cache: providertest.Cache{Kind: providertest.CacheUnits}, Env: quick()})
		a, _ := newAgent(t, s.Model(d))
		for range 2 {
			if _, _, err := run(t.Context(), a, "s", "go on"); err != nil {
				t.Fatal(err)
			}
		}
		all := s.Requests()
		for i := range all[1:] {
			if before, now := all[i].Summary, all[i+1].Summary; now.Cached < before.Input {
				t.Errorf("request %d: %d tokens are cached, the request before had %d", i+2, now.Cached, before.Input)
			}
		}
		if got, most := s.Cache()["m"].Uncached(), all[3].Summary.Input; got > most {
			t.Errorf("%d tokens were read anew, and the last request has only %d", got, most)
		}
	})
}
