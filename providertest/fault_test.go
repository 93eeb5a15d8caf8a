package providertest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

// What the client makes of each fault, with its waits.
func TestFaults(t *testing.T) {
	type fault = providertest.Fault
	for _, c := range []struct {
		name   string
		faults []fault
		tries  int
		waits  []time.Duration
		want   string // the answer, or a part of the error
	}{
		{"none", nil, 1, nil, "one two end"},
		{"429 in seconds", []fault{{At: 1, Kind: providertest.Status, Status: 429, RetryAfter: 7 * time.Second}}, 2, []time.Duration{7 * time.Second}, "one two end"},
		{"429 with a date", []fault{{At: 1, Kind: providertest.Status, Status: 429, RetryAfter: 9 * time.Second, Date: true}}, 2, []time.Duration{9 * time.Second}, "one two end"},
		{"429 in milliseconds", []fault{{At: 1, Kind: providertest.Status, Status: 429, RetryAfter: 40 * time.Millisecond}}, 2, []time.Duration{40 * time.Millisecond}, "one two end"},
		{"429 for ever", []fault{{Kind: providertest.Status, Status: 429}}, 3, []time.Duration{375 * time.Millisecond, 750 * time.Millisecond}, "rate_limit (HTTP 429)"},
		{"500", []fault{{At: 1, Kind: providertest.Status, Status: 500}}, 2, []time.Duration{375 * time.Millisecond}, "one two end"},
		{"529, then 503", []fault{{At: 1, Kind: providertest.Status, Status: 529}, {At: 2, Kind: providertest.Status, Status: 503}}, 3,
			[]time.Duration{375 * time.Millisecond, 750 * time.Millisecond}, "one two end"},
		{"400", []fault{{Kind: providertest.Status, Status: 400, Message: "no"}}, 1, nil, "invalid_request (HTTP 400): no"},
		{"quota", []fault{{Kind: providertest.Status, Status: 429, Code: "insufficient_quota"}}, 1, nil, "quota (HTTP 429)"},
		{"an error at once", []fault{{At: 1, Kind: providertest.StreamError}}, 2, []time.Duration{375 * time.Millisecond}, "one two end"},
		{"a dropped connection", []fault{{At: 1, Kind: providertest.Drop}}, 2, []time.Duration{375 * time.Millisecond}, "one two end"},
		{"a reset connection", []fault{{At: 1, Kind: providertest.Reset}}, 2, []time.Duration{375 * time.Millisecond}, "one two end"},
		{"an empty response", []fault{{At: 1, Kind: providertest.Cut}}, 2, []time.Duration{375 * time.Millisecond}, "one two end"},
		{"too long", []fault{{Kind: providertest.ContextLength, N: 100}}, 1, nil, "context_too_long (HTTP 400)"},
		{"filtered request", []fault{{Kind: providertest.Status, Status: 400, Code: "content_filter", Message: "withheld"}}, 1, nil, "content_filter (HTTP 400): withheld"},
		{"byte by byte", []fault{{Kind: providertest.Chunk, N: 1}}, 1, nil, "one two end"},
		{"long lines", []fault{{Kind: providertest.LongLines, N: 1<<20 + 1}}, 1, nil, "one two end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, d wire.Dialect) {
				s := serve(t, "turns: [{text: one two}, {text: never}]", append(c.faults, fault{Kind: providertest.NoUsage})...)
				m := s.Model(d)
				var waits []time.Duration
				m.Retry = provider.Retry{Max: 2, Notify: func(_ error, w time.Duration) { waits = append(waits, w) }}
				got, err := send(t.Context(), t, m, ask())
				if err != nil {
					got = err.Error()
				}
				if !strings.Contains(got, c.want) {
					t.Errorf("got %q, want %q", got, c.want)
				}
				if diff := cmp.Diff(waits, c.waits); diff != "" {
					t.Errorf("waits (-got +want)\n%s", diff)
				}
				if n := len(s.Requests()); n != c.tries {
					t.Errorf("got %d requests, want %d", n, c.tries)
				}
			})
		})
	}
}

// The numbers of an error about the length arrive.
func TestContextLengthNumbers(t *testing.T) {
	each(t, func(t *testing.T, d wire.Dialect) {
		s := serve(t, "turns: [{text: x}]", providertest.Fault{Kind: providertest.ContextLength, N: 123456})
		_, err := send(t.Context(), t, s.Model(d), ask())
		var api *wire.APIError
		if !errors.As(err, &api) || api.Kind != wire.ContextTooLong || api.Limit != 123456 || api.Used != 123457 {
			t.Errorf("got %+v", err)
		}
	})
}

// After output was shown, nothing is tried again.
func TestErrorAfterOutput(t *testing.T) {
	each(t, func(t *testing.T, d wire.Dialect) {
		for kind, want := range map[providertest.FaultKind]string{
			providertest.StreamError: "overloaded", providertest.Cut: "stream.truncated", providertest.Drop: "stream.truncated", providertest.Reset: ""} {
			s := serve(t, "turns: [{text: one two three four five six}]", providertest.Fault{Kind: kind, N: afterText(t, d, kind)})
			got, err := send(t.Context(), t, s.Model(d), ask())
			if err == nil || !strings.Contains(err.Error(), want) || kind != providertest.Reset && !strings.HasPrefix(got, "one ") {
				t.Errorf("%s: got %q, %v", kind, got, err)
			}
			if n := len(s.Requests()); n != 1 && kind != providertest.Reset { // a reset may overtake the output
				t.Errorf("%s: %d requests", kind, n)
			}
		}
	})
}

