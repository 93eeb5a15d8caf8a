package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// section is a part of about n tokens.
func section(name string, class prompt.Class, n int) prompt.Part {
	return prompt.Part{Name: name, Class: class, Sep: "\n\n", Text: span.Of(strings.Repeat("word", n), nil)}
}

func results(n int) []chat.Message {
	ask := chat.Message{Role: chat.Assistant}
	out := []chat.Message{ask}
	for i := range n {
		id := fmt.Sprint(i)
		out[0].Parts = append(out[0].Parts, chat.Part{Kind: chat.CallPart, Call: &chat.ToolCall{ID: id}})
		out = append(out, chat.ResultMessage(chat.ToolResult{ID: id, Text: span.Of("ok", nil)}))
	}
	return out
}

func reminder() chat.Message {
	m := chat.UserText("remember", nil)
	m.Name = wire.Transient
	return m
}

// points says where breakpoints stand, as "tools 1h, 2 5m, message 0 5m".
func points(list []wire.CachePoint) string {
	var out []string
	for _, p := range list {
		at := "tools"
		switch p.Place {
		case wire.AfterSection:
			at = p.Section
		case wire.AfterMessage:
			at = fmt.Sprintf("message %d", p.At)
		}
		out = append(out, at+" "+p.TTL.String())
	}
	return strings.Join(out, ", ")
}

func TestPlanCache(t *testing.T) {
	base, rules := section("base", prompt.Stable, 50), section("rules", prompt.Stable, 50)
	skills, date := section("skills", prompt.Session, 50), section("date", prompt.Turn, 50)
	blank := prompt.Part{Name: "blank", Text: span.Of(" \n", nil)}
	tools := []chat.ToolSpec{{Name: "t", Description: strings.Repeat("word", 50)}}
	hi := []chat.Message{chat.UserText("hi", nil)}
	for _, c := range []struct {
		name   string
		r      wire.Request
		least  int
		most   int
		want   string
		losses []string
	}{
		{name: "classes", most: 4, want: "tools 5m, rules 5m, skills 5m, message 0 5m",
			r: wire.Request{Tools: tools, System: []prompt.Part{base, rules, skills, base}[:3], Messages: hi}},
		{name: "stable only", most: 4, want: "tools 5m, base 5m, message 0 5m",
			r: wire.Request{Tools: tools, System: []prompt.Part{base, blank}, Messages: hi}},
		{name: "into the instructions", most: 4, want: "base 5m, rules 5m, message 0 5m",
			r: wire.Request{System: []prompt.Part{base, skills}, Instructions: []prompt.Part{rules, date, base}, Messages: hi}},
		{name: "what changes comes first", most: 4, want: "tools 5m, message 0 5m",
			r: wire.Request{Tools: tools, System: []prompt.Part{date, base}, Messages: hi}},
		{name: "a reminder", most: 4, want: "message 0 5m", r: wire.Request{Messages: append(hi[:1:1], reminder())}},
		{name: "nothing that stays", most: 4, want: "", r: wire.Request{Messages: []chat.Message{reminder()}}},
		{name: "an hour", most: 4, want: "base 1h, message 0 1h",
			r: wire.Request{System: []prompt.Part{base}, Messages: hi, Cache: wire.Cache{TTL: wire.TTL1h}}},
		{name: "the first go", most: 2, want: "skills 5m, message 0 5m",
			r: wire.Request{Tools: tools, System: []prompt.Part{base, skills}, Messages: hi}},
		{name: "a step within reach", most: 4, want: "tools 5m, base 5m, skills 5m, message 10 5m",
			r: wire.Request{Tools: tools, System: []prompt.Part{base, skills}, Messages: append(hi[:1:1], results(9)...)}},
		{name: "a step out of reach", most: 4, want: "base 5m, skills 5m, message 0 5m, message 11 5m",
			r: wire.Request{Tools: tools, System: []prompt.Part{base, skills}, Messages: append(hi[:1:1], results(10)...)}},
		{name: "off", most: 4, r: wire.Request{Tools: tools, Messages: hi, Cache: wire.Cache{Off: true}}},
		{name: "none taken", r: wire.Request{Tools: tools, Messages: hi}},
		{name: "small, but not all", most: 4, least: 75, want: "skills 5m, message 0 5m",
			r: wire.Request{System: []prompt.Part{base, skills}, Messages: hi}},
		{name: "small", most: 4, least: 1000, r: wire.Request{Tools: tools, System: []prompt.Part{base}, Messages: hi},
			losses: []string{"info wire.cache_dropped: no cache breakpoint after tools, base, last message: the model keeps prefixes from 1000 tokens on"}},
		{name: "hints out of order and twice", most: 4, want: "tools 1h, base 5m, message 0 5m",
			r: wire.Request{Tools: tools, System: []prompt.Part{base}, Messages: hi, Cache: wire.Cache{Hints: []wire.CacheHint{
				{Place: wire.AfterMessage}, {Place: wire.AfterSection, Section: "base"}, {Place: wire.AfterTools}, {Place: wire.AfterTools, TTL: wire.TTL1h},
			}}}},
		{name: "a hint without a place", most: 4, want: "message 0 5m",
			r: wire.Request{System: []prompt.Part{blank}, Messages: hi, Cache: wire.Cache{Hints: []wire.CacheHint{
				{Place: wire.AfterMessage}, {Place: wire.AfterSection, Section: "blank"},
			}}},
			losses: []string{"warning wire.cache_dropped: the cache breakpoint after blank is not sent: the request has no such place"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.r.Capability = wire.Capability{Breakpoints: c.most, CacheMin: c.least}
			got, losses := wire.PlanCache(&c.r, c.r.Messages, func(*chat.Message) bool { return true })
			if diff := cmp.Diff(points(got), c.want); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
			var said []string
			for _, l := range losses {
				said = append(said, l.Diagnostic.String())
			}
			if diff := cmp.Diff(said, c.losses); diff != "" {
				t.Errorf("losses: (-got +want)\n%s", diff)
			}
		})
	}
}

