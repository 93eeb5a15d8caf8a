package doctest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/proemhq/proem/provider/scripted"
)

// A server stands at http://127.0.0.1:8080/v1 and answers as the document's
// script says. Nothing else can be reached.
type server struct {
	script scripted.Script
	served int
}

var serverPattern = regexp.MustCompile(`(?s)<!-- server\n(.*?)-->`)

func newServer(t *testing.T, d *document) *server {
	t.Helper()
	m := serverPattern.FindStringSubmatch(d.text())
	if m == nil {
		return &server{}
	}
	script, err := scripted.Parse([]byte(m[1]), d.name)
	if err != nil {
		t.Fatal(err)
	}
	return &server{script: *script}
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.String() != "http://127.0.0.1:8080/v1/chat/completions" || s.served >= len(s.script.Turns) {
		return nil, fmt.Errorf("no server answers at %s", r.URL)
	}
	if _, err := io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	turn := s.script.Turns[s.served]
	s.served++
	var out strings.Builder
	event := func(v any) {
		data, _ := json.Marshal(v)
		fmt.Fprintf(&out, "data: %s\n\n", data)
	}
	type object = map[string]any
	choice := func(delta object, finish any) {
		event(object{"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	finish := "stop"
	if turn.Text != "" {
		choice(object{"content": turn.Text}, nil)
	}
	for i, c := range turn.Calls {
		finish = "tool_calls"
		choice(object{"tool_calls": []any{object{"index": i, "id": fmt.Sprintf("call-%d-%d", s.served, i), "type": "function",
			"function": object{"name": c.Tool, "arguments": string(c.Args)}}}}, nil)
	}
	choice(object{}, finish)
	fmt.Fprint(&out, "data: [DONE]\n\n")
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(strings.NewReader(out.String())), Request: r}, nil
}
