// Command http streams the runs of an agent to a browser: events as they happen,
// questions to be answered with a click, and an end when the page goes away.
package main

import (
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool/fs"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/wire/openaichat"
)

//go:embed page.html
var page []byte

// newAgent returns an agent that asks before it writes below dir, which is no link.
func newAgent(model provider.Model, name, dir string) (*agent.Agent, error) {
	policy, err := permit.New(permit.Config{Roots: []string{dir}})
	if err != nil {
		return nil, err
	}
	return agent.New(agent.Config{
		Model: model, ModelName: name, System: "You keep the notes.", RefuseBusy: true,
		Tools:       fs.All(fs.Config{Roots: []string{dir}}),
		Permissions: &agent.Permissions{Policy: policy},
	})
}

// An input is what the page sends: a text, or the answer to a question.
type input struct {
	Text    string
	Replies []session.Reply
}

// handler serves the page and the runs. Whoever calls knows the token; a page of
// another origin, or of a name that was bound to this address, is refused.
func handler(a *agent.Agent, token string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'")
		w.Write(page)
	})
	mux.HandleFunc("POST /run/{session}", func(w http.ResponseWriter, r *http.Request) {
		var in input
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/jsonl")
		out, flush := json.NewEncoder(w), http.NewResponseController(w)
		// The request's context ends when the page goes away, and the turn with it.
		for e, err := range a.Run(r.Context(), r.PathValue("session"), agent.Input{Text: in.Text, Replies: in.Replies}) {
			if err != nil {
				out.Encode(map[string]string{"error": err.Error()})
				return
			}
			if out.Encode(e) != nil || flush.Flush() != nil {
				return
			}
		}
	})
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.Host)
		key := r.URL.Query().Get("token")
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) || subtle.ConstantTimeCompare([]byte(key), []byte(token)) != 1 {
			http.Error(w, "open the address that the program printed", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	}))
}

func main() {
	dir, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		log.Fatal(err)
	}
	model := &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: cmp.Or(os.Getenv("OPENAI_BASE_URL"), "http://127.0.0.1:11434/v1")}
	a, err := newAgent(model, "qwen3", dir)
	if err != nil {
		log.Fatal(err)
	}
	token, addr := rand.Text(), cmp.Or(os.Getenv("ADDR"), "127.0.0.1:8100")
	fmt.Printf("open http://%s/?token=%s\n", addr, token)
	log.Fatal(http.ListenAndServe(addr, handler(a, token)))
}
