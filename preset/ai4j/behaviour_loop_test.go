package ai4j_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/preset/ai4j"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/ask"
	"github.com/proemhq/proem/tool/fs"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/tool/shell"
	"github.com/proemhq/proem/wire/openairesponses"
)

const endless = "turns: [{calls: [{tool: w}]}]"

// one runs a turn with the tool w, of which it returns the results.
func one(t *testing.T, yaml string, w *fake, hooks ...agent.Hook) ([]string, error) {
	t.Helper()
	a := newAgent(t, ai4j.Config{}, agent.Config{Model: script(t, yaml), Tools: []tool.Tool{w}, Hooks: hooks})
	events, err := run(t, a, "s", agent.Text("go"))
	return results(events), err
}

const callThenDone = "turns: [{calls: [{tool: w, id: c1}]}, {text: done}]"

var looping = []behaviour{
	{"30 a tool, then a text: two steps", func(t *testing.T) {
		events := turn(t, newAgent(t, ai4j.Config{}, agent.Config{Model: script(t, callThenDone), Tools: []tool.Tool{&fake{name: "w"}}}), "s", "go")
		last := of(events, session.Answer)[1]
		diff(t, "answer", last.Message.Text().String(), "done")
		diff(t, "steps", last.Step, 2)
	}},
	{"31 negative: as many steps as it takes; zero: the default", func(t *testing.T) {
		many := "turns: [" + strings.Repeat("{calls: [{tool: w}]}, ", agent.DefaultMaxSteps+5) + "{text: done}]"
		for steps, want := range map[int]string{-1: "end", 0: agent.StopSteps} {
			a := newAgent(t, ai4j.Config{}, agent.Config{Model: script(t, many), Tools: []tool.Tool{&fake{name: "w"}}, Limits: agent.Limits{Steps: steps, Repeats: -1}})
			diff(t, "stop", stop(t, turn(t, a, "s", "go")), want)
		}
	}},
	{"32 endless tools end at the limit", func(t *testing.T) {
		m := script(t, endless)
		a := newAgent(t, ai4j.Config{}, agent.Config{Model: m, Tools: []tool.Tool{&fake{name: "w"}}, Limits: agent.Limits{Steps: 20, Repeats: -1}})
		diff(t, "stop", stop(t, turn(t, a, "s", "go")), agent.StopSteps)
		diff(t, "steps", len(m.bodies), 20)
	}},
	{"33 the limit of time ends a turn", func(t *testing.T) {
		slow := &fake{name: "w", call: func(ctx context.Context, _ json.RawMessage) (tool.Result, error) {
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		}}
		a := newAgent(t, ai4j.Config{}, agent.Config{Model: script(t, endless), Tools: []tool.Tool{slow}, Limits: agent.Limits{Time: 50 * time.Millisecond}, Env: &env.Env{}})
		events := turn(t, a, "s", "go")
		diff(t, "stop", stop(t, events), agent.StopTime)
		diff(t, "message", of(events, session.Stopped)[0].Stop.Message, "the turn took 50ms, which is the limit")
	}},
	{"34 the limit of tokens ends a turn, and what was answered is kept", func(t *testing.T) {
		w := &fake{name: "w"}
		a := newAgent(t, ai4j.Config{}, agent.Config{Model: script(t, "turns: [{calls: [{tool: w}], usage: {input: 1900, output: 100}}]"), Tools: []tool.Tool{w}, Limits: agent.Limits{Tokens: 1500}})
		events := turn(t, a, "s", "go")
		diff(t, "stop", stop(t, events), agent.StopTokens)
		diff(t, "answers", len(of(events, session.Answer)), 1)
		diff(t, "calls that ran", len(w.runs), 0)
		diff(t, "results", len(results(events)), 1)
	}},
	{"35 a cancelled turn ends as such", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &fake{name: "w", call: func(context.Context, json.RawMessage) (tool.Result, error) { cancel(); return tool.Text("x"), nil }}
		a := newAgent(t, ai4j.Config{}, agent.Config{Model: script(t, endless), Tools: []tool.Tool{w}})
		var events []session.Event
		var err error
		for e, failed := range a.Run(ctx, "s", agent.Text("go")) {
			if err = failed; err == nil {
				events = append(events, e)
			}
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		diff(t, "stop", stop(t, events), agent.StopCancelled)
	}},
	{"36 one step with a call has no final answer", func(t *testing.T) {
		a := newAgent(t, ai4j.Config{}, agent.Config{Model: script(t, callThenDone), Tools: []tool.Tool{&fake{name: "w"}}, Limits: agent.Limits{Steps: 1}})
		events := turn(t, a, "s", "go")
		diff(t, "stop", stop(t, events), agent.StopSteps)
		diff(t, "answers", len(of(events, session.Answer)), 1)
	}},
	{"37 empty arguments are refused", func(t *testing.T) {
		w := &fake{name: "w"}
		got, err := one(t, "turns: [{calls: [{tool: w, id: c1, raw: ' '}]}, {text: done}]", w)
		check(t, err)
		diff(t, "runs", len(w.runs), 0)
		has(t, got[0], "!c1: not run: the arguments are not a complete JSON object")
	}},
	{"38 arguments that are no object are refused", func(t *testing.T) {
		w := &fake{name: "w"}
		got, err := one(t, "turns: [{calls: [{tool: w, id: c1, raw: '[1]'}]}, {text: done}]", w)
		check(t, err)
		diff(t, "runs", len(w.runs), 0)
		has(t, got[0], "!c1: not run", "not a JSON object")
	}},
	{"39 a shell call without a command runs nothing", func(t *testing.T) {
		sh, err := shell.New(shell.Config{Dir: t.TempDir()})
		check(t, err)
		a := newAgent(t, ai4j.Config{}, agent.Config{Model: script(t, "turns: [{calls: [{tool: shell, id: c1, args: {}}]}, {text: done}]"), Tools: []tool.Tool{sh}})
		has(t, results(turn(t, a, "s", "go"))[0], "!c1: ", "command")
	}},
	{"40 the error of a tool is a result, trimmed", func(t *testing.T) {
		got, err := one(t, callThenDone, &fake{name: "w", call: func(context.Context, json.RawMessage) (tool.Result, error) { return tool.Result{}, errors.New(" bad ") }})
		check(t, err)
		diff(t, "results", got, []string{"!c1: bad"})
	}},
	{"41 a blocked call has a result that says so", func(t *testing.T) {
		w := &fake{name: "w"}
		got, err := one(t, callThenDone, w, onCall{"guard", func(c chat.ToolCall) (chat.ToolCall, error) { return c, agent.Blocked("") }})
		check(t, err)
		diff(t, "results", got, []string{"!c1: not run: blocked by guard: no reason is given"})
		diff(t, "runs", len(w.runs), 0)
	}},
	{"42 arguments of a hook are checked; the call keeps its id", func(t *testing.T) {
		w := &fake{name: "w"}
		got, err := one(t, callThenDone, w, onCall{"edit", func(c chat.ToolCall) (chat.ToolCall, error) {
			c.ID, c.Args = "other", []byte("[1]")
			return c, nil
		}})
		check(t, err)
		has(t, got[0], "!c1: not run: the arguments that the hook edit gave it")
		diff(t, "runs", len(w.runs), 0)
	}},
	{"43 a hook that fails before a call ends the turn, and the call has a result", func(t *testing.T) {
		got, err := one(t, callThenDone, &fake{name: "w"}, onCall{"broken", func(c chat.ToolCall) (chat.ToolCall, error) { return c, errors.New("no") }})
		var hook *agent.HookError
		if !errors.As(err, &hook) || hook.Hook != "broken" {
			t.Errorf("got %v", err)
		}
		diff(t, "results", len(got), 1)
		has(t, got[0], "!c1: not run")
	}},
	{"44 a hook that fails behind a call makes its result an error", func(t *testing.T) {
		got, err := one(t, callThenDone, &fake{name: "w"}, onResult{"broken", func(r tool.Result) (tool.Result, error) { return r, errors.New("no") }})
		var hook *agent.HookError
		if !errors.As(err, &hook) { // and, unlike the original, it ends the turn
			t.Errorf("got %v", err)
		}
		diff(t, "results", got, []string{"!c1: the tool ran; its result is withheld, because the hook broken failed"})
	}},
	{"45 a blocked input is not stored", func(t *testing.T) {
		store := &memory.Store{}
		a := newAgent(t, ai4j.Config{}, agent.Config{Model: script(t, "turns: [{text: never}]"), Store: store,
			Hooks: []agent.Hook{onInput{"guard", func(in agent.Input) (agent.Input, error) { return in, agent.Blocked("") }}}})
		events := turn(t, a, "s", "go")
		diff(t, "stop", stop(t, events), agent.StopBlocked)
		diff(t, "message", of(events, session.Stopped)[0].Stop.Message, "hook guard: no reason is given")
		for e := range store.Events(t.Context(), "s") {
			if e.Message != nil {
				t.Errorf("stored: %s", e.Message.Text())
			}
		}
	}},
	{"47 a request hook that changes nothing is not named", caseHands},
	{"48 a call is told twice: in the answer and before it runs", func(t *testing.T) {
		events := turn(t, newAgent(t, ai4j.Config{}, agent.Config{Model: script(t, callThenDone), Tools: []tool.Tool{&fake{name: "w"}}}), "s", "go")
		diff(t, "in the answer", of(events, session.Answer)[0].Message.Calls()[0].ID, "c1")
		diff(t, "before it runs", of(events, session.Call)[0].Call.ID, "c1")
	}},
	{"49 a question keeps the results of the calls before it", asks},
	{"50 an answer is the result of its call", asks},
	{"51 consent that is missing pauses: the model is asked once", consent},
	{"52 writing a file needs consent", consent},
	{"53 a call that is led to no tool is not run", func(t *testing.T) {
		w := &fake{name: "w"}
		got, err := one(t, callThenDone, w, onCall{"route", func(c chat.ToolCall) (chat.ToolCall, error) { c.Name = "sandbox"; return c, nil }})
		check(t, err)
		diff(t, "results", got, []string{`!c1: not run: the hook route asks for the tool "sandbox", which there is not`})
		diff(t, "runs", len(w.runs), 0)
	}},
	{"54 responses: a failed response is no success", func(t *testing.T) {
		got := decoded(t, openairesponses.Dialect, `data: {"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"server_error","message":"it broke"},"output":[]}}`)
		if got.err == nil || !strings.Contains(got.err.Error(), "it broke") {
			t.Errorf("got %+v", got)
		}
	}},
}

