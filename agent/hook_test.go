package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

// Hooks are called in the order of the list, the first outermost; results pass
// them the other way. A preview calls those that make the request.
func TestHookOrder(t *testing.T) {
	log := &trail{}
	a := newAgent(t, agent.Config{Model: script(t, "turns: [{calls: [{tool: x}]}, {text: done}]"), System: "Base.", Tools: []tool.Tool{&fake{name: "x"}},
		Hooks: []agent.Hook{everywhere{named: "a", log: log}, everywhere{named: "b", log: log}}})
	if _, err := a.Preview(t.Context(), "s", agent.Text("go")); err != nil {
		t.Fatal(err)
	}
	diff(t, "preview", log.take(), strings.Split(`a turn 1.0 preview
b turn 1.0 preview
a input 1.0 preview
b input 1.0 preview
a step 1.1 preview
b step 1.1 preview
a prompt 1.1
b prompt 1.1
a request 1.1 preview
b request 1.1 preview
b step ends
a step ends
b turn ends
a turn ends`, "\n"))
	turn(t, a, "s", "go")
	diff(t, "run", log.take(), strings.Split(`a turn 1.0
b turn 1.0
a input 1.0
b input 1.0
a step 1.1
b step 1.1
a prompt 1.1
b prompt 1.1
a request 1.1
b request 1.1
a model 1.1
b model 1.1
b model ends
a model ends
b step ends
a step ends
a calls 1.1
b calls 1.1
a call 1.1
b call 1.1
b result 1.1
a result 1.1
b calls ends
a calls ends
a step 1.2
b step 1.2
a prompt 1.2
b prompt 1.2
a request 1.2
b request 1.2
a model 1.2
b model 1.2
b model ends
a model ends
b step ends
a step ends
b turn ends
a turn ends`, "\n"))
}

// changing are hooks that change an input, the texts and the request.
func changing() []agent.Hook {
	return []agent.Hook{
		onInput{"polite", func(_ agent.At, in agent.Input) (agent.Input, error) {
			in.Text += "\nPlease."
			in.Vars = map[string]string{"tone": "warm"}
			in.Who.User = "mallory"
			return in, nil
		}},
		onPrompt{"house", func(ch prompt.Channel, text string) (string, error) {
			if ch == prompt.System {
				return strings.Replace(text, "Base", "Ground", 1) + "\n\nHouse rules.", nil
			}
			return text, nil
		}},
		onRequest{"same", func(_ agent.At, r wire.Request) (wire.Request, error) { return r, nil }},
		onRequest{"last", func(at agent.At, r wire.Request) (wire.Request, error) {
			r.Options.MaxOutputTokens = 99
			r.System = append(r.System, prompt.Part{Name: "extra", Sep: "\n\n", Text: span.Of("Extra part.", nil)})
			r.Messages[0].Parts[0].Text = span.Of("FIRST", nil) // of a copy
			r.Messages = append(r.Messages, chat.UserText("At the end.", nil))
			r.Tools = append(r.Tools, chat.ToolSpec{Name: "ghost", Description: "Is not there."})
			return r, nil
		}},
	}
}

// What hooks make of a prompt is what is previewed and sent, in every dialect, and
// each change is attributed. The history is not touched.
func TestHooksChangeTheRequest(t *testing.T) {
	for _, d := range []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect} {
		t.Run(d.Name, func(t *testing.T) {
			s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{calls: [{tool: x}]}, {text: ok}]")})
			store, reg := &memory.Store{}, registry.New()
			if _, err := reg.Global().Section(prompt.SectionDef{Name: "tone", Order: 500, Body: prompt.Body{Literal: "Be {{tone}}.", Template: true}}); err != nil {
				t.Fatal(err)
			}
			a := newAgent(t, agent.Config{Model: s.Model(d), Store: store, Registry: reg, System: "Base text.", Tools: []tool.Tool{&fake{name: "x"}}, Hooks: changing()})
			in := agent.Input{Text: "hi", Who: prompt.Who{User: "ada"}}
			for i := range 2 {
				p, err := a.Preview(t.Context(), "s", in)
				if err != nil {
					t.Fatal(err)
				}
				sent := len(s.Requests())
				events := runs(t, a, "s", in)
				body := string(s.Requests()[sent].Body)
				diff(t, "body", body, string(p.Body.JSON))
				for _, w := range []string{"Ground text.", "Be warm.", "House rules.", "Extra part.", "FIRST", "At the end.", `"ghost"`, "99"} {
					if !strings.Contains(body, w) {
						t.Errorf("the request lacks %q: %s", w, body)
					}
				}
				diff(t, "changed by", p.ChangedBy, []string{"last"})
				for _, e := range events {
					if e.Kind == session.Requested {
						diff(t, "recorded", e.Request.ChangedBy, []string{"last"})
					}
				}
				if i == 0 {
					attributions(t, p)
				}
			}
			stored := readLog(t, store, "s")
			text := stored[1].Message.Text()
			diff(t, "stored input", text.String(), "hi\nPlease.")
			diff(t, "stage of the addition", text.At(5).From.Stage, "polite")
			for _, e := range stored {
				if e.Message != nil && strings.Contains(e.Message.Text().String(), "FIRST") {
					t.Error("the history was changed")
				}
			}
		})
	}
}

