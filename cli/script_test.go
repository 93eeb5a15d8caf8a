package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/proemhq/proem/cli"
)

func TestMain(m *testing.M) {
	if os.Getenv("PROEM_CLI_TEST") != "" { // the test binary is the program
		os.Unsetenv("PROEM_CLI_TEST")
		cli.Main(cli.App{})
	}
	testscript.Main(m, map[string]func(){"proem": func() { cli.Main(cli.App{}) }})
}

// TestScript runs the commands as a user does: each file of testdata/script is a
// session at a shell in a fresh directory with a fresh home.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("TZ", "UTC")
			e.Setenv("NO_COLOR", "1")
			return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"serve": serve, "id": sessionID, "tamper": tamper},
	})
}

// serve starts a real server that answers like an OpenAI-compatible one and sets
// OPENAI_BASE_URL and OPENAI_API_KEY for it:
//
//	serve KIND…    for each request the next kind; the last one repeats
//
// A kind is text, badargs, cut, unauthorized, broken or hostile, which makes trouble
// when it is asked for its models. The body of the n-th
// request is kept in body-n.json.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: serve KIND…")
	}
	var mu sync.Mutex
	n := 0
	dir := ts.MkAbs(".")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasSuffix(r.URL.Path, "/models") {
			if args[0] == "hostile" {
				fmt.Fprintf(w, `{"data":[{"id":""},{"id":"%s"},{"id":"a\u001b[31m\nopenai b"},{"id":"%s"}]}`, strings.Repeat("x", 1<<20), r.Header.Get("Authorization"))
				return
			}
			fmt.Fprint(w, `{"object":"list","data":[{"id":"gpt-5"},{"id":"gpt-5-mini"}]}`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		kind := args[min(n, len(args)-1)]
		n++
		if err := os.WriteFile(filepath.Join(dir, "body-"+strconv.Itoa(n)+".json"), body, 0o644); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer(w, kind, strings.Contains(string(body), `"stream":true`))
	}))
	ts.Defer(server.Close)
	ts.Setenv("OPENAI_BASE_URL", server.URL+"/v1")
	ts.Setenv("OPENAI_API_KEY", "sk-test-canary")
}

func answer(w http.ResponseWriter, kind string, stream bool) {
	switch kind {
	case "unauthorized":
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}`)
		return
	case "broken":
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, `{"error":{"message":"the engine is on fire"}}`)
		return
	}
	if !stream {
		fmt.Fprint(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":"Hello from afar."},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(s string) { fmt.Fprintf(w, "data: %s\n\n", s) }
	switch kind {
	case "badargs":
		event(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\": \"a"}}]}}]}`)
		event(`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`)
	case "cut":
		event(`{"choices":[{"index":0,"delta":{"content":"Hel"}}]}`)
		return
	default:
		event(`{"choices":[{"index":0,"delta":{"content":"Hello "}}]}`)
		event(`{"choices":[{"index":0,"delta":{"content":"from afar."},"finish_reason":"stop"}]}`)
		event(`{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}`)
	}
	event("[DONE]")
}
