package scenario_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/inspect/cache"
	"github.com/proemhq/proem/inspect/scenario"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/token"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

var count = token.NewMemo(token.Estimate, 0).Count

// design returns the design of a preset.
func design(t testing.TB, name string) scenario.Design {
	t.Helper()
	for _, d := range scenario.Designs() {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("no design %s", name)
	return scenario.Design{}
}

// over plays a scenario over HTTP, and returns the bodies that the
// server received and what its own cache found of them.
func over(t *testing.T, s scenario.Scenario, name string, d wire.Dialect, kind providertest.CacheKind) ([]cache.Recorded, providertest.Totals) {
	t.Helper()
	server := providertest.New(t, providertest.Config{Script: s.Script(count), Cache: providertest.Cache{Kind: kind}})
	sent, err := scenario.Run{Scenario: s, Design: design(t, name), Count: count, Model: server.Model(d)}.Bodies(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	received := server.Requests()
	if len(received) != s.Steps || len(sent) != s.Steps {
		t.Fatalf("%d requests were received, %d sent", len(received), len(sent))
	}
	for i := range sent {
		if diff := cmp.Diff(string(received[i].Body), string(sent[i].Body)); diff != "" {
			t.Fatalf("request %d is not what was sent:\n%s", i+1, diff)
		}
	}
	return sent, server.Cache()[scenario.ModelName]
}

// What is simulated here is what a server finds that reads the requests by rules
// of its own, and every preset plays in every protocol. The server keeps a cache
// for each key, so only runs with one key can be compared: under ai4j the key follows
// the prefix, which moves.
func TestOverHTTP(t *testing.T) {
	for _, preset := range []string{"standard", "deepseek"} {
		for _, c := range []struct {
			dialect wire.Dialect
			kind    providertest.CacheKind
			hit     func(cache.Hit) float64
		}{
			{openaichat.Dialect, providertest.CacheSteps, func(h cache.Hit) float64 { return h.OpenAI }},
			{openaichat.Dialect, providertest.CacheUnits, func(h cache.Hit) float64 { return h.DeepSeek }},
			{openairesponses.Dialect, providertest.CacheSteps, func(h cache.Hit) float64 { return h.OpenAI }},
			{anthropic.Dialect, providertest.CacheBreakpoints, func(h cache.Hit) float64 { return h.Anthropic }},
		} {
			bodies, totals := over(t, scenario.Default(), preset, c.dialect, c.kind)
			a := cache.New(count)
			for _, b := range bodies {
				b.Marks = nil // as a server sees it
				if err := a.Add(b); err != nil {
					t.Fatal(err)
				}
			}
			got, want := c.hit(a.Report("").Hit), float64(totals.Cached)/float64(totals.Input)
			if math.Abs(got-want) > .005 {
				t.Errorf("%s, %s: found %.4f, the server found %.4f", preset, c.dialect.Name, got, want)
			}
		}
	}
}

// The bodies that are played in this process are those that a server would
// receive, but for what is known of the host.
func TestPlayedInThisProcess(t *testing.T) {
	for _, preset := range []string{"standard", "deepseek", "ai4j"} {
		for _, d := range []wire.Dialect{openaichat.Dialect, anthropic.Dialect} {
			sent, _ := over(t, scenario.Default(), preset, d, providertest.CacheAuto)
			run := scenario.Run{Scenario: scenario.Default(), Design: design(t, preset), Count: count, Dialect: d}
			played, err := run.Bodies(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i := range sent {
				if diff := cmp.Diff(string(played[i].Body), string(sent[i].Body)); diff != "" {
					t.Fatalf("%s, %s: request %d differs:\n%s", preset, d.Name, i+1, diff)
				}
			}
		}
	}
}
