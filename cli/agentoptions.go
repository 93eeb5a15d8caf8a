package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/wire"
)

// fallback returns the models to go on with.
func (c *command) fallback(b *bench) ([]agent.Alternative, error) {
	var out []agent.Alternative
	for _, spec := range b.cfg.Fallback {
		r, err := c.named(b.cfg, b.env, spec)
		if err != nil {
			return nil, fmt.Errorf("fallback: %w", err)
		}
		out = append(out, agent.Alternative{Model: r.Model, Name: r.name})
	}
	return out, nil
}

func placement(name string) wire.Placement {
	switch name {
	case "split":
		return wire.Split
	case "merged":
		return wire.Merged
	}
	return wire.Auto
}

// toolChanges returns what becomes of the tools block within a session.
func toolChanges(cfg config.Config) agent.ToolChanges {
	if cfg.Tools.Changes == "frozen" {
		return agent.FrozenTools
	}
	return agent.LiveTools
}

// limits returns what bounds a turn.
func limits(cfg config.Config, spec string) agent.Limits {
	provider, _, _ := strings.Cut(spec, ":")
	return agent.Limits{Steps: cfg.Steps.Max, Source: cfg.Sources.Timeout, Time: cfg.Limits.Time, Tokens: cfg.Limits.Tokens,
		Cost: cfg.Limits.Cost, Price: pricing(cfg, provider)}
}

// compaction returns when a conversation is made shorter: a budget of the request is
// its window, with nothing kept free for the answer.
func compaction(b *bench) agent.Compaction {
	c := agent.Compaction{Count: b.counter.Count}
	if n := b.cfg.Budget.InputTokens; n > 0 {
		c.Window, c.Reserve = n, -1
	}
	return c
}

// cacheOf returns the lifetime asked for: protocols know five minutes and an hour.
func cacheOf(cfg config.Config) wire.Cache {
	if cfg.Cache.TTL > 5*time.Minute {
		return wire.Cache{TTL: wire.TTL1h}
	}
	return wire.Cache{}
}

func requestOptions(cfg config.Config, noStream bool) wire.Options {
	s := cfg.Sampling
	return wire.Options{Temperature: s.Temperature, TopP: s.TopP, MaxOutputTokens: s.MaxOutputTokens, Reasoning: s.Reasoning, NoStream: noStream}
}
