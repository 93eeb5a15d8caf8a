package main

import (
	"bufio"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/wire"
)

const write = `
turns:
  - calls: [{tool: write_file, args: {path: note.txt, content: "tea\n"}}]
  - text: "Noted."
`

func serve(t *testing.T, model provider.Model) (url, dir string, a *agent.Agent) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if a, err = newAgent(model, "m", dir); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(handler(a, "secret"))
	t.Cleanup(s.Close)
	return s.URL, dir, a
}

func script(t *testing.T) provider.Model {
	t.Helper()
	s, err := scripted.Parse([]byte(write), "script")
	if err != nil {
		t.Fatal(err)
	}
	return scripted.New(*s)
}

// post sends an input and returns the events of the answer.
func post(t *testing.T, url string, in input) (out []session.Event) {
	t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Post(url+"/run/s1?token=secret", "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	for lines := bufio.NewScanner(r.Body); lines.Scan(); {
		var e session.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%s: %v", lines.Bytes(), err)
		}
		out = append(out, e)
	}
	return out
}

// A question travels to the browser and the answer back.
func TestApprove(t *testing.T) {
	url, dir, _ := serve(t, script(t))
	events := post(t, url, input{Text: "write"})
	var ask *session.Ask
	for _, e := range events {
		if e.Kind == session.Asked {
			ask = e.Ask
		}
	}
	if ask == nil || !strings.Contains(string(ask.Args), "tea") {
		t.Fatalf("asked %+v", ask)
	}
	events = post(t, url, input{Replies: []session.Reply{{Call: ask.Call, Digest: ask.Digest, Verdict: "once"}}})
	if last := events[len(events)-1]; last.Kind != session.Stopped || last.Stop.Reason != "end" {
		t.Errorf("it ended with %+v", last)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "note.txt")); err != nil || string(data) != "tea\n" {
		t.Errorf("got %q, %v", data, err)
	}
}

// slow is a model that answers when its request is cancelled.
type slow struct {
	provider.Model
	ended chan struct{}
}

func (m slow) Send(ctx context.Context, _ wire.Body) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		if !yield(wire.Event{Kind: wire.TextDelta, Text: "Well, "}, nil) {
			return
		}
		<-ctx.Done()
		close(m.ended)
		yield(wire.Event{}, ctx.Err())
	}
}

// A page that goes away ends its turn.
func TestDisconnect(t *testing.T) {
	m := slow{script(t), make(chan struct{})}
	url, _, a := serve(t, m)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", url+"/run/s1?token=secret", strings.NewReader(`{"text":"hello"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if strings.Contains(lines.Text(), "Well, ") {
			break
		}
	}
	cancel()
	select {
	case <-m.ended:
	case <-time.After(5 * time.Second):
		t.Fatal("the turn goes on without anybody")
	}
	// The session is free again, and says how the turn ended.
	for range 100 {
		p, err := a.Preview(t.Context(), "s1", agent.Text("again"))
		if err == nil && p.Turn == 2 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the session is not free")
}

// Only the page that the program printed the address of gets an answer.
func TestRefused(t *testing.T) {
	url, _, _ := serve(t, script(t))
	for name, change := range map[string]func(*http.Request){
		"no token":        func(r *http.Request) { r.URL.RawQuery = "" },
		"a wrong token":   func(r *http.Request) { r.URL.RawQuery = "token=guess" },
		"a foreign name":  func(r *http.Request) { r.Host = "evil.example:80" },
		"a foreign page":  func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"a foreign fetch": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequest("POST", url+"/run/s1?token=secret", strings.NewReader(`{"text":"hello"}`))
			if err != nil {
				t.Fatal(err)
			}
			change(r)
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusForbidden {
				t.Errorf("status %d", resp.StatusCode)
			}
		})
	}
	resp, err := http.Get(url + "/?token=secret")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the page: %v %v", resp.Status, resp.Header)
	}
}
