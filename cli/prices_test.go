package cli

import (
	"math"
	"testing"

	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/session"
)

func TestPricing(t *testing.T) {
	rate := func(f float64) *float64 { return &f }
	count := func(n int) *int { return &n }
	cfg := config.Config{Prices: []config.Price{
		{Model: "openai:gpt-5", Input: rate(1), Cached: rate(0.1), Output: rate(10)},
		{Model: "local-*", Input: rate(0), Output: rate(0)},
		{Model: "half", Input: rate(1)},
	}}
	if pricing(config.Config{}, "openai") != nil {
		t.Error("there are prices without any")
	}
	price := pricing(cfg, "openai")
	for _, tt := range []struct {
		model string
		usage session.Usage
		want  float64
		ok    bool
	}{
		{"gpt-5", session.Usage{Input: count(1_000_000), Cached: count(600_000), Output: count(100_000)}, 0.4 + 0.06 + 1, true},
		{"gpt-5", session.Usage{Input: count(1_000_000), CacheWrite: count(1_000_000)}, 1, true}, // the rate of input stands in
		{"gpt-5", session.Usage{}, 0, true},
		{"local-qwen", session.Usage{Input: count(5), Output: count(5)}, 0, true},
		{"half", session.Usage{Input: count(1_000_000)}, 1, true},
		{"half", session.Usage{Output: count(1)}, 0, false},
		{"unknown", session.Usage{Input: count(1)}, 0, false},
	} {
		got, ok := price(tt.model, tt.usage)
		if ok != tt.ok || ok && math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s, %+v: got %v, %v, want %v, %v", tt.model, tt.usage, got, ok, tt.want, tt.ok)
		}
	}
}
