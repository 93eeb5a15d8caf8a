package env_test

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestOrSystem(t *testing.T) {
	for _, e := range []*env.Env{nil, {}, {Fail: &env.Failpoints{}}, env.System()} {
		got := env.OrSystem(e)
		if got.Clock == nil || got.IDs == nil || got.Rand == nil || got.Files == nil || got.Net == nil {
			t.Errorf("OrSystem(%+v): a door is missing: %+v", e, got)
		}
	}
	fail := &env.Failpoints{}
	e := env.OrSystem(env.OrSystem(env.OrSystem(&env.Env{Fail: fail})))
	if err := e.Clock.Sleep(t.Context(), 0); err != nil || fail.Hits() != 1 {
		t.Errorf("one sleep: got %d hits, %v, want one", fail.Hits(), err)
	}
	other := &env.Failpoints{At: 1}
	e.Fail = other
	if err := env.OrSystem(e).Clock.Sleep(t.Context(), 0); !errors.Is(err, env.ErrInjected) || fail.Hits() != 1 {
		t.Errorf("replaced failpoints: got %v, %d hits of the old", err, fail.Hits())
	}
}

type netFunc func(*http.Request) (*http.Response, error)

func (f netFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNetwork(t *testing.T) {
	calls := 0
	e := env.OrSystem(&env.Env{
		Fail: &env.Failpoints{At: 2},
		Net: netFunc(func(r *http.Request) (*http.Response, error) {
			calls++
			return &http.Response{StatusCode: 204, Body: http.NoBody, Request: r}, nil
		}),
	})
	c := &http.Client{Transport: e.Net}
	for k := 1; k <= 3; k++ {
		r, err := c.Get("http://example.invalid/path?key=secret")
		if err == nil {
			r.Body.Close()
		}
		if (k == 2) != errors.Is(err, env.ErrInjected) {
			t.Errorf("request %d: got %v", k, err)
		}
	}
	if calls != 2 {
		t.Errorf("got %d round trips, want 2", calls)
	}
}

func TestFailpointsAfter(t *testing.T) {
	f := &env.Failpoints{At: 2, After: true}
	var got []bool
	for range 4 {
		got = append(got, f.Hit(env.EffectWrite, "x") != nil)
		f.Hit(env.EffectRead, "x") // not numbered
	}
	if d := cmp.Diff(got, []bool{false, true, true, true}); d != "" {
		t.Errorf("failed (-got +want):\n%s", d)
	}
	passes := &env.Failpoints{At: 1, Do: func(env.Effect, string) error { return nil }}
	if err := passes.Hit(env.EffectWrite, "x"); err != nil {
		t.Errorf("Do without an error: got %v", err)
	}
}

func TestIDs(t *testing.T) {
	valid := regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)
	ids := env.System().IDs
	a, b := ids.New("s"), ids.New("s")
	if a == b || !valid.MatchString(a) || !valid.MatchString(ids.New("")) {
		t.Errorf("got %q and %q", a, b)
	}
	var q env.Sequence
	got := []string{q.New("s"), q.New("s"), q.New("run"), q.New("")}
	if d := cmp.Diff(got, []string{"s_000001", "s_000002", "run_000001", "000001"}); d != "" {
		t.Errorf("sequence (-got +want):\n%s", d)
	}
}

func TestFakeClock(t *testing.T) {
	c := env.NewFakeClock(t0)
	if err := c.Sleep(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	c.Advance(-time.Minute)
	if got, want := c.Now(), t0.Add(59*time.Minute); !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestFakeClockManual(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := env.NewFakeClock(t0)
		c.Manual = true
		done := make(chan error, 1)
		go func() { done <- c.Sleep(t.Context(), time.Hour) }()
		synctest.Wait()
		c.Advance(59 * time.Minute)
		synctest.Wait()
		if len(done) != 0 || c.Sleepers() != 1 {
			t.Fatal("woke too early")
		}
		c.Advance(time.Minute)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { done <- c.Sleep(ctx, time.Hour) }()
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) || c.Sleepers() != 0 {
			t.Errorf("cancelled sleep: got %v, %d sleepers", err, c.Sleepers())
		}
	})
}

func TestSystemClockSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []env.Clock{env.System().Clock, env.Fixed(t0)} {
			before := time.Now()
			if err := c.Sleep(t.Context(), time.Minute); err != nil {
				t.Fatal(err)
			}
			if got := time.Since(before); got != time.Minute {
				t.Errorf("slept %v, want a minute", got)
			}
		}
	})
	if got := env.Fixed(t0).Now(); !got.Equal(t0) {
		t.Errorf("fixed clock: got %v, want %v", got, t0)
	}
}
