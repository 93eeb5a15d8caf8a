package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/cli"
	"github.com/proemhq/proem/env"
)

// The credentials of a user, none of which has a known form.
const (
	canaryKey      = "Qx7pLm2vTr9wZb4nKs"
	canaryHeader   = "hD3kWy8cJf5gRt1uNe"
	canaryPassword = "Vb6mXa0sPq4zLo2iYd"
)

// forms are ways in which somebody repeats a credential.
var forms = map[string]func(string) string{
	"as it is": func(s string) string { return s },
	"base64":   func(s string) string { return base64.StdEncoding.EncodeToString([]byte("key:" + s)) },
	"hex":      func(s string) string { return hex.EncodeToString([]byte(s)) },
	"query":    func(s string) string { return url.QueryEscape("Bearer " + s) },
	"capitals": strings.ToUpper,
	"apart":    func(s string) string { return strings.Join(strings.Split(s, ""), " ") },
	"twice": func(s string) string {
		return hex.EncodeToString([]byte(base64.RawURLEncoding.EncodeToString([]byte(s))))
	},
	"unescaped": func(s string) string { b, _ := json.Marshal(s); return string(b) },
}

// answers are ways in which a host says something.
var answers = map[string]func(w http.ResponseWriter, said string){
	"401": func(w http.ResponseWriter, said string) {
		w.WriteHeader(http.StatusUnauthorized)
		json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": "wrong key " + said + ", really", "code": said}})
	},
	"400 in text": func(w http.ResponseWriter, said string) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, "bad request: %s", said)
	},
	"in a stream": func(w http.ResponseWriter, said string) {
		w.Header().Set("Content-Type", "text/event-stream")
		b, _ := json.Marshal(map[string]any{"error": map[string]any{"message": "sorry " + said, "code": "x"}})
		fmt.Fprintf(w, "data: %s\n\n", b)
	},
	"as arguments": func(w http.ResponseWriter, said string) {
		args, _ := json.Marshal(map[string]string{"path": said})
		b, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "finish_reason": "tool_calls", "message": map[string]any{
			"role": "assistant", "content": "I look at " + said, "tool_calls": []any{map[string]any{"id": "c1", "type": "function",
				"function": map[string]any{"name": "read_file", "arguments": string(args)}}}}}}})
		w.Header().Set("Content-Type", "application/json")
		w.Write(b)
	},
}

// Whatever a host makes of the credentials that it is sent, or of others that
// the process has, none of them stands in a trace, in what the commands print to
// standard error, nor in the failures that a session records.
func TestCanaries(t *testing.T) {
	for kind, answer := range answers {
		for form, encode := range forms {
			for name, secret := range map[string]string{"key": canaryKey, "header": canaryHeader, "variable": canaryPassword} {
				if kind != "401" && form != "as it is" && name != "key" {
					continue // every encoding of every one, and every answer
				}
				t.Run(kind+", "+form+", "+name, func(t *testing.T) {
					said := encode(secret)
					server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w, said) }))
					defer server.Close()
					w := newWorkplace(t, map[string]string{".git/": ""})
					var out, errs bytes.Buffer
					call := func(args ...string) {
						cli.Run(t.Context(), cli.App{}, cli.Process{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
							Environ: []string{"HOME=" + w.home, "OPENAI_API_KEY=" + canaryKey, "OPENAI_BASE_URL=" + server.URL, "PGPASSWORD=x", "DB_PASSWORD=" + canaryPassword,
								"CACHE_URL=redis://me:" + canaryPassword + "@localhost"},
							Dir: w.dir, Env: env.OrSystem(&env.Env{Clock: env.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))})}) // whose retries do not wait
					}
					call("run", "--trace", "t.jsonl", "--trace-contents", "--set", "providers.openai.headers.X-Team=Token "+canaryHeader, "--max-steps", "2", "--output", "stream-json", "go")
					trace, err := os.ReadFile(filepath.Join(w.dir, "t.jsonl"))
					if err != nil || bytes.Count(trace, []byte("\n")) < 3 {
						t.Fatalf("the trace: %v\n%s\n%s", err, trace, &errs)
					}
					places := map[string]string{"the trace": string(trace), "standard error": errs.String()}
					if kind != "as arguments" { // a session keeps what a model says as it is
						places["the session"] = out.String()
					}
					for where, text := range places {
						if name == "variable" && where == "the session" {
							continue // nobody knows of it there: the host has it from elsewhere
						}
						for _, s := range []string{said, secret} {
							if at := strings.Index(text, s); at >= 0 {
								t.Errorf("%s holds it: …%.200s", where, text[max(0, at-100):])
							}
						}
					}
				})
			}
		}
	}
}
