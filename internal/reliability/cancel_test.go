package reliability_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/shell"
	"github.com/proemhq/proem/wire/openaichat"
)

// The places in which a turn is cancelled.
const (
	inRequest = "waiting for the host" // nothing has come yet
	inStream  = "in the stream"        // some of the answer has come
	inTool    = "in a command"         // that started others
	inRetry   = "before a retry"       // the host asked to wait
)

// host is a server that behaves as the last user message says, until the request is
// gone.
func host(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	asked := func(place string) bool { return strings.LastIndex(string(b), "now "+place) >= 0 }
	say := func(s string) {
		io.WriteString(w, "data: "+s+"\n\n")
		w.(http.Flusher).Flush()
	}
	switch {
	case asked(inRequest):
		<-r.Context().Done()
	case asked(inStream):
		for r.Context().Err() == nil {
			say(`{"choices":[{"index":0,"delta":{"content":"more "}}]}`)
			select {
			case <-time.After(time.Millisecond):
			case <-r.Context().Done():
			}
		}
	case asked(inRetry):
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
	default:
		say(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"shell","arguments":"{\"command\":\"sleep 100 & echo on; sleep 100\"}"}}]}}]}`)
		say(`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`)
		io.WriteString(w, "data: [DONE]\n\n")
	}
}

// cancelling is an agent over HTTP with the shell, and a store of files.
type cancelling struct {
	*agent.Agent
	store     *jsonl.Store
	transport *http.Transport
	server    *httptest.Server
}

func newCancelling(t testing.TB) *cancelling {
	t.Helper()
	dir := t.TempDir()
	c := &cancelling{transport: &http.Transport{MaxIdleConnsPerHost: 4}, server: httptest.NewServer(http.HandlerFunc(host))}
	var err error
	c.store, err = jsonl.Open(jsonl.Config{Dir: filepath.Join(dir, "sessions"), NoSync: true, MaxOpen: 4})
	must(t, err)
	run, err := shell.New(shell.Config{Dir: dir, Environ: os.Environ(), Spill: filepath.Join(dir, "spill"), MaxResult: 2})
	must(t, err)
	e := envWith(c.transport)
	c.Agent, err = agent.New(agent.Config{Model: &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: c.server.URL, Env: e}, ModelName: "m",
		Store: c.store, Tools: []tool.Tool{run}})
	must(t, err)
	return c
}

func (c *cancelling) close() {
	c.transport.CloseIdleConnections()
	c.server.CloseClientConnections()
	c.server.Close()
	c.store.Close()
}

// cancel runs a turn, cancels it some time after it came to a place, and returns how
// long it took from then on.
func (c *cancelling) cancel(t testing.TB, session string, place string, later time.Duration) (took time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var at atomic.Int64
	begin := time.Now()
	stop := func() {
		time.AfterFunc(later, func() { at.Store(int64(time.Since(begin))); cancel() })
	}
	armed := false
	var last error
	for e, err := range c.Run(ctx, session, agent.Text("now "+place)) {
		last = err
		if !armed && there(place, e) {
			armed = true
			stop()
		}
	}
	took = time.Since(begin) - time.Duration(at.Load())
	if last == nil || ctx.Err() == nil || at.Load() == 0 {
		t.Errorf("%s: the turn was not cancelled: %v", place, last)
	}
	return took
}

// there reports whether an event says that a turn has come to a place.
func there(place string, e session.Event) bool {
	switch place {
	case inStream:
		return e.Kind == session.DeltaText
	case inTool:
		return e.Kind == session.Call
	}
	return e.Kind == session.Requested
}

var places = []string{inRequest, inStream, inTool, inRetry}

// TestCancelled cancels turns at random moments and looks for what is left of them:
// goroutines, open files and sockets, processes.
func TestCancelled(t *testing.T) {
	n := pick(200, 10_000)
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip(err)
	}
	// A collection closes files that were forgotten, so there is none before 1 GiB.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	start := time.Now()
	var goroutines, files int
	var cancelled atomic.Int64
	for _, n := range []int{16, n} { // the first opens what a process keeps, such as its poller
		goroutines, files = runtime.NumGoroutine(), openFiles(t)
		cancelled.Store(0)
		c := newCancelling(t)
		parallel(t, n, func(t testing.TB, i int) {
			r := rand.New(rand.NewPCG(*seed, uint64(i)))
			c.cancel(t, "s"+strconv.Itoa(i), places[r.IntN(len(places))], time.Duration(r.IntN(20_000))*time.Microsecond)
			cancelled.Add(1)
		})
		c.close()
	}
	var left string
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		kids := children(t)
		left = fmt.Sprintf("%d goroutines, %d descriptors, %d children", max(0, runtime.NumGoroutine()-goroutines), max(0, openFiles(t)-files), len(kids))
		if runtime.NumGoroutine() <= goroutines && openFiles(t) <= files && len(kids) == 0 {
			break
		}
		if time.Now().After(end) {
			buf := make([]byte, 1<<16)
			t.Errorf("left behind: %s %v\n%s", left, kids, buf[:runtime.Stack(buf, true)])
			break
		}
	}
	report(t, fmt.Sprintf("%d turns cancelled at random moments: %s", cancelled.Load(), strings.Join(places, ", ")),
		"left behind: %s; %.0f s", left, time.Since(start).Seconds())
}

func openFiles(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(entries)
}

// children lists the processes that this one has started, or that they have, and
// which are still there, dead ones included. What the shell started is known by a
// variable, whoever its parent is now.
func children(t testing.TB) (out []string) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	must(t, err)
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(b), ") ")
		f := strings.Fields(rest)
		environ, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "environ")) // not ours, if it cannot be read
		mine := len(f) > 1 && f[1] == strconv.Itoa(os.Getpid())
		if mine || strings.Contains(string(environ), "PROEM_CALL=") && strings.Contains(string(environ), "PWD="+filepath.Dir(t.TempDir())) {
			out = append(out, string(b))
		}
	}
	return out
}

// TestCancelTime measures how long a turn takes to end after it was cancelled.
func TestCancelTime(t *testing.T) {
	n := pick(20, 500)
	for _, place := range places {
		c := newCancelling(t)
		var took []time.Duration
		for i := range n {
			took = append(took, c.cancel(t, "s", place, time.Duration(i%20)*500*time.Microsecond))
		}
		c.close()
		slices.Sort(took)
		p99 := took[(len(took)*99+99)/100-1]
		// A machine that does something else at the same time delays some of them.
		if half := took[len(took)/2]; half > 50*time.Millisecond {
			t.Errorf("%s: half of the cancelled turns took more than %v", place, half)
		}
		report(t, fmt.Sprintf("%d turns cancelled %s: time until the turn is over", n, place),
			"median %.2f ms, p99 %.1f ms, longest %.1f ms", ms(took[len(took)/2]), ms(p99), ms(took[len(took)-1]))
	}
}
