package cli

import (
	"path"
	"strings"

	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/session"
)

// pricing returns what an answer costs by the configured prices. It is nil if
// there are none.
func pricing(cfg config.Config, provider string) func(model string, u session.Usage) (float64, bool) {
	if len(cfg.Prices) == 0 {
		return nil
	}
	return func(model string, u session.Usage) (float64, bool) {
		if p, ok := priceOf(cfg, provider, model); ok {
			return cost(p, u)
		}
		return 0, false
	}
}

// priceOf returns the first of the configured prices that fits a model.
func priceOf(cfg config.Config, provider, model string) (config.Price, bool) {
	for _, p := range cfg.Prices {
		for _, name := range []string{provider + ":" + model, model} {
			if ok, err := path.Match(p.Model, name); err == nil && ok {
				return p, true
			}
		}
	}
	return config.Price{}, false
}

// rate returns the price of the model that a command goes by.
func (b *bench) rate() (config.Price, bool) {
	provider, _, _ := strings.Cut(b.model.spec, ":")
	return priceOf(b.cfg, provider, b.model.name)
}

// cost returns the price of a usage. Input that was read from a cache or written
// to it costs its own rate where there is one. It is not ok if a rate is missing
// for something that was used.
func cost(p config.Price, u session.Usage) (float64, bool) {
	n := func(v *int) int {
		if v == nil {
			return 0
		}
		return *v
	}
	total, ok := 0.0, true
	add := func(tokens int, rates ...*float64) {
		if tokens <= 0 {
			return
		}
		for _, r := range rates {
			if r != nil {
				total += float64(tokens) * *r / 1e6
				return
			}
		}
		ok = false
	}
	cached, written := n(u.Cached), n(u.CacheWrite)
	add(n(u.Input)-cached-written, p.Input)
	add(cached, p.Cached, p.Input)
	add(written, p.CacheWrite, p.Input)
	add(n(u.Output), p.Output)
	return total, ok
}
