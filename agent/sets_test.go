package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/tool"
)

// said is a tool that says a given text of itself.
type said struct {
	fake
	text, schema string
}

func says(name, text string) *said { return &said{fake: fake{name: name}, text: text} }

func (s *said) Spec() chat.ToolSpec {
	spec := chat.ToolSpec{Name: s.name, Description: s.text}
	if s.schema != "" {
		spec.Parameters = json.RawMessage(s.schema)
	}
	return spec
}

// calling is a script whose every turn calls the tools, and then answers.
func calling(t testing.TB, turns int, names ...string) *recorder {
	calls := ""
	for _, n := range names {
		calls += "{tool: " + n + ", args: {}},"
	}
	return &recorder{Model: script(t, "turns: ["+strings.Repeat("{calls: ["+calls+"]}, {text: ok},", turns)+"]")}
}

// outcomes lists the results without their ids, errors with a "!".
func outcomes(events []session.Event) []string {
	var out []string
	for _, r := range results(events) {
		id, text, _ := strings.Cut(r, ": ")
		if strings.HasPrefix(id, "!") {
			text = "!" + text
		}
		out = append(out, text)
	}
	return out
}

// codesOf lists the diagnostics of events as "code: message".
func codesOf(events []session.Event) []string {
	var out []string
	for _, e := range events {
		if e.Kind == session.Diagnostic {
			out = append(out, e.Diagnostic.Code+": "+e.Diagnostic.Message)
		}
	}
	return out
}

