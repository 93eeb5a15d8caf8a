package standard_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/prompttest"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

func diff(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

func words(s string) int { return len(strings.Fields(s)) }

// assemble reads the sources of a registry and runs the preset's stages.
func assemble(t testing.TB, r *registry.Registry, scope string, cfg standard.Config) (prompt.Assembly, error) {
	t.Helper()
	p := standard.New(cfg)
	view, lineage := r.View(), r.Lineage(scope)
	facts := source.Gather(t.Context(), prompt.Needs(view.Snapshot, lineage), view, source.Query{Lineage: lineage}, 0, nil)
	return prompt.Assemble(view.Snapshot, p.Input(lineage, facts), p.Stages(lineage)...)
}

func must(t testing.TB) func(any, error) {
	return func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// instructions is what the files of a small project would be.
var instructions = source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
	return prompt.Fact{Docs: []prompt.Doc{
		{Name: "user:AGENTS.md", Text: "Answer in English.\n", Path: "/home/u/.config/proem/AGENTS.md", Trust: span.User, Class: prompt.Session},
		{Name: "project:AGENTS.md", Text: "Use tabs. {{cwd}} stays.\n</block>\n", Path: "/src/app/AGENTS.md", Trust: span.Project, Class: prompt.Session},
		{Name: "project:api/AGENTS.md", Text: "  \n\t\n", Path: "/src/app/api/AGENTS.md", Trust: span.Project, Class: prompt.Session},
	}}, nil
})

func small(t testing.TB) *registry.Registry {
	t.Helper()
	r, ok := registry.New(), must(t)
	ok(nil, standard.Define(r.Scope("agent"), standard.Texts{
		Base:         standard.Literal{Text: "You work in {{cwd}}.{{note?}}", Template: true},
		Instructions: standard.Literal{Text: "Mend the {{literally}} failing test."},
		Tools:        true, Files: instructions, Date: source.Text("It is 2026-01-02."), Environment: source.Text("linux"),
	}))
	g := r.Global()
	ok(g.Variable("cwd", "/src/app"))
	ok(g.Section(prompt.SectionDef{Name: "skills", Order: standard.OrderSkills, Trust: span.Workspace, Body: prompt.Body{Literal: "- review: looks for faults"}}))
	ok(g.Section(prompt.SectionDef{Name: "blank", Order: standard.OrderRole, Body: prompt.Body{Literal: " \n"}}))
	ok(g.Dynamic(prompt.SectionDef{Name: "branch", Order: standard.OrderWorkspace, Class: prompt.Turn}, source.Text("On branch main.")))
	ok(g.Section(prompt.SectionDef{Name: "last", Channel: prompt.Reminder, Body: prompt.Body{Literal: "Be brief."}}))
	ok(g.Tools(prompt.ToolDef{Specs: []chat.ToolSpec{
		{Name: "write", Description: "Writes a file.", Parameters: []byte(`{"type":"object"}`)}, {Name: "read", Description: "Reads a file."}}}))
	return r
}

func TestSmallWorkspace(t *testing.T) {
	a, err := assemble(t, small(t), "agent", standard.Config{})
	if err != nil {
		t.Fatal(err)
	}
	prompttest.Golden(t, a)
	for ch := range prompt.Channels {
		if strings.Contains(a.Render(ch), "/home/u") || strings.Contains(a.Render(ch), "/src/app/") {
			t.Errorf("an absolute path of a file is in %s:\n%s", ch, a.Render(ch))
		}
	}
	var got []string
	for _, n := range a.Notes {
		got = append(got, n.Stage+": "+n.Name)
	}
	diff(t, "notes", got, []string{"move-turn: branch", "drop-blank: blank", "drop-blank: project:api/AGENTS.md"})
}

func TestStagesInOrder(t *testing.T) {
	names := func(cfg standard.Config) string {
		var out []string
		for _, s := range standard.New(cfg).Stages(nil) {
			out = append(out, s.Name)
		}
		return strings.Join(out, " ")
	}
	diff(t, "default", names(standard.Config{}), "tool-order protect move-turn interpolate drop-blank fence")
	diff(t, "all", names(standard.Config{Visibility: []stage.VisibilityRule{{Tool: "x"}}, Budget: 5, Count: words}),
		"tool-order visibility protect move-turn interpolate drop-blank fence budget")
	diff(t, "a budget without a counter", names(standard.Config{Budget: 5}), "tool-order protect move-turn interpolate drop-blank fence")
}