// afterText returns how many bytes or events lead up to the second word.
func afterText(t *testing.T, d wire.Dialect, k providertest.FaultKind) int {
	body := stream(t, d, "turns: [{text: one two three four five six}]")
	body = body[:bytes.Index(body, []byte(`"two `))]
	if k == providertest.StreamError {
		return bytes.Count(body, []byte("\n\n"))
	}
	return len(body)
}

// stream returns the bytes of the response to a first request.
func stream(t *testing.T, d wire.Dialect, yaml string) []byte {
	t.Helper()
	s := serve(t, yaml)
	m := s.Model(d)
	b, err := m.Encode(nil, ask())
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, m.BaseURL+d.Path, bytes.NewReader(b.JSON))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for k, v := range d.Headers {
		req.Header.Set(k, v)
	}
	res, err := m.Env.Net.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A response cut at any byte is an error or complete, and an incomplete tool call
// is never handed out.
func TestCutEverywhere(t *testing.T) {
	const yaml = "turns: [{text: é, calls: [{tool: grep, args: {a: é}}]}]"
	each(t, func(t *testing.T, d wire.Dialect) {
		whole := stream(t, d, yaml)
		faults := make([]providertest.Fault, len(whole))
		for i := range whole {
			faults[i] = providertest.Fault{At: i + 1, Kind: providertest.Cut, N: i}
			if i%7 == 0 { // costs a connection
				faults[i].Kind = providertest.Drop
			}
		}
		s := serve(t, yaml, faults...)
		m := s.Model(d)
		m.Retry.Max = -1
		complete := 0
		for i := range whole {
			got, err := send(t.Context(), t, m, ask())
			switch {
			case err == nil && strings.HasPrefix(got, "é<call_") && strings.HasSuffix(got, " tools"):
				complete++
			case err == nil:
				t.Errorf("cut at %d of %d: success with %q", i, len(whole), got)
			case strings.Contains(got, "<call_") && !strings.Contains(got, `grep {"a":"é"}>`):
				t.Errorf("cut at %d of %d: an incomplete call in %q", i, len(whole), got)
			}
		}
		if complete > len(whole)/4 {
			t.Errorf("%d of %d cuts were taken for the whole response", complete, len(whole))
		}
	})
}

// However a response is split, it says the same.
func TestSplitEverywhere(t *testing.T) {
	const yaml = `turns: [{text: "é\U0001F600 \\\"", usage: {input: 3}}]`
	each(t, func(t *testing.T, d wire.Dialect) {
		n := len(stream(t, d, yaml))
		var faults []providertest.Fault
		for i := 0; i < n; i += 3 {
			faults = append(faults, providertest.Fault{At: len(faults) + 1, Kind: providertest.Split, N: i})
		}
		s := serve(t, yaml, faults...)
		m := s.Model(d)
		for range faults {
			got, err := send(t.Context(), t, m, ask())
			if err != nil || !strings.HasPrefix(got, `é😀 \"[input:3`) {
				t.Fatalf("got %q, %v", got, err)
			}
		}
	})
}

// Pings are no sign of life: a response that brings no event is given up, and
// waiting can be broken off.
func TestStall(t *testing.T) {
	each(t, func(t *testing.T, d wire.Dialect) {
		for _, plain := range []bool{false, true} {
			s := serve(t, "turns: [{text: one two}]", providertest.Fault{Kind: providertest.Stall, N: 2})
			m := s.Model(d)
			m.Idle = 60 * time.Millisecond
			r := ask()
			r.Options.NoStream = plain
			_, err := send(t.Context(), t, m, r)
			var idle *provider.IdleError
			if !errors.As(err, &idle) || len(s.Requests()) != 1 {
				t.Errorf("got %v after %d requests", err, len(s.Requests()))
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
			start := time.Now()
			m.Idle = time.Minute
			if _, err := send(ctx, t, m, r); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 5*time.Second {
				t.Errorf("got %v after %v", err, time.Since(start))
			}
			cancel()
		}
	})
}

func TestFilterAndUsage(t *testing.T) {
	each(t, func(t *testing.T, d wire.Dialect) {
		s := serve(t, "turns: [{text: one two three}]", providertest.Fault{Kind: providertest.Filter, N: 1}, providertest.Fault{Kind: providertest.NoUsage})
		got, err := send(t.Context(), t, s.Model(d), ask())
		want := "one  content_filter"
		if d.Name == "anthropic" { // it has no other word
			want = "one  refusal"
		}
		if err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	})
}

// Nothing is left behind: not by the client, whatever breaks, and not by the
// server.
func TestGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("all", func(t *testing.T) {
		for _, k := range []providertest.FaultKind{providertest.Cut, providertest.Drop, providertest.Reset, providertest.StreamError, providertest.Stall} {
			s := serve(t, "turns: [{text: one two three}]", providertest.Fault{Kind: k, N: 3})
			m := s.Model(openaichat.Dialect)
			m.Idle = 30 * time.Millisecond
			for range 5 {
				_, _ = send(t.Context(), t, m, ask()) // that it fails is the point
			}
			b, err := m.Encode(nil, ask())
			if err != nil {
				t.Fatal(err)
			}
			for range m.Send(t.Context(), b) {
				break
			}
		}
	})
	if after := settle(before); after > before {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", after, before, buf[:runtime.Stack(buf, true)])
	}
}
