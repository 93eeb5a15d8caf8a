package providertest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

const script = `
turns:
  - reasoning: well then
    text: Let me see.
    calls: [{tool: read_file, args: {path: "ä a.txt", n: [1, 2.5, null]}}, {tool: grep}]
    usage: {input: 900, cached: 800, output: 5}
  - text: |
      Done and
      dusted.
    stop: length
  - text: ""
`

// Every protocol says the same, streaming and not.
func TestPlay(t *testing.T) {
	each(t, func(t *testing.T, d wire.Dialect) {
		for _, plain := range []bool{false, true} {
			s := serve(t, script)
			m := s.Model(d)
			for i, want := range []string{
				`Let me see.<call_1_1 read_file {"path":"ä a.txt","n":[1,2.5,null]}><call_1_2 grep {}>[input:900,cached:800,output:5] tools`,
				"Done and\ndusted.\n[…] length",
				"[…] end",
				"[…] end",
			} {
				r := ask()
				r.Options.NoStream = plain
				got, err := send(t.Context(), t, m, r)
				if err != nil {
					t.Fatal(err)
				}
				got = strings.NewReplacer("(well then)", "", "(well )(then)", "").Replace(got)
				if lo, hi := strings.Index(got, "[input:"), strings.LastIndex(got, "]"); i > 0 && lo >= 0 {
					got = got[:lo] + "[…" + got[hi:]
				}
				if diff := cmp.Diff(got, want); diff != "" {
					t.Errorf("plain %v, request %d: (-got +want)\n%s", plain, i, diff)
				}
			}
		}
	})
}

// A tool loop breaks no rule, and the server sees what was sent.
func TestToolLoop(t *testing.T) {
	each(t, func(t *testing.T, d wire.Dialect) {
		s := serve(t, `
turns:
  - calls: [{tool: read_file, args: {path: a.txt}}, {tool: grep}]
    reasoning: I look.
    expect: {system_contains: [You help., Be brief.], tools: [grep, read_file]}
  - calls: [{tool: grep, args: {x: 1}}]
    expect: {result_contains: [result of read_file, result of grep]}
  - text: The end.
  - text: Again.
    expect: {user_contains: more}`)
		a, fakes := newAgent(t, s.Model(d))
		for i, c := range []struct{ in, answer string }{{"begin", "The end."}, {"more", "Again."}} {
			answer, stop, err := run(t.Context(), a, "s", c.in)
			if err != nil || answer != c.answer || stop != "end" {
				t.Errorf("turn %d: got %q, %q, %v", i, answer, stop, err)
			}
		}
		if diff := cmp.Diff(fakes[1].ran, []string{"{}", `{"x":1}`}); diff != "" {
			t.Errorf("(-got +want)\n%s", diff)
		}
		got := s.Requests()
		if len(got) != 4 {
			t.Fatalf("got %d requests", len(got))
		}
		last := got[3]
		sum := last.Summary
		type seen struct {
			Dialect, Model, User string
			Calls, Results       int
			Tools                []string
			Status               int
		}
		if diff := cmp.Diff(seen{last.Dialect, sum.Model, sum.User, sum.Calls, sum.Results, sum.Tools, last.Status},
			seen{d.Name, "m", "more", 3, 3, []string{"grep", "read_file"}, 200}); diff != "" {
			t.Errorf("(-got +want)\n%s", diff)
		}
		if sum.Input == 0 || last.Credential == "" || len(last.Violations) > 0 {
			t.Errorf("got %+v", last)
		}
		for _, r := range got {
			if h, err := json.Marshal(r); err != nil || bytes.Contains(h, []byte(providertest.DefaultKey)) {
				t.Errorf("the credential was recorded: %s %v", h, err)
			}
		}
	})
}