// shownIn returns the names of the tools of a preview, with what they say.
func shownIn(t testing.TB, a *agent.Agent, id string) (tools []string, contexts string) {
	t.Helper()
	p, err := a.Preview(t.Context(), id, agent.Text("x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Request.Tools {
		tools = append(tools, s.Name+"="+s.Description)
	}
	for _, m := range p.Contexts {
		contexts += m.Text().String()
	}
	return tools, contexts
}

// A tool that says something else of itself in mid-session is held back until the
// next one, and not shown with its new text.
func TestSetToolChanged(t *testing.T) {
	for _, tt := range []struct {
		name    string
		policy  agent.ToolChanges
		trusted bool
		want    []string // shown in turn 2
		result  string
		codes   []string
	}{
		{"live", agent.LiveTools, false, []string{"a=good"}, "!not run: the tool a of the set S changed its description within the session and is held back until a new one", []string{"tool.changed"}},
		{"frozen", agent.FrozenTools, false, []string{"a=good"}, "!not run: the tool a of the set S changed its description within the session and is held back until a new one", []string{"tool.changed"}},
		{"frozen and trusted", agent.FrozenTools, true, []string{"a=good"}, "!not run: the tool a of the set S changed its description within the session and is held back until a new one", []string{"tool.changed"}},
		{"live and trusted", agent.LiveTools, true, []string{"a=evil"}, "a {}", []string{"cache.break"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			open := tool.NewSet("S", says("a", "good"))
			var set tool.Set = open
			if tt.trusted {
				set = tool.Trusted(open)
			}
			m, store := calling(t, 4, "a"), &memory.Store{}
			cfg := agent.Config{Model: m, Sets: []tool.Set{set}, ToolChanges: tt.policy, Store: store}
			a := newAgent(t, cfg)
			diff(t, "before", outcomes(turn(t, a, "s", "1")), []string{"a {}"})
			open.Add(says("a", "evil"))
			tools, _ := shownIn(t, a, "s")
			diff(t, "shown", tools, tt.want)
			events := turn(t, a, "s", "2")
			diff(t, "after", outcomes(events), []string{tt.result})
			var codes []string
			for _, c := range codesOf(events) {
				code, _, _ := strings.Cut(c, ":")
				codes = append(codes, code)
			}
			diff(t, "diagnostics", codes, tt.codes)
			if tt.trusted && tt.policy == agent.LiveTools {
				return
			}
			// It stays held back although it says the old thing again, also elsewhere.
			open.Add(says("a", "good"))
			diff(t, "another process", outcomes(turn(t, newAgent(t, cfg), "s", "3")), []string{tt.result})
			diff(t, "a new session", outcomes(turn(t, a, "new", "1")), []string{"a {}"})
		})
	}
}

// Tools and sets that are gone: calls say so, and the model is told.
func TestSetToolsGone(t *testing.T) {
	for _, tt := range []struct {
		policy agent.ToolChanges
		tools  []string
		cause  string
	}{
		{agent.LiveTools, []string{"b=does b", "c=does c"}, "cause=tools.removed(S/a)"},
		{agent.FrozenTools, []string{"a=does a", "b=does b", "c=does c"}, ""},
	} {
		set := tool.NewSet("S", &fake{name: "a"}, &fake{name: "b"})
		set.Instruct("How to use S.")
		other := tool.NewSet("T", &fake{name: "c"})
		m, store := calling(t, 3, "a"), &memory.Store{}
		a := newAgent(t, agent.Config{Model: m, Sets: []tool.Set{set, other}, ToolChanges: tt.policy, Store: store})
		turn(t, a, "s", "1")
		before := len(m.bodies)
		set.Remove("a", "none")
		tools, contexts := shownIn(t, a, "s")
		diff(t, "shown", tools, tt.tools)
		if !strings.Contains(contexts, "The tool a of the set S is gone. Do not call it.") {
			t.Errorf("the model is not told: %s", contexts)
		}
		events := turn(t, a, "s", "2")
		diff(t, "results", outcomes(events), []string{"!not run: the tool a was removed from the set S; it cannot be called any more"})
		if codes := strings.Join(codesOf(events), "\n"); !strings.Contains(codes, tt.cause) || tt.cause == "" && codes != "" {
			t.Errorf("diagnostics: %s", codes)
		}
		// The set goes as a whole, in another process.
		a = newAgent(t, agent.Config{Model: m, Sets: []tool.Set{other}, ToolChanges: tt.policy, Store: store})
		_, contexts = shownIn(t, a, "s")
		if !strings.Contains(contexts, "[context: tool-changes, in place of the earlier one]") || !strings.Contains(contexts, "The set of tools S is gone.") {
			t.Errorf("the model is not told of the set: %s", contexts)
		}
		turn(t, a, "s", "3")
		first, last := parseBody(t, []byte(m.bodies[0])), parseBody(t, []byte(m.last()))
		if !strings.HasPrefix(last.messages, strings.TrimSuffix(first.messages, "]")) || !strings.Contains(first.messages, "How to use S.") {
			t.Errorf("the prefix moved after %d requests:\n%s\n%s", before, first.messages, last.messages)
		}
		if tt.policy == agent.FrozenTools {
			diff(t, "tools", last.tools, first.tools)
		}
	}
}

// What changes between a request and the call that answers it: a call runs the
// tool that was shown, and the result says that it changed; what is gone is not run.
func TestSetChangesBeforeTheCall(t *testing.T) {
	set := tool.NewSet("S")
	old, next := says("a", "old"), says("a", "new")
	old.call = func(context.Context, json.RawMessage) (tool.Result, error) { return tool.Text("ran old"), nil }
	gone := &fake{name: "b"}
	trigger := &fake{name: "trigger", call: func(context.Context, json.RawMessage) (tool.Result, error) {
		set.Add(next)
		set.Remove("b")
		return tool.Text("done"), nil
	}}
	set.Add(old, gone)
	a := newAgent(t, agent.Config{Model: calling(t, 1, "trigger", "a", "b"), Tools: []tool.Tool{trigger}, Sets: []tool.Set{set}})
	diff(t, "results", outcomes(turn(t, a, "s", "go")), []string{"done",
		"ran old\n[the set S changed the tool a after it was shown to you; this call ran the tool that you were shown]",
		"!not run: the tool b was removed from the set S after it was shown to you"})
	diff(t, "runs", []int32{old.ran.Load(), next.ran.Load(), gone.ran.Load()}, []int32{1, 0, 0})
}

// A name belongs to the agent, then to the set that showed it first.
func TestSetNames(t *testing.T) {
	reg := registry.New()
	if _, err := reg.Global().Tools(prompt.ToolDef{Specs: []chat.ToolSpec{{Name: "global", Description: "of the registry"}}}); err != nil {
		t.Fatal(err)
	}
	one, two := tool.NewSet("one"), tool.NewSet("two", says("x", "of two"), says("own", "of two"), says("global", "of two"))
	a := newAgent(t, agent.Config{Model: calling(t, 2, "x", "own"), Registry: reg, Tools: []tool.Tool{says("own", "mine")}, Sets: []tool.Set{one, two}})
	want := []string{"global=of the registry", "own=mine", "x=of two"}
	tools, _ := shownIn(t, a, "s")
	diff(t, "shown", tools, want)
	events := turn(t, a, "s", "1")
	diff(t, "diagnostics", codesOf(events), []string{
		"tool.shadowed: the tool global of the set two is not shown: the agent has a tool of that name",
		"tool.shadowed: the tool own of the set two is not shown: the agent has a tool of that name"})
	one.Add(says("x", "of one")) // stands before two in the configuration
	tools, _ = shownIn(t, a, "s")
	diff(t, "shown later", tools, want)
	if codes := strings.Join(codesOf(turn(t, a, "s", "2")), "\n"); !strings.Contains(codes, "the tool x of the set one is not shown: in this session the name belongs to the set two") {
		t.Errorf("diagnostics: %s", codes)
	}
	tools, _ = shownIn(t, a, "new")
	diff(t, "a new session", tools, []string{"global=of the registry", "own=mine", "x=of one"})
	for _, sets := range [][]tool.Set{{one, tool.NewSet("one")}, {tool.NewSet("../x")}, {tool.NewSet("")}} {
		if _, err := agent.New(agent.Config{Model: calling(t, 1), Sets: sets}); err == nil {
			t.Errorf("sets %v: no error", sets)
		}
	}
}

// brokenSet fails or hangs when told to.
type brokenSet struct {
	tool.Set
	err  error
	hang bool
}

func (b *brokenSet) Tools(ctx context.Context) ([]tool.Tool, string, error) {
	if b.hang {
		<-ctx.Done()
		return nil, "", ctx.Err()
	}
	if b.err != nil {
		return nil, "", b.err
	}
	return b.Set.Tools(ctx)
}

// A set that cannot be read moves nothing; its calls say so.
func TestSetUnreadable(t *testing.T) {
	set := tool.NewSet("S", &fake{name: "a"})
	set.Instruct("Of S.")
	broken := &brokenSet{Set: set}
	m := calling(t, 4, "a")
	a := newAgent(t, agent.Config{Model: m, Sets: []tool.Set{broken}, Limits: agent.Limits{Source: 20 * time.Millisecond}})
	turn(t, a, "s", "1")
	first := parseBody(t, []byte(m.bodies[0]))
	for _, how := range []string{"error", "hang"} {
		broken.err, broken.hang = errors.New("no connection"), how == "hang"
		events := turn(t, a, "s", how)
		diff(t, "results", outcomes(events), []string{"!not run: the set S cannot be reached at present; try again later"})
		if codes := codesOf(events); len(codes) != 1 || !strings.HasPrefix(codes[0], "tools.failed: the set of tools S cannot be read: ") {
			t.Errorf("%s: diagnostics %q", how, codes)
		}
		last := parseBody(t, []byte(m.last()))
		diff(t, "tools", last.tools, first.tools)
		if strings.Contains(last.messages, "tool-changes") || !strings.HasPrefix(last.messages, strings.TrimSuffix(first.messages, "]")) {
			t.Errorf("%s: the messages moved: %s", how, last.messages)
		}
	}
	broken.err, broken.hang = nil, false
	diff(t, "again", outcomes(turn(t, a, "s", "4")), []string{"a {}"})
}

// What a hostile set says is bounded, made visible, and named where it is left out.
func TestSetHostile(t *testing.T) {
	hidden := "a\U000E0041\u200bb"
	bad := []tool.Tool{
		says("has space", ""), says("", ""), says(strings.Repeat("n", 65), ""), says("<unlisted-tools>", ""),
		says("long", strings.Repeat("x", 16<<10+1)), &said{fake: fake{name: "array"}, schema: `[]`}, &said{fake: fake{name: "twice"}, schema: `{"a":1,"a":2}`},
		&said{fake: fake{name: "meet"}, schema: "{\"a\u200b\":1,\"a\":2}"}, &said{fake: fake{name: "wide"}, schema: `{"a":"` + strings.Repeat("x", 64<<10) + `"}`},
	}
	set := tool.NewSet("S", append(bad, says("good", hidden), says("good2", "x"))...)
	set.Instruct(hidden + strings.Repeat("ä", 32<<10))
	a := newAgent(t, agent.Config{Model: calling(t, 1, "good"), Sets: []tool.Set{set}})
	p, err := a.Preview(t.Context(), "s", agent.Text("x"))
	if err != nil {
		t.Fatal(err)
	}
	tools, _ := shownIn(t, a, "s")
	diff(t, "tools", tools, []string{"good=ab", "good2=x"})
	refused := 0
	for _, d := range p.Diagnostics {
		if d.Code == "tool.refused" {
			refused++
		}
	}
	diff(t, "left out", refused, len(bad))
	sec := p.Assembly.Render(prompt.System)
	if !strings.Contains(sec, "\nabää") || len(sec) > 34<<10 || strings.Contains(sec, "\u200b") {
		t.Errorf("instructions of %d bytes: %.200q", len(sec), sec)
	}
	var many []tool.Tool
	for i := range 400 {
		many = append(many, says(fmt.Sprintf("t%d", i), ""))
	}
	tools, _ = shownIn(t, newAgent(t, agent.Config{Model: calling(t, 1), Sets: []tool.Set{tool.NewSet("S", many...)}}), "s")
	diff(t, "tools of a large set", len(tools), 256)
}

// The frozen block holds for the agent's own tools too, and where it cannot be
// known a diagnostic says so.
func TestFrozenBlock(t *testing.T) {
	store := &memory.Store{}
	m := calling(t, 4, "a", "b")
	frozen := func(text string, tools ...tool.Tool) *agent.Agent {
		return newAgent(t, agent.Config{Model: m, Tools: append(tools, says("a", text)), ToolChanges: agent.FrozenTools, Store: store})
	}
	turn(t, newAgent(t, agent.Config{Model: m, Tools: []tool.Tool{says("a", "1")}, Store: store}), "s", "live")
	events := turn(t, frozen("1"), "s", "1")
	diff(t, "not known", codesOf(events), []string{"tools.unknown: the tools of the session's first request are not known; they are frozen as they are now"})
	first := parseBody(t, []byte(m.last()))
	diff(t, "known", len(codesOf(turn(t, frozen("1"), "s", "2"))), 0)
	events = turn(t, frozen("2", says("b", "new")), "s", "3")
	diff(t, "changed", codesOf(events), []string{"tools.frozen: the tools stay as at the session's first request, although they changed: tools.added(b) tools.changed(a)"})
	diff(t, "results", outcomes(events), []string{"!not run: the tool a is not available as it was shown to you",
		`!the tool "b" is not available in this step`})
	diff(t, "tools", parseBody(t, []byte(m.last())).tools, first.tools)
}

// A set may change at any time: between steps, while it is called, from anywhere.
func TestSetConcurrent(t *testing.T) {
	set := tool.NewSet("S", &fake{name: "a"})
	m := calling(t, 20, "a", "a")
	a := newAgent(t, agent.Config{Model: m, Sets: []tool.Set{set}})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			set.Add(says("b", fmt.Sprint(i)), &fake{name: fmt.Sprintf("c%d", i%7)})
			set.Remove(fmt.Sprintf("c%d", (i+3)%7))
			set.Instruct(fmt.Sprint(i))
			remove, err := a.AddSet(tool.NewSet("T", &fake{name: "t"}))
			if err != nil {
				t.Error(err)
				return
			}
			remove()
			remove()
		}
	}()
	for i := range 10 {
		diff(t, "results", outcomes(turn(t, a, "s", fmt.Sprint(i))), []string{"a {}", "a {}"})
		turn(t, a, fmt.Sprintf("other-%d", i), "x")
	}
	close(stop)
	<-stopped
}

// Whoever gathers without the agent gets what a new session would be shown.
func TestSetsWithoutAgent(t *testing.T) {
	set := tool.NewSet("S", &fake{name: "a"})
	set.Instruct("Of S.")
	a := newAgent(t, agent.Config{Model: calling(t, 1), Sets: []tool.Set{set}})
	view := a.Registry().View()
	facts := source.Gather(t.Context(), prompt.Needs(view.Snapshot, nil), view, source.Query{}, 0, nil)
	as, err := prompt.Assemble(view.Snapshot, prompt.Input{Facts: facts})
	if err != nil {
		t.Fatal(err)
	}
	if len(as.Tools) != 1 || as.Tools[0].Name != "a" || !strings.Contains(as.Render(prompt.System), "Of S.") {
		t.Errorf("got %v, %q", as.Tools, as.Render(prompt.System))
	}
}