// Five hints in prompt order: the one that lasts shorter than one behind it goes.
func TestPlanCacheLifetimes(t *testing.T) {
	r := wire.Request{
		Capability: wire.Lookup("anthropic", "claude-sonnet-4-5"),
		Tools:      []chat.ToolSpec{{Name: "t", Description: strings.Repeat("word", 2000)}},
		System: []prompt.Part{section("base", prompt.Stable, 1), section("skills", prompt.Session, 1),
			section("memory", prompt.Session, 1)},
		Messages: []chat.Message{chat.UserText("hi", nil)},
		Cache: wire.Cache{Hints: []wire.CacheHint{
			{Place: wire.AfterTools, TTL: wire.TTL1h},
			{Place: wire.AfterSection, Section: "base"},
			{Place: wire.AfterSection, Section: "skills", TTL: wire.TTL1h},
			{Place: wire.AfterSection, Section: "memory"},
			{Place: wire.AfterMessage},
		}},
	}
	got, losses := wire.PlanCache(&r, r.Messages, func(*chat.Message) bool { return true })
	if diff := cmp.Diff(points(got), "tools 1h, skills 1h, memory 5m, message 0 5m"); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	if len(losses) != 1 || losses[0].Severity != prompt.Warning || losses[0].Code != wire.CodeCacheDropped ||
		!strings.Contains(losses[0].Message, "after base ") {
		t.Errorf("got %v, want a warning that names base", losses)
	}
}

func TestParseTTL(t *testing.T) {
	for _, want := range []wire.TTL{wire.TTL5m, wire.TTL1h} {
		if got, err := wire.ParseTTL(want.String()); got != want || err != nil {
			t.Errorf("%s: got %v, %v", want, got, err)
		}
	}
	if _, err := wire.ParseTTL("1d"); err == nil {
		t.Error("1d: got no error")
	}
}

func TestLookupAnthropic(t *testing.T) {
	for _, c := range []struct {
		model    string
		output   int
		least    int
		thinking wire.Thinking
		sampling wire.Sampling
		late     wire.Late
	}{
		{"claude-3-5-haiku-20241022", 8192, 2048, wire.NoThinking, wire.AnySampling, wire.LateReminder},
		{"claude-opus-4-20250514", 32000, 1024, wire.BudgetThinking, wire.OneSampling, wire.LateReminder},
		{"claude-opus-4-1-20250805", 32000, 1024, wire.BudgetThinking, wire.OneSampling, wire.LateReminder},
		{"claude-sonnet-4-5-20250929", 64000, 1024, wire.BudgetThinking, wire.OneSampling, wire.LateReminder},
		{"claude-haiku-4-5", 64000, 4096, wire.BudgetThinking, wire.OneSampling, wire.LateReminder},
		{"claude-opus-4-6", 128000, 4096, wire.AdaptiveThinking, wire.OneSampling, wire.LateReminder},
		{"claude-opus-4-8", 128000, 1024, wire.AdaptiveThinking, wire.NoSampling, wire.LateInline},
		{"claude-sonnet-5", 128000, 1024, wire.AdaptiveThinking, wire.NoSampling, wire.LateReminder},
		{"claude-sonnet-5-5", 128000, 512, wire.AdaptiveThinking, wire.NoSampling, wire.LateInline},
		{"claude-next", 64000, 0, wire.AdaptiveThinking, wire.NoSampling, wire.LateReminder},
	} {
		got := wire.Lookup("anthropic", c.model)
		if got.MaxOutput != c.output || got.CacheMin != c.least || got.Thinking != c.thinking ||
			got.Sampling != c.sampling || got.LateSystem != c.late || got.Breakpoints != 4 || !got.Images || !got.Parallel {
			t.Errorf("%s: got %+v", c.model, got)
		}
	}
}

func TestParseErrorAnthropic(t *testing.T) {
	for _, c := range []struct {
		status            int
		kind, message     string
		want              wire.ErrorKind
		wantLimit, wanted int
	}{
		{400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000", wire.ContextTooLong, 200000, 254000},
		{400, "invalid_request_error", "Your credit balance is too low to access the API.", wire.Quota, 0, 0},
		{402, "billing_error", "pay", wire.Quota, 0, 0},
		{0, "billing_error", "pay", wire.Quota, 0, 0},
		{401, "authentication_error", "invalid x-api-key", wire.Authentication, 0, 0},
		{403, "permission_error", "no", wire.Authentication, 0, 0},
		{404, "not_found_error", "model: x", wire.InvalidRequest, 0, 0},
		{0, "not_found_error", "model: x", wire.InvalidRequest, 0, 0},
		{413, "request_too_large", "Request exceeds the maximum size", wire.InvalidRequest, 0, 0},
		{429, "rate_limit_error", "slow down", wire.RateLimit, 0, 0},
		{500, "api_error", "Internal server error", wire.ServerError, 0, 0},
		{529, "overloaded_error", "Overloaded", wire.Overloaded, 0, 0},
	} {
		got := wire.ParseError(c.status, fmt.Appendf(nil, `{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_1"}`, c.kind, c.message))
		if diff := cmp.Diff(*got, wire.APIError{
			Kind: c.want, Status: c.status, Code: c.kind, Message: c.message, Limit: c.wantLimit, Used: c.wanted,
		}); diff != "" {
			t.Errorf("%d %s: (-got +want)\n%s", c.status, c.kind, diff)
		}
	}
}