// A request that breaks a rule is refused, and the test fails with the place.
func TestViolation(t *testing.T) {
	bad := `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"grep","arguments":"{}"}}]}],` +
		`"tools":[{"type":"function","function":{"name":"grep"}}]}`
	post := func(s *providertest.Server) string {
		res, err := http.Post(s.URL()+"/v1/chat/completions", "application/json", strings.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.Status + " " + string(b)
	}
	const want = `messages[1].tool_calls[0]: the call "c1" has no result before the end`
	r := &recorder{TB: t}
	if got := post(providertest.New(r, providertest.Config{})); got != `400 Bad Request {"error":{"code":null,"message":"`+
		strings.ReplaceAll(want, `"`, `\"`)+`","param":"messages[1].tool_calls[0]","type":"invalid_request_error"}}` {
		t.Errorf("got %s", got)
	}
	if diff := cmp.Diff(r.log, []string{"providertest: request 1, openai-chat: " + want}); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
	lenient := providertest.New(t, providertest.Config{Lenient: true})
	post(lenient)
	if diff := cmp.Diff(lenient.Requests()[0].Violations, []string{want}); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
}

func TestExpect(t *testing.T) {
	r := &recorder{TB: t}
	s := serve(r, "turns: [{text: x, expect: {system_contains: spaces}}]")
	_, err := send(t.Context(), t, s.Model(openaichat.Dialect), ask())
	var api *wire.APIError
	if !errors.As(err, &api) || api.Status != 400 || !strings.Contains(err.Error(), `"spaces" is not in "`) {
		t.Errorf("got %v", err)
	}
	if len(r.log) != 1 || !strings.Contains(r.log[0], "turns[0].expect") {
		t.Errorf("got %q", r.log)
	}
}

func TestKeyAndModels(t *testing.T) {
	each(t, func(t *testing.T, d wire.Dialect) {
		s := providertest.New(t, providertest.Config{Key: "the-right-key", Models: []string{"m", "n"}})
		m := s.Model(d)
		if _, err := send(t.Context(), t, m, ask()); err != nil {
			t.Error(err)
		}
		r := ask()
		r.Model = "other"
		var api *wire.APIError
		if _, err := send(t.Context(), t, m, r); !errors.As(err, &api) || api.Status != 404 {
			t.Errorf("got %v", err)
		}
		m.Key = "a-wrong-key"
		if _, err := send(t.Context(), t, m, ask()); !errors.As(err, &api) || api.Kind != wire.Authentication {
			t.Errorf("got %v", err)
		}
	})
}

func TestListModels(t *testing.T) {
	s := providertest.New(t, providertest.Config{})
	for version, want := range map[string]string{
		"":           `{"data":[{"created":1767225600,"id":"test-model","object":"model","owned_by":"providertest"}],"object":"list"}`,
		"2023-06-01": `{"data":[{"created_at":"2026-01-01T00:00:00Z","display_name":"test-model","id":"test-model","type":"model"}],"first_id":"test-model","has_more":false,"last_id":"test-model"}`,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Environment()["OPENAI_BASE_URL"]+"/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		if version != "" {
			req.Header.Set("anthropic-version", version)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || string(b) != want {
			t.Errorf("got %s, %v, want %s", b, err, want)
		}
	}
	if res, err := http.Get(s.URL() + "/v1/nothing"); err != nil || res.StatusCode != 404 {
		t.Errorf("got %v, %v", res, err)
	}
}

// A response that continues a stored one counts and checks the whole conversation.
func TestPreviousResponse(t *testing.T) {
	s := serve(t, "turns: [{calls: [{tool: grep}]}, {text: done}]")
	m := s.Model(openairesponses.Dialect)
	post := func(body string) (status int, id string) {
		res, err := http.Post(m.BaseURL+"/responses", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var doc struct{ ID string }
		if err := json.NewDecoder(res.Body).Decode(&doc); err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, doc.ID
	}
	const head = `"model":"m","tools":[{"type":"function","name":"grep","parameters":{},"strict":false}]`
	_, id := post(`{` + head + `,"input":"hi"}`)
	if code, _ := post(`{` + head + `,"previous_response_id":"` + id + `","input":[{"type":"function_call_output","call_id":"call_1_1","output":"r"}]}`); code != 200 {
		t.Errorf("got %d", code)
	}
	if got := s.Requests()[1].Summary; got.Calls != 1 || got.Results != 1 || strings.Join(got.Roles, " ") != "user assistant tool" {
		t.Errorf("got %+v", got)
	}
}

// With by: conversation the history alone decides which entry is played.
func TestByConversation(t *testing.T) {
	s := serve(t, "by: conversation\nturns: [{text: one}, {text: two}, {text: three}]")
	said := chat.TextMessage(chat.Assistant, chat.UserText("one", nil).Parts[0].Text)
	got, err := send(t.Context(), t, s.Model(anthropic.Dialect), ask(said, chat.UserText("on", nil)))
	if err != nil || !strings.HasPrefix(got, "two[") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestDelay(t *testing.T) {
	e := quick()
	s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: x, delay: 90s}]"), Env: e})
	if _, err := send(t.Context(), t, s.Model(openaichat.Dialect), ask()); err != nil {
		t.Fatal(err)
	}
	if got := e.Clock.Now().Sub(t0); got != 90*time.Second {
		t.Errorf("waited %v", got)
	}
}

func TestMistakes(t *testing.T) {
	for _, f := range []providertest.Fault{{Kind: "odd"}, {Kind: providertest.Cut, N: -1}, {Kind: providertest.Status}} {
		r := &recorder{TB: t}
		done := make(chan bool)
		go func() {
			defer close(done)
			providertest.New(r, providertest.Config{Faults: []providertest.Fault{f}})
		}()
		<-done
		if len(r.log) != 1 || !strings.HasPrefix(r.log[0], "providertest: ") {
			t.Errorf("%+v: got %q", f, r.log)
		}
	}
}

var _ provider.Model = (*provider.HTTP)(nil)
