package explain_test

import (
	"context"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/inspect/explain"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source/clock"
	"github.com/proemhq/proem/source/files"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/stage"
	"github.com/proemhq/proem/token"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

const secret = "sk-test-0000000000000000000000000000000000000000"

// A world is a project on disk and an agent over it.
type world struct {
	t   *testing.T
	dir string
}

func newWorld(t *testing.T, tree map[string]string) world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	filetest.Must(t, err)
	filetest.Write(t, dir, tree)
	return world{t, dir}
}

// report explains the next request of the agent in a dialect.
func (w world) report(d wire.Dialect) *explain.Report {
	w.t.Helper()
	reg := registry.New()
	global := reg.Global()
	filetest.Must(w.t, standard.Define(global, standard.Texts{
		Files: files.New(files.Config{Cwd: filepath.Join(w.dir, "svc"), Root: w.dir}), Date: clock.New(clock.Config{}), Tools: true,
	}))
	_, err := global.Tools(prompt.ToolDef{Specs: []chat.ToolSpec{
		{Name: "look", Description: "Looks \"around\".\nAlways.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
		{Name: "hidden"},
	}})
	filetest.Must(w.t, err)
	p := standard.New(standard.Config{Root: w.dir, Visibility: []stage.VisibilityRule{{Name: "tools.deny", Tool: "hidden"}}})
	a, err := agent.New(agent.Config{Model: encoder{d}, ModelName: "m", System: "Base.", Registry: reg, Preset: &p})
	filetest.Must(w.t, err)
	preview, err := a.Preview(w.t.Context(), "s1", agent.Text("héllo\n\"you\""))
	filetest.Must(w.t, err)
	frames, err := preview.Trace()
	filetest.Must(w.t, err)
	in, cached := 2.0, 0.5
	r := explain.New(explain.Subject{Step: preview.Step, Frames: frames, Dialect: d.Name, Counter: token.Estimate, StepsMax: 10,
		Rates: explain.Rates{Input: &in, Cached: &cached}})
	r.Check(func(path string) ([]byte, bool) {
		data, err := os.ReadFile(path)
		return data, err == nil
	})
	return &r
}

func (w world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

var tree = map[string]string{
	"AGENTS.md":              "\ufeff# Rules\r\nUse tabs.\r\n@x.md\nEnd.\n",
	"x.md":                   "Imported \u202etext.\n",
	"svc/AGENTS.override.md": "Be \"exact\".\ncaf\xe9 " + secret + "\n",
	"svc/AGENTS.md":          "old\n",
	"other/AGENTS.md":        "aside\n",
	"CLAUDE.md":              "c\n",
	"blank/AGENTS.md":        " \n",
	".git/HEAD":              "",
}

// Ranges cover every byte of channels, tools, messages and bodies, and what they
// say of files holds.
func TestRangesTile(t *testing.T) {
	w := newWorld(t, tree)
	for _, d := range []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect} {
		r := w.report(d)
		names := map[string]bool{}
		for _, text := range append(append([]explain.Text{}, r.Texts...), r.Body) {
			names[text.Name] = true
			at, exact := 0, 0
			for _, g := range text.Ranges {
				if g.Start != at || g.End <= g.Start {
					t.Fatalf("%s: %s: %+v does not follow byte %d", d.Name, text.Name, g, at)
				}
				at = g.End
				if g.Origin == "" || g.Origin != g.Path && !strings.HasPrefix(g.Origin, "generated:") {
					t.Errorf("%s: %s: the origin of %+v", d.Name, text.Name, g)
				}
				if !g.Exact {
					continue
				}
				exact++
				data, err := os.ReadFile(g.Path)
				filetest.Must(t, err)
				source := string(data[g.SrcStart:g.SrcEnd])
				if text.Name == r.Body.Name {
					source = string(wire.AppendEscaped(nil, source))
				}
				if got := text.Text[g.Start:g.End]; got != source {
					t.Errorf("%s: %s: %q is %q in %s", d.Name, text.Name, got, source, g.Path)
				}
			}
			if at != len(text.Text) {
				t.Errorf("%s: the ranges of %s end at %d of %d", d.Name, text.Name, at, len(text.Text))
			}
			if (text.Name == "system" || text.Name == r.Body.Name) && exact < 6 {
				t.Errorf("%s: only %d ranges of %s are exact", d.Name, exact, text.Name)
			}
		}
		for _, want := range []string{"system", "context", "tools", "message 1 (user)", "message 2 (user, context)", "body " + d.Name} {
			if !names[want] {
				t.Errorf("%s: no text %q in %v", d.Name, want, names)
			}
		}
	}
}

func TestSections(t *testing.T) {
	w := newWorld(t, tree)
	r := w.report(openaichat.Dialect)
	byName := map[string]explain.Section{}
	for _, s := range r.Sections {
		byName[s.Name] = s
		text := r.Texts[0].Text
		if s.Channel == "system" && (s.Start > s.Content[0] || s.Content[1] > s.End || !strings.HasPrefix(text[s.Start:], "<block ") != (s.Start == s.Content[0])) {
			t.Errorf("%s stands at %d–%d, its content at %v", s.Name, s.Start, s.End, s.Content)
		}
	}
	near := byName["project:svc/AGENTS.override.md"]
	if near.Rule != "the first of AGENTS.override.md, AGENTS.md in svc that is not blank" {
		t.Errorf("rule %q", near.Rule)
	}
	want := []explain.Omission{{Name: "project:svc/AGENTS.md", Path: w.path("svc/AGENTS.md"), Stage: files.Stage, Reason: "shadowed by AGENTS.override.md"}}
	if d := cmp.Diff(near.Won, want); d != "" {
		t.Errorf("won (-got +want):\n%s", d)
	}
	var changes []string
	for _, c := range near.Changes {
		changes = append(changes, c.Stage+" "+c.Kind)
	}
	if d := cmp.Diff(changes, []string{load.Stage + " rewritten", "fence changed"}); d != "" {
		t.Errorf("changes (-got +want):\n%s", d)
	}
	root := byName["project:AGENTS.md"]
	var unused []string
	for _, u := range root.Unused {
		unused = append(unused, filepath.Base(u.Path)+" "+u.Text)
	}
	if d := cmp.Diff(unused, []string{`AGENTS.md \u{feff}`, `AGENTS.md \u{d}`, `AGENTS.md \u{d}`, `x.md \u{202e}`, `AGENTS.md @x.md\u{a}`}); d != "" {
		t.Errorf("unused (-got +want):\n%s", d)
	}
	if base := byName["base"]; base.Rule != "registered as a literal in the global layer" {
		t.Errorf("rule of base %q", base.Rule)
	}
	hidden := false
	for _, o := range r.Omitted {
		hidden = hidden || o.Name == "hidden" && o.Stage == "visibility" && strings.Contains(o.Reason, `"tools.deny"`)
	}
	if !hidden {
		t.Errorf("the hidden tool is not among %v", r.Omitted)
	}
}

func TestCosts(t *testing.T) {
	r := newWorld(t, tree).report(openaichat.Dialect)
	for name, sums := range map[string][]explain.Sum{"channels": r.Costs.Channels, "classes": r.Costs.Classes, "trust": r.Costs.Trust} {
		total := 0
		for _, s := range sums {
			total += s.Cost.Tokens
			if s.Cost.TurnMax != 10*s.Cost.Tokens || *s.Cost.PriceMax != 10**s.Cost.Price {
				t.Errorf("%s: %s costs %+v", name, s.Name, s.Cost)
			}
		}
		if total != r.Costs.Total.Tokens || total == 0 {
			t.Errorf("%s add up to %d of %d", name, total, r.Costs.Total.Tokens)
		}
	}
	if got, want := *r.Costs.CachedMax, float64(r.Costs.Total.Tokens)*(2+9*0.5)/1e6; got != want {
		t.Errorf("cached %g, want %g", got, want)
	}
}

func TestFind(t *testing.T) {
	w := newWorld(t, tree)
	r := w.report(anthropic.Dialect)
	off := strings.Index(r.Body.Text, "Use tabs")
	for _, tt := range []struct {
		q    explain.Query
		want []string // kind, name, text, and for each range the end of its origin and its bytes there
	}{
		{explain.Query{Any: "Use tabs"}, []string{"text project:AGENTS.md system AGENTS.md 12–20"}},
		{explain.Query{Text: "\nUse"}, []string{"text project:AGENTS.md system AGENTS.md 11–15"}},
		{explain.Query{Any: "x.md"}, []string{"file project:AGENTS.md system x.md 0–9 x.md 12–18"}},
		{explain.Query{File: w.path("x.md")}, []string{"file project:AGENTS.md system x.md 0–9 x.md 12–18"}},
		{explain.Query{Any: "look"}, []string{"tool look tools generated:look -1–-1"}},
		{explain.Query{Section: "date"}, []string{"section date context generated:date 0–27"}},
		{explain.Query{Any: "héllo"}, []string{"text  message 1 (user) generated:input 0–6"}},
		{explain.Query{Offset: &off}, []string{"offset project:AGENTS.md body anthropic AGENTS.md 11–21"}},
		{explain.Query{Any: "nowhere"}, nil},
		{explain.Query{Section: "Use tabs"}, nil},
	} {
		var got []string
		for _, m := range r.Find(tt.q) {
			s := m.Kind + " " + m.Name + " " + m.Text
			for _, g := range m.Ranges {
				s += " " + strings.TrimPrefix(g.Origin, w.dir+"/") + " " + itoa(g.SrcStart) + "–" + itoa(g.SrcEnd)
			}
			got = append(got, s)
		}
		if d := cmp.Diff(got, tt.want); d != "" {
			t.Errorf("%+v (-got +want):\n%s", tt.q, d)
		}
	}
	if m := r.Find(explain.Query{Section: "project:svc/AGENTS.override.md"}); len(m) != 1 || !strings.HasPrefix(r.Shown(m[0].Text, m[0].Start, m[0].End), "<block ") {
		t.Errorf("a section is found as %+v", m)
	} else if s := r.Shown(m[0].Text, m[0].Start, m[0].End); strings.Contains(s, "sk-test") || !strings.Contains(s, "sk-…[redacted 48]") {
		t.Errorf("shown as %q", s)
	}
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

func TestWhyNot(t *testing.T) {
	w := newWorld(t, tree)
	r := w.report(openaichat.Dialect)
	rules := func(f explain.Found) explain.Rules {
		f.Known = true
		return explain.Rules{Root: w.dir, Cwd: w.path("svc"), Markers: []string{".git"}, Names: files.DefaultNames(), UserFile: "/home/you/AGENTS.md",
			Workspace: w.path(".proem"), Skills: []string{w.path(".proem/skills")}, File: f}
	}
	there := explain.Found{Exists: true}
	for _, tt := range []struct {
		name         string
		found        explain.Found
		by, text, to string // parts of the first reason
	}{
		{"svc/AGENTS.md", there, files.Stage, "shadowed by AGENTS.override.md", "project.load: all"},
		{"CLAUDE.md", there, "rule", "CLAUDE.md is none of project.names", "project.fallbacks: [CLAUDE.md]"},
		{"other/AGENTS.md", there, "rule", "other is not on that way", "--cwd other"},
		{"blank/AGENTS.md", explain.Found{Exists: true, Blank: true}, "rule", "white space only", ""},
		{"agents.md", explain.Found{Similar: "AGENTS.md"}, "rule", "no such file", "there is AGENTS.md"},
		{"svc", explain.Found{Exists: true, Kind: "directory"}, "rule", "a directory", ""},
		{"../AGENTS.md", there, "rule", "above the project's root", "root_markers"},
		{"../else/where/AGENTS.md", there, "rule", "outside the project's root", "/home/you/AGENTS.md"},
		{".proem/skills/a/SKILL.md", there, "rule", "load_skill", ""},
		{".proem/notes.txt", there, "rule", "home", "workspace.extra_files: [notes.txt]"},
	} {
		got := r.WhyNot(w.path(tt.name), rules(tt.found))
		if got.Present || len(got.Reasons) == 0 {
			t.Errorf("%s: %+v", tt.name, got)
			continue
		}
		if g := got.Reasons[0]; g.By != tt.by || !strings.Contains(g.Text, tt.text) || !strings.Contains(g.Fix, tt.to) {
			t.Errorf("%s: %+v", tt.name, g)
		}
	}
	if got := r.WhyNot(w.path("x.md"), rules(there)); !got.Present || got.Reasons[0].Text != "it is there: in the section project:AGENTS.md of system" {
		t.Errorf("x.md: %+v", got)
	}
	held := rules(there)
	held.Held = []string{w.path("held/AGENTS.md")}
	if got := r.WhyNot(w.path("held/AGENTS.md"), held); got.Reasons[0].By != "trust" {
		t.Errorf("held back: %+v", got)
	}
	if got := r.WhyNot("/a/b", explain.Rules{File: there}); !strings.Contains(got.Reasons[0].Text, "built in Go") {
		t.Errorf("without rules: %+v", got)
	}
}

// encoder is a model that is never called.
type encoder struct{ d wire.Dialect }

func (e encoder) Encode(prev *wire.Body, r wire.Request) (wire.Body, error) {
	return e.d.Encode(prev, r)
}

func (e encoder) Send(context.Context, wire.Body) iter.Seq2[wire.Event, error] {
	panic("a report sends nothing")
}
