package clock_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/clock"
)

func TestDate(t *testing.T) {
	at := time.Date(2026, 1, 2, 23, 30, 5, 0, time.UTC)
	east := time.FixedZone("EAST", 3600)
	for _, tt := range []struct {
		c    clock.Config
		want string
	}{
		{clock.Config{}, "Today's date is 2026-01-02."},
		{clock.Config{Zone: east}, "Today's date is 2026-01-03."},
		{clock.Config{Minutes: true}, "It is 2026-01-02 23:30 UTC."},
		{clock.Config{Minutes: true, Zone: east}, "It is 2026-01-03 00:30 EAST."},
	} {
		tt.c.Env = &env.Env{Clock: env.Fixed(at)}
		got, err := clock.New(tt.c).Read(context.Background(), source.Query{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, prompt.Fact{Text: tt.want, Class: prompt.Turn}); diff != "" {
			t.Errorf("(-got +want):\n%s", diff)
		}
	}
}

func ExampleNew() {
	src := clock.New(clock.Config{
		Env: &env.Env{Clock: env.Fixed(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))},
	})
	fact, _ := src.Read(context.Background(), source.Query{})
	fmt.Println(fact.Text)
	// Output: Today's date is 2026-01-02.
}
