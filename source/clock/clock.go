// Package clock is the source of the date.
//
// By default it says the date only: it changes once a day, so whoever sends it
// again on change sends it rarely. It is of class turn, because it must never
// stand in what a provider caches:
//
//	src := clock.New(clock.Config{})
//	fact, _ := src.Read(ctx, source.Query{})
//	fact.Text // "Today's date is 2026-01-02."
package clock

import (
	"context"
	"time"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
)

// A Config says what time is told. The zero value tells the date in UTC.
type Config struct {
	Env  *env.Env       // whose clock; nil: the operating system's
	Zone *time.Location // nil: UTC
	// Minutes adds the time of day and the zone. The fact then changes every
	// minute.
	Minutes bool
}

// New returns a source of the current date.
func New(c Config) source.Source {
	clock := env.OrSystem(c.Env).Clock
	zone := c.Zone
	if zone == nil {
		zone = time.UTC
	}
	layout := "Today's date is 2006-01-02."
	if c.Minutes {
		layout = "It is 2006-01-02 15:04 MST."
	}
	return source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
		return prompt.Fact{Text: clock.Now().In(zone).Format(layout), Class: prompt.Turn}, nil
	})
}
