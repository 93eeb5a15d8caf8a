package provider

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/wire"
)

// Retry says how often and how late a request is sent again that failed before
// its first event. The zero value waits about 0.5, 1 and 2 seconds.
type Retry struct {
	Max   int           // requests after the first; 0: 3; negative: none
	First time.Duration // the first wait; it doubles from then on; 0: half a second
	// Cap is the longest wait, whatever the host asks for; 0: one minute.
	Cap time.Duration
	// Notify, if not nil, is told before each wait what failed and how long the
	// wait is.
	Notify func(err error, wait time.Duration) `json:"-"`
}

// Retryable reports whether the same request may succeed later: the host is
// overloaded or limits the rate, it failed, or the connection did. A quota that
// is used up, a refused credential or a wrong request stays as it is, and a
// response that stalled was waited for long enough.
func Retryable(err error) bool {
	var idle *IdleError
	if errors.As(err, &idle) {
		return false
	}
	var api *wire.APIError
	if errors.As(err, &api) {
		switch api.Kind {
		case wire.RateLimit, wire.Overloaded:
			return true
		case wire.ServerError:
			return api.Status == 0 || api.Status >= 500 || api.Status == 408 || api.Status == 409
		}
		return false
	}
	if errors.Is(err, errNotAPI) {
		return false
	}
	var transport *TransportError
	return errors.As(err, &transport) || errors.Is(err, wire.ErrTruncated)
}

// waits hands out the waits of one request.
type waits struct {
	left  int
	limit time.Duration
	grow  backoff.ExponentialBackOff
	rand  env.Rand
}

func (r Retry) waits(e *env.Env) *waits {
	w := &waits{left: r.Max, limit: r.Cap, rand: e.Rand}
	if w.left == 0 {
		w.left = 3
	}
	if w.limit == 0 {
		w.limit = time.Minute
	}
	w.grow = backoff.ExponentialBackOff{InitialInterval: r.First, Multiplier: 2, MaxInterval: w.limit}
	if r.First == 0 {
		w.grow.InitialInterval = backoff.DefaultInitialInterval
	}
	return w
}

// maxJitter bounds what is added to a wait that the host asked for.
const maxJitter = 250 * time.Millisecond

// next returns the wait before the next request, if there is to be one. Waits
// are spread by a quarter to either side; one that the host asked for is never
// shortened, except to the cap.
func (w *waits) next(err error, after time.Duration) (time.Duration, bool) {
	if w.left <= 0 || !Retryable(err) {
		return 0, false
	}
	w.left--
	d := w.grow.NextBackOff()
	if after > 0 {
		d = after + time.Duration(w.rand.Float64()*float64(min(maxJitter, after)))
	} else {
		d = time.Duration((0.75 + 0.5*w.rand.Float64()) * float64(d))
	}
	return min(d, w.limit), true
}

// retryAfter reads how long a host asks to wait: in seconds, as a date, or in
// the milliseconds of a header of its own. 0: it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return seconds(s)
	}
	if t, err := http.ParseTime(v); err == nil {
		return seconds(t.Sub(now).Seconds())
	}
	return 0
}

// seconds is clamped to a day, which also keeps it from overflowing.
func seconds(s float64) time.Duration {
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, 24*60*60) * float64(time.Second))
}