// asks pauses at the second of two calls and goes on with the answer.
func asks(t *testing.T) {
	m := script(t, "turns: [{calls: [{tool: w, id: c1}, {tool: ask_user, id: c2, args: {question: 'Which colour?'}}]}, {text: done}]")
	a := newAgent(t, ai4j.Config{}, agent.Config{Model: m, Tools: []tool.Tool{&fake{name: "w"}, ask.New(nil)}})
	events := turn(t, a, "s", "go")
	diff(t, "stop", stop(t, events), agent.StopAsks)
	diff(t, "results", results(events), []string{"c1: result of w"})
	events, err := run(t, a, "s", agent.Input{Replies: []session.Reply{{Call: "c2", Text: "blue"}}})
	check(t, err)
	diff(t, "stop", stop(t, events), "end")
	got := results(events)
	diff(t, "results", len(got), 1)
	has(t, got[0], "c2: ", "blue")
	diff(t, "roles", strings.Join(m.messages(t, 1)[2:4], " "), "assistant: <calls> tool: result of w")
}

// consent pauses before a file is written.
func consent(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	policy, err := permit.New(permit.Config{Roots: []string{dir}})
	check(t, err)
	m := script(t, "turns: [{calls: [{tool: write_file, id: c1, args: {path: a.txt, content: x}}]}, {text: done}]")
	a := newAgent(t, ai4j.Config{}, agent.Config{Model: m, Tools: fs.All(fs.Config{Roots: []string{dir}}), Permissions: &agent.Permissions{Policy: policy}})
	diff(t, "stop", stop(t, turn(t, a, "s", "go")), agent.StopAsks)
	diff(t, "requests", len(m.bodies), 1)
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); err == nil {
		t.Error("the file is written")
	}
}
