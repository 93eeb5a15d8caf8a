package find_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/inspect/find"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// weather is a source whose text changes with each step.
type weather struct{ texts []string }

func (w *weather) Read(context.Context, source.Query) (prompt.Fact, error) {
	text := w.texts[0]
	if len(w.texts) > 1 {
		w.texts = w.texts[1:]
	}
	return prompt.Fact{Text: text}, nil
}

// counting is a store that counts how often a log is read.
type counting struct {
	memory.Store
	reads int
}

func (s *counting) Events(ctx context.Context, id string) iter.Seq2[session.Event, error] {
	s.reads++
	return s.Store.Events(ctx, id)
}

// play runs turns and returns the agent.
func play(t *testing.T, cfg agent.Config, yaml string, inputs ...string) *agent.Agent {
	t.Helper()
	s, err := scripted.Parse([]byte(yaml), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Model, cfg.ModelName = scripted.New(*s), "m"
	cfg.Env = &env.Env{Clock: env.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
	a, err := agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range inputs {
		if in == "/compact" {
			if _, err := a.Compact(t.Context(), "s"); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for _, err := range a.Run(t.Context(), "s", agent.Text(in)) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return a
}

// search draws what is found.
func search(t *testing.T, a *agent.Agent, text string, o find.Options) []string {
	t.Helper()
	s, err := find.New(text, o)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for r, err := range a.Replays(t.Context(), "s") {
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Add(r) {
			sign := "+"
			if !c.Appeared {
				sign = "-"
			}
			out = append(out, fmt.Sprintf("%d %s %s %s ×%d from %s: %s", c.Request, sign, c.Place.Kind, c.Place.Name, c.Place.Count, c.Place.Source, c.Place.Excerpt))
		}
	}
	return out
}

func TestFind(t *testing.T) {
	reg := registry.New()
	w := &weather{texts: []string{"It is sunny.", "It is sunny.", "It rains.", "It is sunny."}}
	if _, err := reg.Global().Dynamic(prompt.SectionDef{Name: "weather", Channel: prompt.Context, Class: prompt.Turn}, w); err != nil {
		t.Fatal(err)
	}
	store := &counting{}
	a := play(t, agent.Config{Registry: reg, Store: store, System: "You forecast.", Instructions: "Say sunny or not. Be SUNNY."},
		"turns: [{text: a sunny answer}, {text: ok}, {text: ok}, {text: ok}]", "how is it?", "and now?", "and now?", "and in the end?")
	store.reads = 0
	got := search(t, a, "sunny", find.Options{})
	if store.reads != 1 {
		t.Errorf("the log was read %d times", store.reads)
	}
	for _, tt := range []struct {
		text string
		o    find.Options
		got  []string
		want []string
	}{
		{"sunny", find.Options{}, got, []string{
			"1 + instructions instructions ×1 from literal: Say sunny or not. Be SUNNY.", "1 + message context ×1 from context/weather: It is sunny.",
			"2 + message answer ×1 from model: a sunny answer", "4 + message context ×1 from context/weather: It is sunny."}},
		{"SUNNY", find.Options{FoldCase: true}, nil, []string{
			"1 + instructions instructions ×2 from literal: Say sunny or not. Be SUNNY.", "1 + message context ×1 from context/weather: It is sunny.",
			"2 + message answer ×1 from model: a sunny answer", "4 + message context ×1 from context/weather: It is sunny."}},
		{"in the end", find.Options{}, nil, []string{"4 + message input ×1 from user: and in the end?"}},
		{"a.swer", find.Options{}, nil, []string{}},
		{"forecast", find.Options{}, nil, []string{"1 + system base ×1 from literal: You forecast."}},
	} {
		if tt.got == nil {
			tt.got = search(t, a, tt.text, tt.o)
		}
		if d := cmp.Diff(tt.got, tt.want); d != "" {
			t.Errorf("%s (-got +want):\n%s", tt.text, d)
		}
	}
	if _, err := find.New("", find.Options{}); err == nil {
		t.Error("an empty text is taken")
	}
}

// What a compaction replaces is gone at the next request, and what it keeps stays
// where it was.
func TestFindAfterCompaction(t *testing.T) {
	long := strings.Repeat("many words ", 400)
	a := play(t, agent.Config{Compaction: agent.Compaction{Keep: 1800}},
		"turns: [{text: needle one "+long+"}, {text: two "+long+"}, {text: three "+long+"}, {text: a summary with a needle}, {text: needle five}, {text: six}]",
		"first", "second", "third", "/compact", "fourth", "fifth")
	want := []string{
		"2 + message answer ×1 from model: needle one many words many words many words ma…",
		"4 - message answer ×1 from model: needle one many words many words many words ma…",
		"4 + message compacted ×1 from summary: a summary with a needle",
		"5 + message answer ×1 from model: needle five",
	}
	if d := cmp.Diff(search(t, a, "needle", find.Options{}), want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

// Places are told by where the text comes from, also in the middle of a file and
// across spans.
func TestPlace(t *testing.T) {
	file := &span.Origin{Section: "doc", Source: "file", Path: "/w/A.md"}
	text := span.Text{{Text: "generated ", Off: span.NoOffset, From: span.Generated("head")}, {Text: "the words", Off: 100, From: file}, {Text: " go on", Off: 109, From: file}}
	r := agent.Replayed{Number: 1, Step: agent.Step{Request: wire.Request{System: []prompt.Part{{Name: "doc", Text: text, From: file}},
		Tools:    []chat.ToolSpec{{Name: "t", Description: "finds words", Parameters: []byte(`{"words":1}`), From: &span.Origin{Source: "tool"}}},
		Messages: []chat.Message{{}, chat.TextMessage(chat.User, span.Of("a reminder of words", &span.Origin{Source: "x"}))}}}}
	s, err := find.New("words", find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Add(r)
	want := []find.Place{
		{Kind: find.System, Name: "doc", Source: "file", Path: "/w/A.md", Offset: 104, Count: 1, Excerpt: "generated the words go on"},
		{Kind: find.Tool, Name: "t", Source: "tool", Offset: -1, Count: 2, Excerpt: "finds words"},
		{Kind: find.Message, Name: "added", Source: "x", Offset: 14, Count: 1, Excerpt: "a reminder of words"},
	}
	if d := cmp.Diff(s.Present(), want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
	s, _ = find.New("d words go o", find.Options{})
	s.Add(r)
	if got := s.Present(); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	s, _ = find.New("ed the words go", find.Options{})
	s.Add(r)
	if got := s.Present(); len(got) != 1 || got[0].Offset != -1 || got[0].Source != "generated:head" {
		t.Errorf("got %v", got)
	}
}