func TestOptions(t *testing.T) {
	hook := stage.Hook{Name: "h", Apply: func(_ prompt.Input, a prompt.Assembly, next stage.Next) (prompt.Assembly, error) {
		a.Sections = append(a.Sections, prompt.Section{Name: "hooked", Channel: prompt.Reminder, Text: span.Of("from a hook", nil)})
		return next(a)
	}}
	a, err := assemble(t, small(t), "agent", standard.Config{
		ToolOrder: []string{"write", stage.Unlisted}, Hooks: []stage.Hook{hook}, Visibility: []stage.VisibilityRule{{Tool: "read"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Tools) != 1 || a.Tools[0].Name != "write" {
		t.Errorf("got tools %v", a.Tools)
	}
	diff(t, "reminder", a.Render(prompt.Reminder), "Be brief.\n\nfrom a hook")

	r := small(t)
	must(t)(r.Global().Section(prompt.SectionDef{Name: "t", Body: prompt.Body{Literal: "{{nobody}}", Template: true}}))
	if _, err = assemble(t, r, "agent", standard.Config{}); err == nil || !strings.Contains(err.Error(), "var.missing") {
		t.Errorf("got %v", err)
	}
	a, err = assemble(t, r, "agent", standard.Config{KeepMissing: true})
	if err != nil || !strings.Contains(a.Render(prompt.System), "{{nobody}}") || len(a.Diagnostics) != 1 {
		t.Errorf("got %v, %v", err, a.Diagnostics)
	}
}

// C27: what is required stays, and of the rest the lowest priority goes first.
func TestBudget(t *testing.T) {
	r, ok := registry.New(), must(t)
	s := func(name string, order float64, priority, n int, required bool) {
		ok(r.Global().Section(prompt.SectionDef{Name: name, Order: order, Priority: priority, Required: required,
			Body: prompt.Body{Literal: strings.TrimSpace(strings.Repeat(name+" ", n))}}))
	}
	s("base", 1, 0, 100, true)
	s("k1", 2, 10, 400, false)
	s("doc", 3, 0, 10, true)
	s("k2", 4, 20, 400, false)
	a, err := assemble(t, r, "", standard.Config{Budget: 700, Count: words})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, sec := range a.Sections {
		got = append(got, sec.Name)
	}
	diff(t, "sections", got, []string{"base", "doc", "k2"})
	if i := slices.IndexFunc(a.Notes, func(n prompt.Note) bool { return n.Name == "k1" && n.Tokens >= 400 }); i < 0 {
		t.Errorf("no receipt of k1: %+v", a.Notes)
	}
	_, err = assemble(t, r, "", standard.Config{Budget: 50, Count: words})
	var faults prompt.Faults
	if !errors.As(err, &faults) || faults[0].Code != "budget.required_overflow" {
		t.Errorf("got %v", err)
	}
}

// C49: whoever registers first, and whoever answers first.
func TestToolOrderNeverDependsOnRegistration(t *testing.T) {
	names := []string{"zeta", "alpha", "mu", "Beta"}
	var first string
	n := 0
	permute(names, func(order []string) {
		for _, dynamic := range []bool{false, true} {
			r, ok := registry.New(), must(t)
			for i, name := range order {
				spec := []chat.ToolSpec{{Name: name, Description: "does " + name}}
				if dynamic && i%2 == 0 {
					ok(r.Global().DynamicTools(source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
						return prompt.Fact{Tools: spec}, nil
					})))
					continue
				}
				ok(r.Global().Tools(prompt.ToolDef{Specs: spec}))
			}
			a, err := assemble(t, r, "", standard.Config{})
			if err != nil {
				t.Fatal(err)
			}
			got := prompttest.Format(a)
			if first == "" {
				first = got
				diff(t, "tools", got, "tool \"Beta\"\n|does Beta\ntool \"alpha\"\n|does alpha\ntool \"mu\"\n|does mu\ntool \"zeta\"\n|does zeta\n")
			}
			if got != first {
				t.Errorf("%v: got\n%s", order, got)
			}
			n++
		}
	})
	diff(t, "orders tried", n, 48)
}

func permute(s []string, f func([]string)) {
	if len(s) == 0 {
		f(nil)
		return
	}
	for i := range s {
		rest := slices.Delete(slices.Clone(s), i, i+1)
		permute(rest, func(p []string) { f(append([]string{s[i]}, p...)) })
	}
}

func TestDefine(t *testing.T) {
	r := registry.New()
	must(t)(nil, standard.Define(r.Global(), standard.Texts{}))
	diff(t, "nothing to define", len(r.Snapshot().Scopes()), 0)
	texts := standard.Texts{Base: standard.Literal{Text: "x"}}
	must(t)(nil, standard.Define(r.Global(), texts))
	if err := standard.Define(r.Global(), texts); err == nil || !strings.Contains(err.Error(), "section.duplicate") {
		t.Errorf("got %v", err)
	}
}

func Example() {
	reg := registry.New()
	if err := standard.Define(reg.Scope("agent"), standard.Texts{
		Base: standard.Literal{Text: "You are a careful Go programmer."},
		Date: source.Text("It is Friday."),
	}); err != nil {
		fmt.Println(err)
	}
	p := standard.New(standard.Config{})
	view, lineage := reg.View(), reg.Lineage("agent")
	facts := source.Gather(context.Background(), prompt.Needs(view.Snapshot, lineage), view, source.Query{}, 0, nil)
	a, err := prompt.Assemble(view.Snapshot, p.Input(lineage, facts), p.Stages(lineage)...)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(a.Render(prompt.System))
	for _, m := range p.Contexts(nil, a) {
		fmt.Println(m.Text().String())
	}
	fmt.Println("told again:", len(p.Contexts(p.Contexts(nil, a), a)))
	// Output:
	// You are a careful Go programmer.
	// [context: date]
	// It is Friday.
	// told again: 0
}

// Each frame is what the stages up to it give, also after the later ones ran;
// and every stage keeps its promises on what it is given here.
func TestFrames(t *testing.T) {
	p := standard.New(standard.Config{ToolOrder: []string{"write", stage.Unlisted}, Visibility: []stage.VisibilityRule{{Tool: "none"}}, Budget: 10_000, Count: words})
	view, lineage := small(t).View(), []string{"agent"}
	facts := source.Gather(t.Context(), prompt.Needs(view.Snapshot, lineage), view, source.Query{}, 0, nil)
	in, stages := p.Input(lineage, facts), p.Stages(lineage)
	frames, err := prompt.Trace(view.Snapshot, in, stages...)
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "frames", len(frames), len(stages)+1)
	for i, f := range frames {
		want, err := prompt.Assemble(view.Snapshot, in, stages[:i]...)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(f.Assembly, want, cmpopts.IgnoreUnexported(prompt.Section{}), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("frame %s (-frame +assembled):\n%s", f.Stage, d)
		}
		if i < len(stages) {
			prompttest.Check(t, stages[i], prompttest.Case{Name: f.Stage, Input: in, Assembly: f.Assembly})
		}
	}
}
