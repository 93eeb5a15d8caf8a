package provider_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

// drip is a host that writes pieces of a response with a pause before each, and
// then nothing more.
func drip(pause time.Duration, pieces ...string) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		r, w := io.Pipe()
		go func() {
			for _, p := range pieces {
				select {
				case <-time.After(pause):
				case <-req.Context().Done():
				}
				if req.Context().Err() != nil {
					break
				}
				io.WriteString(w, p)
			}
			<-req.Context().Done()
			w.CloseWithError(req.Context().Err())
		}()
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: r}, nil
	}
}

func model(idle time.Duration, answers ...func(*http.Request) (*http.Response, error)) *provider.HTTP {
	return &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: "http://host.test/v1", Idle: idle,
		Env: &env.Env{Net: &respond{answers: answers}, Rand: env.FixedRand(0.5)}}
}

// Comments keep a connection open, not a response: it is given up when no event
// comes, exactly after the idle time.
func TestIdle(t *testing.T) {
	event := `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}` + "\n\n"
	var pings []string
	for range 100 {
		pings = append(pings, ": ping\n\n")
	}
	for name, c := range map[string]struct {
		answer func(*http.Request) (*http.Response, error)
		want   time.Duration
	}{
		"comments only":        {drip(time.Second, pings...), 30 * time.Second},
		"events, then nothing": {drip(20*time.Second, event, event, event), 90 * time.Second},
		"no response": {func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := model(30*time.Second, c.answer)
				start := time.Now()
				_, err := send(t.Context(), m, wire.Body{})
				var idle *provider.IdleError
				if !errors.As(err, &idle) || !strings.Contains(err.Error(), "http://host.test/v1: no event for 30s") {
					t.Errorf("got %v", err)
				}
				if got := time.Since(start); got != c.want {
					t.Errorf("given up after %v, want %v", got, c.want)
				}
			})
		})
	}
}

// The time that the consumer takes does not count as silence of the host.
func TestIdleSlowConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := model(time.Second, status(200, nil, answer))
		for _, err := range m.Send(t.Context(), wire.Body{}) {
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
		}
	})
}

func TestCancel(t *testing.T) {
	for name, answer := range map[string]func(*http.Request) (*http.Response, error){
		"during the response": drip(time.Second, ": ping\n\n"),
		"during a wait":       status(429, http.Header{"Retry-After": {"40"}}, ""),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				start := time.Now()
				_, err := send(ctx, model(0, answer), wire.Body{})
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
				if got := time.Since(start); got != 5*time.Second {
					t.Errorf("returned after %v", got)
				}
			})
		})
	}
}

// Breaking off the iteration cancels the request; synctest fails if the host
// were still waiting.
func TestBreakCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		event := `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}` + "\n\n"
		n := 0
		for _, err := range model(0, drip(time.Second, event, event)).Send(t.Context(), wire.Body{}) {
			if err != nil {
				t.Error(err)
			}
			n++
			break
		}
		if n != 1 {
			t.Errorf("got %d events", n)
		}
	})
}