// attributions checks whose stage the marks of a body name.
func attributions(t *testing.T, p agent.Preview) {
	t.Helper()
	got := map[string][]string{}
	for _, m := range p.Body.Marks {
		if m.From != nil && m.From.Stage != "" {
			got[m.From.Stage] = append(got[m.From.Stage], string(p.Body.JSON[m.Lo:m.Hi]))
		}
	}
	for stage, want := range map[string][]string{"house": {"Ground", "House rules."}, "polite": {"warm"}, "last": {"Extra part.", "FIRST", "At the end."}} {
		for _, w := range want {
			if !slices.ContainsFunc(got[stage], func(s string) bool { return strings.Contains(s, w) || strings.Contains(w, s) }) {
				t.Errorf("%q is not attributed to %s: %q", w, stage, got)
			}
		}
	}
	if tool := p.Request.Tools[len(p.Request.Tools)-1]; tool.From == nil || tool.From.Stage != "last" {
		t.Errorf("the tool is from %+v", tool.From)
	}
}

// A refused input is not stored, nothing is sent, and the session goes on.
func TestInputBlocked(t *testing.T) {
	store, model := &memory.Store{}, &recorder{Model: script(t, "turns: [{text: ok}]")}
	a := newAgent(t, agent.Config{Model: model, Store: store, Hooks: []agent.Hook{onInput{"guard", func(_ agent.At, in agent.Input) (agent.Input, error) {
		if strings.Contains(in.Text, "secret") {
			return in, agent.Blocked("keep that to yourself")
		}
		return in, nil
	}}}})
	end := stop(t, turn(t, a, "s", "my secret"))
	diff(t, "stop", end.Stop, &session.Stop{Reason: agent.StopBlocked, Message: "hook guard: keep that to yourself"})
	var blocked agent.Blocked
	if _, err := a.Preview(t.Context(), "s", agent.Text("my secret")); !errors.As(err, &blocked) {
		t.Errorf("preview: %v", err)
	}
	turn(t, a, "s", "hello")
	diff(t, "events", kinds(readLog(t, store, "s")), "session.start stop input prefix request answer stop")
	if len(model.bodies) != 1 || strings.Contains(model.last(), "secret") {
		t.Errorf("sent: %q", model.bodies)
	}
}

// A channel with a sole section is not a hook's to change.
func TestSoleSectionIsKept(t *testing.T) {
	reg := registry.New()
	if _, err := reg.Global().Section(prompt.SectionDef{Name: "all", Sole: true, Body: prompt.Body{Literal: "ALL THERE IS"}}); err != nil {
		t.Fatal(err)
	}
	a := newAgent(t, agent.Config{Model: script(t, "turns: [{text: ok}]"), Registry: reg, Instructions: "Do it.", Hooks: []agent.Hook{
		onPrompt{"more", func(_ prompt.Channel, text string) (string, error) { return text + "\n\nMORE", nil }}}})
	p, err := a.Preview(t.Context(), "s", agent.Text("x"))
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "system", p.Assembly.Render(prompt.System), "ALL THERE IS")
	diff(t, "instructions", p.Assembly.Render(prompt.Instructions), "Do it.\n\nMORE")
}

// A change to what the provider keeps begins a new chain.
func TestHookAndChain(t *testing.T) {
	edit := false
	s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: ok}]")})
	a := newAgent(t, agent.Config{Model: s.Model(openairesponses.Dialect), Request: agent.Request{Chain: true}, Hooks: []agent.Hook{
		onRequest{"redact", func(_ agent.At, r wire.Request) (wire.Request, error) {
			if edit {
				r.Messages[0].Parts[0].Text = span.Of("[redacted]", nil)
			}
			return r, nil
		}}}})
	for i, want := range []bool{false, true, false} {
		edit = i == 2
		turn(t, a, "s", "hello")
		diff(t, "chained", strings.Contains(string(s.Requests()[i].Body), "previous_response_id"), want)
	}
	if b := string(s.Requests()[2].Body); strings.Count(b, "hello") != 2 || !strings.Contains(b, "[redacted]") {
		t.Errorf("got %s", b)
	}
}

func TestNewRefusesHooks(t *testing.T) {
	pass := func(_ agent.At, in agent.Input) (agent.Input, error) { return in, nil }
	for want, list := range map[string][]agent.Hook{
		"a hook is nil":       {nil},
		"has no name":         {onInput{"", pass}},
		`two hooks are named`: {onInput{"x", pass}, onInput{"x", pass}},
		"implements no point": {named("x")},
	} {
		_, err := agent.New(agent.Config{Model: script(t, "turns: [{text: ok}]"), Hooks: list})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "agent: ") {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

// A context that a hook makes reaches what it stands around, and cannot outlive
// the turn's.
func TestHookContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	model := fixedModel{Model: script(t, "turns: [{text: x}]"), events: func(ctx context.Context) []wire.Event {
		if ctx.Value(named("key")) != "value" {
			t.Error("the value did not arrive")
		}
		cancel()
		<-ctx.Done()
		return nil
	}}
	a := newAgent(t, agent.Config{Model: model, Hooks: []agent.Hook{onStep{"detach", func(_ context.Context, _ agent.At, next func(context.Context) error) error {
		return next(context.WithValue(context.Background(), named("key"), "value"))
	}}}})
	if _, err := run(ctx, a, "s", "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
