package agent_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire/openaichat"
)

const (
	streamed = `data: {"choices":[{"index":0,"delta":{"content":"yo"}}]}` + "\n\n" +
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	whole = `{"choices":[{"index":0,"message":{"role":"assistant","content":"yo"},"finish_reason":"stop"}]}`
)

// endpoint is a server that keeps what it received.
type endpoint struct {
	*httptest.Server
	received []string
}

func serve(t testing.TB, answer func(w http.ResponseWriter, n int)) *endpoint {
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		e.received = append(e.received, string(b))
		answer(w, len(e.received))
	}))
	t.Cleanup(e.Close)
	return e
}

// at returns a model at an address whose retries do not wait.
func at(url string) *provider.HTTP {
	return &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: url, Key: "sk-secret", Env: &env.Env{Clock: env.NewFakeClock(t0), Rand: env.FixedRand(0.5)},
		Retry: provider.Retry{Max: 1}}
}

func status(code int, body string) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, _ int) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

// A failed request ends the turn with a message that names the endpoint and the
// reason; the input is kept and is in the next request.
func TestEndpointFailures(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	down := "http://" + closed.Addr().String() + "/v1"
	closed.Close()
	tests := []struct {
		name   string
		answer func(http.ResponseWriter, int)
		want   []string
	}{
		{"down", nil, []string{"no server answers"}},
		{"401", status(401, `{"error":{"message":"no such key","code":"invalid_api_key"}}`), []string{"401", "no such key"}},
		{"404", status(404, `{"error":{"message":"no such model"}}`), []string{"404", "no such model"}},
		{"500", status(500, `{"error":{"message":"it broke"}}`), []string{"500", "it broke"}},
		{"cut", func(w http.ResponseWriter, _ int) { io.WriteString(w, streamed[:len(streamed)/2]) }, []string{"stream.truncated"}},
		{"a page", func(w http.ResponseWriter, _ int) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>welcome")
		}, []string{"web page"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url := down
			if tt.answer != nil {
				url = serve(t, tt.answer).URL + "/v1"
			}
			store := &memory.Store{}
			a := newAgent(t, agent.Config{Model: at(url), Store: store})
			events, err := run(t.Context(), a, "s", "my question")
			end := stop(t, readLog(t, store, "s"))
			if err == nil || end.Stop.Reason != agent.StopError || end.Failure != err.Error() {
				t.Errorf("got error %v, stop %+v, failure %q", err, end.Stop, end.Failure)
			}
			if !strings.HasSuffix(kinds(events), "input prefix request stop") {
				t.Errorf("got events %s", kinds(events))
			}
			for _, w := range append(tt.want, strings.TrimPrefix(url, "http://")) {
				if err != nil && !strings.Contains(err.Error(), w) {
					t.Errorf("the message lacks %q: %v", w, err)
				}
			}
			if err != nil && strings.Contains(err.Error(), "sk-secret") {
				t.Errorf("the message holds the key: %v", err)
			}
			p, err := a.Preview(t.Context(), "s", agent.Text("and now?"))
			if err != nil || !strings.Contains(string(p.Body.JSON), "my question") {
				t.Errorf("the input is gone: %v", err)
			}
		})
	}
}

// After a failure the session goes on as if nothing had happened.
func TestEndpointRecovers(t *testing.T) {
	e := serve(t, func(w http.ResponseWriter, n int) {
		if n <= 2 { // the request and its retry
			status(503, `{"error":{"message":"later"}}`)(w, n)
			return
		}
		io.WriteString(w, streamed)
	})
	a := newAgent(t, agent.Config{Model: at(e.URL)})
	if _, err := run(t.Context(), a, "s", "first"); err == nil {
		t.Fatal("503 is no error")
	}
	turn(t, a, "s", "second")
	last := e.received[len(e.received)-1]
	if len(e.received) != 3 || !strings.Contains(last, "first") || !strings.Contains(last, "second") {
		t.Errorf("%d requests, the last: %s", len(e.received), last)
	}
}

