package deepseek_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/prompttest"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

func check(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

func newPreset(t testing.TB, cfg deepseek.Config) *deepseek.Preset {
	t.Helper()
	p, err := deepseek.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func done(t testing.TB) func(any, error) {
	return func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// prompts returns the prompt and the snapshot of a scope.
func prompts(t testing.TB, p *deepseek.Preset, scope string) (system, snapshot string) {
	t.Helper()
	a, err := p.Assemble(scope, nil)
	if err != nil {
		t.Fatal(err)
	}
	if system, err = deepseek.RenderPrompt(a); err != nil {
		t.Fatal(err)
	}
	if snapshot, err = deepseek.RenderContextSnapshot(a); err != nil {
		t.Fatal(err)
	}
	return system, snapshot
}

// S22: each option on and off, from Go and from the original's JSON.
func TestOptions(t *testing.T) {
	tests := []struct {
		name             string
		json             string
		cfg              deepseek.Config
		system, contexts string
		tools            string
	}{
		{"defaults", `{}`, deepseek.Config{}, deepseek.DefaultIdentity, deepseek.DefaultContextHeading + "\n\nread only", "ask read write"},
		{"said as they are", `{"includeHarnessIdentity":true,"includeRuntimeContext":true,"personaPrefix":"","personaSuffix":"","other":1}`, deepseek.Config{},
			deepseek.DefaultIdentity, deepseek.DefaultContextHeading + "\n\nread only", "ask read write"},
		{"no identity", `{"includeHarnessIdentity":false}`, deepseek.Config{NoIdentity: true}, "", deepseek.DefaultContextHeading + "\n\nread only", "ask read write"},
		{"no contexts", `{"includeRuntimeContext": false}`, deepseek.Config{NoRuntimeContext: true}, deepseek.DefaultIdentity, "", "ask read write"},
		{"prefix", `{"personaPrefix":"In {{cwd}}."}`, deepseek.Config{PersonaPrefix: "In {{cwd}}."}, deepseek.DefaultIdentity + "\n\nIn /src.", deepseek.DefaultContextHeading + "\n\nread only", "ask read write"},
		{"suffix", `{"personaSuffix":"End of {{cwd}}."}`, deepseek.Config{PersonaSuffix: "End of {{cwd}}."}, deepseek.DefaultIdentity + "\n\nEnd of /src.", deepseek.DefaultContextHeading + "\n\nread only", "ask read write"},
		{"all", `{"personaPrefix":"P","personaSuffix":"S","includeHarnessIdentity":false,"includeRuntimeContext":false,"toolOrder":["write","<unlisted-tools>","ask"]}`,
			deepseek.Config{PersonaPrefix: "P", PersonaSuffix: "S", NoIdentity: true, NoRuntimeContext: true, ToolOrder: []string{"write", stage.Unlisted, "ask"}}, "P\n\nS", "", "write read ask"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			loaded, err := deepseek.LoadConfig([]byte(tt.json))
			if err != nil {
				t.Fatal(err)
			}
			check(t, "loaded", loaded, tt.cfg)
			p, ok := newPreset(t, loaded), done(t)
			ok(p.Registry.Global().Variable("cwd", "/src"))
			ok(p.Registry.Global().Section(prompt.SectionDef{Name: "sandbox", Channel: prompt.Context, Order: deepseek.SandboxPolicy.Order(), Body: prompt.Body{Literal: "read only"}}))
			ok(p.Registry.Global().Tools(prompt.ToolDef{Specs: []chat.ToolSpec{{Name: "write"}, {Name: "ask"}, {Name: "read"}}}))
			system, contexts := prompts(t, p, "")
			check(t, "prompt", system, tt.system)
			check(t, "snapshot", contexts, tt.contexts)
			a, err := p.Assemble("", nil)
			if err != nil {
				t.Fatal(err)
			}
			var tools []string
			for _, s := range a.Tools {
				tools = append(tools, s.Name)
			}
			check(t, "tools", strings.Join(tools, " "), tt.tools)
		})
	}
	p := newPreset(t, deepseek.Config{Identity: "You are {{who}}.", ContextHeading: "Now."})
	done(t)(p.Registry.Global().Variable("who", "a test"))
	system, _ := prompts(t, p, "")
	check(t, "own identity", system, "You are a test.")
}

func TestConfigErrors(t *testing.T) {
	tests := []struct{ json, kind, key string }{
		{`[]`, "config-invalid", "config"},
		{`null`, "config-invalid", "config"},
		{``, "config-invalid", "config"},
		{`{"includeHarnessIdentity":"yes"}`, "config-invalid", "includeHarnessIdentity"},
		{`{"includeRuntimeContext":null}`, "config-invalid", "includeRuntimeContext"},
		{`{"personaPrefix":1}`, "config-invalid", "personaPrefix"},
		{`{"personaSuffix":["x"]}`, "config-invalid", "personaSuffix"},
		{`{"toolOrder":"read"}`, "config-invalid", "toolOrder"},
		{`{"toolOrder":["read",null]}`, "config-invalid", "toolOrder"},
		{`{"toolOrder":[]}`, "tool-order-missing-rest", "toolOrder"},
		{`{"toolOrder":["read"]}`, "tool-order-missing-rest", "toolOrder"},
		{`{"toolOrder":["read","read"]}`, "tool-order-duplicate", "toolOrder"}, // checked first
		{`{"toolOrder":["<unlisted-tools>","<unlisted-tools>"]}`, "tool-order-duplicate", "toolOrder"},
	}
	for _, tt := range tests {
		_, err := deepseek.LoadConfig([]byte(tt.json))
		var ce *deepseek.ConfigError
		if !errors.As(err, &ce) || ce.Kind != tt.kind || ce.Key != tt.key {
			t.Errorf("%s: got %v", tt.json, err)
		}
	}
	if _, err := deepseek.New(deepseek.Config{ToolOrder: []string{"read"}}); err == nil {
		t.Error("a tool order without the marker was accepted")
	}
}

// S23: the tables and the renderers can be called from outside, by typed names.
func TestExports(t *testing.T) {
	var plan deepseek.SectionName = "PLAN_POLICY"
	for _, tt := range []struct {
		name deepseek.SectionName
		want float64
		ok   bool
	}{
		{plan, 500, true}, {deepseek.HarnessIdentity, -1000, true}, {deepseek.DeploymentPersonaSuffix, 10200, true}, {"TOOL_BASH", 1000, true},
		{"BASH", 1000, true}, {"READ", 1100, true}, {"TOOL_READ", 1100, true}, {"MCP_SERVERS", 3100, true}, {"plan_policy", 0, false}, {"", 0, false}, {"toString", 0, false},
	} {
		if got, ok := deepseek.SectionOrder(tt.name); got != tt.want || ok != tt.ok || tt.name.Order() != tt.want {
			t.Errorf("%s: got %v, %v", tt.name, got, ok)
		}
	}
	if got, ok := deepseek.ContextOrder(deepseek.ApprovalPolicy); got != 115 || !ok || deepseek.ApprovalPolicy.Order() != 115 {
		t.Errorf("APPROVAL_POLICY: got %v, %v", got, ok)
	}
	if _, ok := deepseek.ContextOrder("PLAN_POLICY"); ok {
		t.Error("a section is a context")
	}
	last := -2000.0
	for _, n := range deepseek.SectionNames() {
		if n.Order() <= last {
			t.Errorf("%s stands at %v behind %v", n, n.Order(), last)
		}
		last = n.Order()
	}
	check(t, "rows", []int{len(deepseek.SectionNames()), len(deepseek.ContextNames())}, []int{33, 3})

	check(t, "a join of nothing", deepseek.JoinContextSections("", nil), "")
	check(t, "a join of empty texts", deepseek.JoinContextSections("H", []deepseek.ContextSection{{Name: "a"}}), "")
	check(t, "a join", deepseek.JoinContextSections("H", []deepseek.ContextSection{{"a", "1"}, {"b", ""}, {"c", "3"}}), "H\n\n1\n\n3")

	p, ok := newPreset(t, deepseek.Config{NoIdentity: true}), done(t)
	for _, n := range []string{"a", "b", "c"} {
		ok(p.Registry.Global().Section(prompt.SectionDef{Name: n, Channel: prompt.Context, Body: prompt.Body{Literal: map[string]string{"a": "{{v}}", "c": "C"}[n]}}))
	}
	ok(p.Registry.Global().Variable("v", "{{v}}"))
	a, err := p.Assemble("", nil)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := deepseek.RenderContextSections(a)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "contexts", parts, []deepseek.ContextSection{{"a", "{{v}}"}, {"c", "C"}})
	a.Vars = nil
	if _, err := deepseek.RenderContextSnapshot(a); err == nil || !strings.Contains(err.Error(), "var.missing") {
		t.Errorf("got %v", err)
	}
	if _, err := deepseek.RenderPrompt(a); err != nil {
		t.Errorf("a fault of another channel: %v", err)
	}
}

// S24.
func TestChangeNotifications(t *testing.T) {
	p := newPreset(t, deepseek.Config{})
	n := 0
	p.Registry.OnChange(func() error { n++; return nil })
	g, err := p.Registry.Global().Section(prompt.SectionDef{Name: "a"})
	if err != nil || n != 1 {
		t.Errorf("%v; %d notifications, want 1 at once", err, n)
	}
	if _, err := p.Registry.Global().Section(prompt.SectionDef{Name: deepseek.IdentitySection}); err == nil || n != 1 {
		t.Errorf("the name of a built-in section was free, or %d notifications", n)
	}
	s := p.Registry.Scope("x")
	done(t)(s.Section(prompt.SectionDef{Name: deepseek.PersonaPrefixSection, Body: prompt.Body{Literal: "mine"}}))
	done(t)(s.Mute(prompt.Context))
	system, _ := prompts(t, p, "x")
	check(t, "a scope's persona", system, deepseek.DefaultIdentity+"\n\nmine")
	s.Dispose()
	g.Dispose()
	g.Dispose()
	check(t, "notifications", n, 6)
}

// hook returns a hook that appends its name to the prompt before it delegates.
func hook(name string) stage.Hook {
	return stage.Hook{Name: name, Apply: func(_ prompt.Input, a prompt.Assembly, next stage.Next) (prompt.Assembly, error) {
		a.Sections = append(a.Sections, prompt.Section{Name: name, Text: span.Of(name, nil)})
		return next(a)
	}}
}

func TestHooks(t *testing.T) {
	p := newPreset(t, deepseek.Config{NoIdentity: true})
	if _, err := p.Registry.Bind("child", "team"); err != nil {
		t.Fatal(err)
	}
	p.Hook(hook("one"), deepseek.HookOptions{})
	team := p.Hook(hook("team"), deepseek.HookOptions{Scope: "team"})
	p.Hook(hook("other"), deepseek.HookOptions{Scope: "other"})
	p.Hook(hook("global"), deepseek.HookOptions{Scope: "other", Global: true})
	p.Hook(hook("first"), deepseek.HookOptions{Prepend: true})
	p.Hook(hook("very first"), deepseek.HookOptions{Prepend: true})
	composers := map[string]*deepseek.Composer{}
	expect := func(what string, want map[string]string) {
		t.Helper()
		for scope, w := range want {
			system, _ := prompts(t, p, scope)
			check(t, what+", scope "+scope, strings.ReplaceAll(system, "\n\n", ", "), w)
			if composers[scope] == nil {
				composers[scope] = p.Composer(scope)
			}
			c, err := composers[scope].Compose(nil)
			if err != nil {
				t.Fatal(err)
			}
			check(t, what+", composer of "+scope, strings.ReplaceAll(c.Text(prompt.System), "\n\n", ", "), w)
		}
	}
	expect("all", map[string]string{"": "very first, first, one, global", "team": "very first, first, one, team, global", "child": "very first, first, one, team, global",
		"other": "very first, first, one, other, global"})
	team()
	team()
	expect("one removed", map[string]string{"team": "very first, first, one, global", "child": "very first, first, one, global"})
	p.Hook(hook("late {{ "), deepseek.HookOptions{Scope: "child"})
	expect("one more", map[string]string{"child": "very first, first, one, global, late {{ ", "team": "very first, first, one, global"})
}

// An agent with the preset: templates are filled, hooks run from the next step
// on, contexts come as whole snapshots.
func TestInAnAgent(t *testing.T) {
	p := newPreset(t, deepseek.Config{PersonaPrefix: "In {{cwd}}."})
	ok := done(t)
	policy := "read only"
	ok(p.Registry.Global().Variable("cwd", "/src"))
	ok(p.Registry.Global().Dynamic(prompt.SectionDef{Name: "sandbox", Channel: prompt.Context, Order: deepseek.SandboxPolicy.Order()},
		source.Func(func(_ context.Context, _ source.Query) (prompt.Fact, error) { return prompt.Fact{Text: policy}, nil })))
	script, err := scripted.Parse([]byte("turns: [{text: ok}]"), "s")
	if err != nil {
		t.Fatal(err)
	}
	pr := p.Preset()
	a, err := agent.New(agent.Config{Model: scripted.New(*script), ModelName: "m", Preset: &pr, Registry: p.Registry, Scope: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	told := func() (string, int) {
		t.Helper()
		pv, err := a.Preview(t.Context(), "s", agent.Text("hi"))
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range a.Run(t.Context(), "s", agent.Text("hi")) {
			if err != nil {
				t.Fatal(err)
			}
		}
		var parts []string
		for _, part := range pv.Request.System {
			parts = append(parts, part.Text.String())
		}
		return strings.Join(parts, "|"), len(pv.Contexts)
	}
	system, contexts := told()
	check(t, "system", system, deepseek.DefaultIdentity+"|In /src.")
	check(t, "contexts of the first turn", contexts, 1)
	_, contexts = told()
	check(t, "contexts of the second turn", contexts, 0)
	policy = "anything"
	p.Hook(hook("hooked"), deepseek.HookOptions{})
	system, contexts = told()
	check(t, "system after a hook", system, deepseek.DefaultIdentity+"|In /src.|hooked")
	check(t, "contexts after a change", contexts, 1)
}

func ExampleNew() {
	p, err := deepseek.New(deepseek.Config{PersonaPrefix: "You run on {{model}}."})
	if err != nil {
		fmt.Println(err)
	}
	global, agent := p.Registry.Global(), p.Registry.Scope("agent-1")
	for _, register := range []func() (*registry.Registration, error){
		func() (*registry.Registration, error) { return global.Variable("model", "deepseek-chat") },
		func() (*registry.Registration, error) {
			return agent.Section(prompt.SectionDef{Name: "tool:read", Order: deepseek.Read.Order(), Body: prompt.Body{Literal: "Read before you write."}})
		},
		func() (*registry.Registration, error) {
			return agent.Section(prompt.SectionDef{Name: "sandbox:policy", Channel: prompt.Context, Order: deepseek.SandboxPolicy.Order(),
				Body: prompt.Body{Literal: "Files are read-only."}})
		},
	} {
		if _, err := register(); err != nil {
			fmt.Println(err)
		}
	}
	a, err := p.Assemble("agent-1", nil)
	if err != nil {
		fmt.Println(err)
	}
	system, _ := deepseek.RenderPrompt(a)
	contexts, _ := deepseek.RenderContextSnapshot(a)
	fmt.Println(system)
	fmt.Println("---")
	fmt.Println(contexts)
	// Output:
	// You are an agent run by proem.
	//
	// You run on deepseek-chat.
	//
	// Read before you write.
	// ---
	// Runtime context as of this step. It replaces every earlier runtime context.
	//
	// Files are read-only.
}

// Every stage keeps its promises, on what the stage before it gave.
func TestStagePromises(t *testing.T) {
	p, ok := newPreset(t, deepseek.Config{PersonaPrefix: "In {{cwd}}.", ToolOrder: []string{"b", stage.Unlisted}}), done(t)
	g := p.Registry.Global()
	ok(g.Variable("cwd", "/src"))
	ok(g.Section(prompt.SectionDef{Name: "plain", Body: prompt.Body{Literal: "{{cwd}} in a text that is no declared template"}}))
	ok(g.Section(prompt.SectionDef{Name: "file", Path: "/src/x", Trust: span.Project, Body: prompt.Body{Literal: "{{never}}"}}))
	ok(g.Section(prompt.SectionDef{Name: "c", Channel: prompt.Context, Body: prompt.Body{Literal: "now"}}))
	ok(g.Tools(prompt.ToolDef{Specs: []chat.ToolSpec{{Name: "a"}, {Name: "b"}}}))
	p.Hook(hook("h {{cwd}}"), deepseek.HookOptions{})
	in, snapshot := p.Input("", nil), p.Registry.Snapshot()
	pr := p.Preset()
	stages := pr.Stages(nil)
	frames, err := prompt.Trace(snapshot, in, stages...)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range stages {
		prompttest.Check(t, s, prompttest.Case{Name: frames[i].Stage, Input: in, Assembly: frames[i].Assembly})
	}
	system := frames[len(frames)-1].Assembly.Render(prompt.System)
	for _, want := range []string{"In /src.", "/src in a text", "{{never}}", "h /src"} {
		if !strings.Contains(system, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, system)
		}
	}
}