// C85 in an agent: without policy nothing is sent, and the input is not lost.
func TestFailingAssembly(t *testing.T) {
	reg, broken := registry.New(), true
	policy := source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
		if broken {
			return prompt.Fact{}, errors.New("no policy today")
		}
		return prompt.Fact{Text: "POLICY"}, nil
	})
	rag := source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
		return prompt.Fact{}, errors.New("no search")
	})
	for _, d := range []struct {
		def prompt.SectionDef
		src source.Source
	}{{prompt.SectionDef{Name: "policy", Required: true}, policy}, {prompt.SectionDef{Name: "rag", Order: 1}, rag}} {
		if _, err := reg.Global().Dynamic(d.def, d.src); err != nil {
			t.Fatal(err)
		}
	}
	model, store := &recorder{Model: script(t, "turns: [{text: ok}]")}, &memory.Store{}
	a := newAgent(t, agent.Config{Model: model, Registry: reg, Store: store})
	events, err := run(t.Context(), a, "s", "remember me")
	if err == nil || !strings.Contains(err.Error(), "no policy today") || len(model.bodies) > 0 {
		t.Errorf("got %v and %d requests", err, len(model.bodies))
	}
	diff(t, "events", kinds(events), "session.start input stop")
	diff(t, "reason", stop(t, events).Stop.Reason, agent.StopError)
	if _, err := a.Preview(t.Context(), "s", agent.Text("x")); err == nil {
		t.Error("the preview does not fail")
	}
	broken = false
	events = turn(t, a, "s", "now")
	if b := model.last(); !strings.Contains(b, "remember me") || !strings.Contains(b, "POLICY") {
		t.Errorf("got %s", b)
	}
	if !strings.Contains(kinds(events), "diagnostic") {
		t.Errorf("nothing is said of rag: %s", kinds(events))
	}
	readLog(t, store, "s")
}

// A store that fails at any append ends the turn; what was stored can be read,
// nothing runs that was not recorded, and the next turn goes on from there.
func TestStoreFails(t *testing.T) {
	for n := 0; ; n++ {
		f := &fake{name: "x"}
		store := &brokenStore{left: n}
		a := newAgent(t, agent.Config{Model: script(t, "turns: [{calls: [{tool: x}]}, {text: done}]"), Tools: []tool.Tool{f}, Store: store})
		_, err := run(t.Context(), a, "s", "go")
		if err == nil {
			break
		}
		if !errors.Is(err, errDisk) {
			t.Fatalf("append %d: got %v", n, err)
		}
		store.left = 1000
		turn(t, a, "s", "again")
		stored := readLog(t, store, "s")
		if int(f.ran.Load()) > strings.Count(kinds(stored), "tool.call") {
			t.Errorf("append %d: %d runs, but the log says %s", n, int(f.ran.Load()), kinds(stored))
		}
		inputs := strings.Count(kinds(stored), "input")
		if want := min(n, 1) + 1; inputs != want {
			t.Errorf("append %d: %d inputs are kept, want %d", n, inputs, want)
		}
		if n > 20 {
			t.Fatal("the turn never succeeds")
		}
	}
}

// A model that takes no notice of its context cannot keep a turn alive, and
// nothing is left running.
func TestNoGoroutinesLeft(t *testing.T) {
	e := serve(t, func(w http.ResponseWriter, n int) {
		if n%3 == 0 {
			io.WriteString(w, streamed[:40])
			return
		}
		io.WriteString(w, streamed)
	})
	transport := &http.Transport{}
	model := at(e.URL)
	model.Env.Net = transport
	settle := func(limit int) int {
		for range 200 {
			if runtime.NumGoroutine() <= limit {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		return runtime.NumGoroutine()
	}
	a := newAgent(t, agent.Config{Model: model})
	before := runtime.NumGoroutine()
	for i := range 12 {
		ctx, cancel := context.WithCancel(t.Context())
		for ev, err := range a.Run(ctx, fmt.Sprint("s", i%4), agent.Text("hi")) {
			if err != nil || i%2 == 0 && ev.Kind == session.DeltaText {
				break
			}
		}
		cancel()
	}
	transport.CloseIdleConnections()
	e.CloseClientConnections()
	if after := settle(before); after > before {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", after, before, buf[:runtime.Stack(buf, true)])
	}
}
