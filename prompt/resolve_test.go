package prompt_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

func TestLineage(t *testing.T) {
	s := snapshot(t,
		prompt.Layer{Sections: []prompt.SectionDef{literal("base", 1, "global"), literal("tail", 9, "end")}, Vars: []prompt.VarDef{fixed("who", "global"), fixed("at", "here")}},
		prompt.Layer{Scope: "team", Sections: []prompt.SectionDef{literal("base", 1, "team"), literal("role", 5, "role")}, Vars: []prompt.VarDef{fixed("team", "t"), fixed("who", "team")}},
		prompt.Layer{Scope: "agent", Sections: []prompt.SectionDef{literal("base", 20, "agent")}, Vars: []prompt.VarDef{fixed("who", "agent")}},
		prompt.Layer{Scope: "other", Sections: []prompt.SectionDef{literal("other", 0, "sibling")}},
	)
	tests := []struct {
		name     string
		lineage  []string
		sections []string
		vars     []string
	}{
		{"global only", nil, []string{`system base: "global"`, `system tail: "end"`}, []string{"who=global", "at=here"}},
		{"the empty scope is the global layer", []string{""}, []string{`system base: "global"`, `system tail: "end"`}, []string{"who=global", "at=here"}},
		{"unknown scope", []string{"nobody"}, []string{`system base: "global"`, `system tail: "end"`}, []string{"who=global", "at=here"}},
		{"one layer", []string{"team"}, []string{`system base: "team"`, `system role: "role"`, `system tail: "end"`}, []string{"who=team", "at=here", "team=t"}},
		// The nearest one's own order counts; a variable keeps its first place.
		{"nearest wins", []string{"agent", "team"}, []string{`system role: "role"`, `system tail: "end"`, `system base: "agent"`}, []string{"who=agent", "at=here", "team=t"}},
		{"not the other way round", []string{"team", "agent"}, []string{`system base: "team"`, `system role: "role"`, `system tail: "end"`}, []string{"who=team", "at=here", "team=t"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := resolve(t, s, prompt.Input{Lineage: tt.lineage})
			diff(t, "sections", shape(a), tt.sections)
			diff(t, "variables", vars(a), tt.vars)
		})
	}
	a := resolve(t, s, prompt.Input{Lineage: []string{"agent", "team"}})
	diff(t, "receipts of what is shadowed", notes(a), []string{
		`base: shadowed by the section of scope "team"`, `base: shadowed by the section of scope "agent"`,
	})
	diff(t, "origin", *a.Sections[2].From, span.Origin{Section: "base", Source: "literal", Scope: "agent"})
}

// Sections of one name in two channels are two sections.
func TestShadowingIsPerChannel(t *testing.T) {
	context := literal("x", 0, "context")
	context.Channel = prompt.Context
	s := snapshot(t, prompt.Layer{Sections: []prompt.SectionDef{context, literal("x", 0, "far")}},
		prompt.Layer{Scope: "a", Sections: []prompt.SectionDef{literal("x", 0, "near")}})
	diff(t, "sections", shape(resolve(t, s, prompt.Input{Lineage: []string{"a"}})), []string{`system x: "near"`, `context x: "context"`})
}

func TestMutes(t *testing.T) {
	context := dynamic("date", 0)
	context.Channel = prompt.Context
	s := snapshot(t, prompt.Layer{Sections: []prompt.SectionDef{literal("base", 0, "b"), context}},
		prompt.Layer{Scope: "quiet", Mutes: []prompt.Channel{prompt.Context, prompt.Context, prompt.Instructions}},
		prompt.Layer{Scope: "child", Sections: []prompt.SectionDef{literal("child", 1, "c")}})
	a := resolve(t, s, prompt.Input{Lineage: []string{"child", "quiet"}})
	diff(t, "sections", shape(a), []string{`system base: "b"`, `system child: "c"`})
	diff(t, "mutes", a.Mutes, []prompt.Channel{prompt.Instructions, prompt.Context})
	diff(t, "notes", notes(a), []string{"date: the channel context is muted"})
	diff(t, "needs", prompt.Needs(s, []string{"child", "quiet"}), []string(nil))
	if !a.Muted(prompt.Context) || a.Muted(prompt.System) {
		t.Error("Muted tells another story")
	}
	// The parent of the muted scope is not muted.
	diff(t, "needs", prompt.Needs(s, nil), []string{"date"})
}

func TestSole(t *testing.T) {
	sole := func(name string, ch prompt.Channel) prompt.SectionDef {
		return prompt.SectionDef{Name: name, Channel: ch, Sole: true, Body: prompt.Body{Literal: name}}
	}
	s := snapshot(t, prompt.Layer{Sections: []prompt.SectionDef{sole("a", prompt.System), sole("b", prompt.System), sole("c", prompt.Context), literal("d", 0, "d")}},
		prompt.Layer{Scope: "x", Sections: []prompt.SectionDef{literal("b", 0, "ordinary")}})
	a, err := prompt.Resolve(s, prompt.Input{})
	diff(t, "faults", codes(err), []string{"section.sole_conflict"})
	if !strings.Contains(err.Error(), `["a" "b"]`) || strings.Contains(err.Error(), `"c"`) {
		t.Errorf("the message names the wrong sections: %v", err)
	}
	if len(a.Sections) != 4 {
		t.Errorf("the assembly that comes with the fault has %d sections", len(a.Sections))
	}
	// A sole section that an ordinary one shadows does not count.
	resolve(t, s, prompt.Input{Lineage: []string{"x"}})

	// One whose source failed counts where that is a fault.
	failing := dynamic("late", 0)
	failing.Sole = true
	s = snapshot(t, prompt.Layer{Sections: []prompt.SectionDef{sole("a", prompt.System), failing}})
	in := prompt.Input{Facts: prompt.NewFacts(map[string]prompt.Fact{"late": {Err: errors.New("down")}})}
	resolve(t, s, in)
	in.Strict = true
	_, err = prompt.Resolve(s, in)
	diff(t, "faults", codes(err), []string{"section.failed", "section.sole_conflict"})
}

// A failed or missing fact leaves an optional section out and is a fault for
// a required one, or for all in a strict model.
func TestFailedFacts(t *testing.T) {
	required := dynamic("policy", 0)
	required.Required, required.Path = true, "policy.md"
	tests := []struct {
		name   string
		def    prompt.SectionDef
		facts  map[string]prompt.Fact
		strict bool
		want   []string
		notes  []string
		faults []string
	}{
		{"text", dynamic("rag", 0), map[string]prompt.Fact{"rag": {Text: "t"}}, true, []string{`system rag: "t"`}, nil, nil},
		{"empty text", dynamic("rag", 0), map[string]prompt.Fact{"rag": {}}, false, []string{`system rag: ""`}, nil, nil},
		{"no value", dynamic("rag", 0), map[string]prompt.Fact{"rag": {None: true}}, true, nil, nil, nil},
		{"no value of a required one", required, map[string]prompt.Fact{"policy": {None: true}}, true, nil, nil, nil},
		{"failed", dynamic("rag", 0), map[string]prompt.Fact{"rag": {Text: "half", Err: errDown}}, false, nil, []string{"rag: its source failed: the disk is down"}, nil},
		{"not gathered", dynamic("rag", 0), nil, false, nil, []string{"rag: the fact rag was not gathered"}, nil},
		{"failed, strict", dynamic("rag", 0), map[string]prompt.Fact{"rag": {Err: errDown}}, true, nil, nil, []string{"section.failed"}},
		{"failed, required", required, map[string]prompt.Fact{"policy": {Err: errDown}}, false, nil, nil, []string{"section.failed"}},
		{"not gathered, required", required, nil, false, nil, nil, []string{"section.failed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := prompt.Resolve(snapshot(t, prompt.Layer{Sections: []prompt.SectionDef{tt.def}}), prompt.Input{Facts: prompt.NewFacts(tt.facts), Strict: tt.strict})
			diff(t, "sections", shape(a), tt.want)
			diff(t, "notes", notes(a), tt.notes)
			diff(t, "faults", codes(err), tt.faults)
			if (len(a.Diagnostics) > 0) != (len(tt.notes) > 0) {
				t.Errorf("got diagnostics %v", a.Diagnostics)
			}
			if len(tt.faults) > 0 && tt.facts != nil && !errors.Is(err, errDown) {
				t.Errorf("the cause is lost: %v", err)
			}
		})
	}
}

func TestDocs(t *testing.T) {
	s := snapshot(t, prompt.Layer{Sections: []prompt.SectionDef{
		literal("a", 1, "first"),
		{Name: "files", Order: 2, Class: prompt.Session, Trust: span.User, Sep: "\n", Required: true, Priority: 7, Body: prompt.Body{Fact: "files", Template: true}},
		literal("z", 3, "last"),
	}})
	pieces := span.Text{{Text: "cut ", Off: 3}, {Text: "{{x}}", Off: 9}}
	facts := prompt.NewFacts(map[string]prompt.Fact{"files": {
		Trust: span.Workspace,
		Docs: []prompt.Doc{
			{Name: "user:A", Text: "ua", Path: "/u/A", Trust: span.User},
			{Name: "project:B", Text: "cut {{x}}", Spans: pieces, Path: "/p/B", Trust: span.Project, Class: prompt.Turn, Aliases: []string{"/p/link"}, SHA256: "00"},
			{Name: "project:C"},
		},
		Notes:       []prompt.Note{{Name: "D", Reason: "shadowed"}},
		Diagnostics: []prompt.Diagnostic{{Code: "doc.blank"}},
	}})
	a := resolve(t, s, prompt.Input{Facts: facts})
	diff(t, "sections", shape(a), []string{`system a: "first"`, `system user:A: "ua"`, `system project:B: "cut {{x}}"`, `system project:C: ""`, `system z: "last"`})
	// The trust is the least of definition, fact and document, the class the most
	// volatile.
	diff(t, "trust", []span.Trust{a.Sections[1].Trust(), a.Sections[2].Trust()}, []span.Trust{span.Workspace, span.Project})
	diff(t, "class", []prompt.Class{a.Sections[1].Class, a.Sections[2].Class}, []prompt.Class{prompt.Session, prompt.Turn})
	diff(t, "aliases", a.Sections[2].Doc.Aliases, []string{"/p/link"})
	diff(t, "origin", *a.Sections[2].From, span.Origin{Section: "project:B", Source: "file", Path: "/p/B", Trust: span.Project})
	b := a.Sections[2]
	if b.Sep != "\n" || !b.Required || b.Priority != 7 || b.Order != 2 {
		t.Errorf("the document lacks properties of its definition: %+v", b)
	}
	if !b.Text[1].Template || b.Text[1].Off != 9 || pieces[1].Template {
		t.Errorf("got spans %+v of %+v", b.Text, pieces)
	}
	diff(t, "notes", notes(a), []string{"D: shadowed"})
	diff(t, "diagnostics", a.Diagnostics, []prompt.Diagnostic{{Code: "doc.blank"}})
	diff(t, "system", a.Render(prompt.System), "first\nua\ncut {{x}}\n\nlast")

	none := resolve(t, s, prompt.Input{Facts: prompt.NewFacts(map[string]prompt.Fact{"files": {Docs: []prompt.Doc{}}})})
	diff(t, "no documents", shape(none), []string{`system a: "first"`, `system z: "last"`})
}

func TestVariables(t *testing.T) {
	fact := func(name, fact string) prompt.VarDef {
		return prompt.VarDef{Name: name, Body: prompt.Body{Fact: fact}}
	}
	s := snapshot(t, prompt.Layer{Vars: []prompt.VarDef{fact("cwd", "far"), fixed("model", "m")}},
		prompt.Layer{Scope: "a", Vars: []prompt.VarDef{fact("cwd", "near")}})
	tests := []struct {
		name      string
		far, near prompt.Fact
		want      []string
		faults    []string
	}{
		{"nearest", prompt.Fact{Text: "/far"}, prompt.Fact{Text: "/near"}, []string{"cwd=/near", "model=m"}, nil},
		{"a nearer one without a value hides", prompt.Fact{Text: "/far"}, prompt.Fact{None: true}, []string{"cwd none", "model=m"}, nil},
		{"a shadowed failure surfaces", prompt.Fact{Err: errDown}, prompt.Fact{Text: "/near"}, []string{"cwd=/near", "model=m"}, []string{"section.failed"}},
		{"both fail", prompt.Fact{Err: errDown}, prompt.Fact{Err: errDown}, []string{"cwd none", "model=m"}, []string{"section.failed", "section.failed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := prompt.Resolve(s, prompt.Input{Lineage: []string{"a"}, Facts: prompt.NewFacts(map[string]prompt.Fact{"far": tt.far, "near": tt.near})})
			diff(t, "variables", vars(a), tt.want)
			diff(t, "faults", codes(err), tt.faults)
		})
	}
	diff(t, "needs", prompt.Needs(s, []string{"a"}), []string{"far", "near"})
}

func TestTies(t *testing.T) {
	// U+FF5E is less than U+1F600 by bytes, and greater by UTF-16 units.
	tilde, smile := "\uFF5E", "\U0001F600"
	defs := []prompt.SectionDef{literal(tilde, math.Copysign(0, -1), "1"), literal(smile, 0, "2"), literal("b", 0, "3"), literal("a", 0, "4")}
	s := snapshot(t, prompt.Layer{Sections: defs}, prompt.Layer{Scope: "x", Sections: []prompt.SectionDef{literal("0", 0, "5"), literal(smile, 0, "6")}})
	byPosition := prompt.Ties{}
	byPosition.ByPosition[prompt.System] = true
	tests := []struct {
		name string
		ties prompt.Ties
		want []string
	}{
		{"bytes", prompt.Ties{}, []string{"0", "a", "b", tilde, smile}},
		{"UTF-16", prompt.Ties{Names: prompt.ByUTF16}, []string{"0", "a", "b", smile, tilde}},
		{"position; a shadow keeps the place", byPosition, []string{tilde, smile, "b", "a", "0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, sec := range resolve(t, s, prompt.Input{Lineage: []string{"x"}, Ties: tt.ties}).Sections {
				got = append(got, sec.Name)
			}
			diff(t, "order", got, tt.want)
		})
	}
}

func TestCompareUTF16(t *testing.T) {
	words := []string{"", "a", "ab", "é", "\uD7FF", "\U00010000", "\U0010FFFF", "\uE000", "\uFFFD", "\uFFFF"}
	for i, x := range words {
		for j, y := range words {
			if got, want := sign(prompt.ByUTF16.Compare(x, y)), sign(i-j); got != want {
				t.Errorf("compare %q with %q: got %d, want %d", x, y, got, want)
			}
		}
	}
}

func sign(n int) int { return max(-1, min(1, n)) }

func TestDefinitionFaults(t *testing.T) {
	_, err := prompt.NewSnapshot(1,
		prompt.Layer{
			Sections: []prompt.SectionDef{literal("nan", math.NaN(), ""), literal("inf", math.Inf(-1), ""), literal("x", 0, ""), literal("x", 1, ""), {Name: "c", Channel: 9}},
			Vars:     []prompt.VarDef{fixed("Upper", ""), fixed("a", ""), fixed("a", "")},
			Mutes:    []prompt.Channel{prompt.Channels},
		},
		prompt.Layer{})
	diff(t, "faults", codes(err), []string{"section.order", "section.order", "section.duplicate", "section.channel", "var.name", "var.duplicate", "mute.channel", "layer.duplicate"})
}

// A person is told of everything at once: of resolve and of every stage.
func TestAllFaultsTogether(t *testing.T) {
	required := dynamic("policy", 0)
	required.Required = true
	s := snapshot(t, prompt.Layer{
		Sections: []prompt.SectionDef{required, {Name: "s1", Sole: true}, {Name: "s2", Sole: true}},
		Vars:     []prompt.VarDef{{Name: "v", Body: prompt.Body{Fact: "v"}}},
		Tools:    []prompt.ToolDef{specs("t", "t")},
	})
	bad := func(code string) prompt.Stage {
		return prompt.Stage{Name: "bad-" + code, Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			return a, prompt.Faults{{Code: code}}
		}}
	}
	frames, err := prompt.Trace(s, prompt.Input{}, bad("one"), bad("two"))
	want := []string{"tool.duplicate", "section.failed", "section.failed", "section.sole_conflict", "one", "two"}
	diff(t, "trace", codes(err), want)
	_, err2 := prompt.Assemble(s, prompt.Input{}, bad("one"), bad("two"))
	diff(t, "assemble", codes(err2), want)
	diff(t, "messages", err2.Error(), err.Error())
	var per []string
	for _, f := range frames {
		for _, fault := range f.Faults {
			per = append(per, f.Stage+"/"+fault.Stage+"/"+fault.Code)
		}
	}
	diff(t, "faults of frames", per[3:], []string{"resolve/resolve/section.sole_conflict", "bad-one/bad-one/one", "bad-two/bad-two/two"})
	if lines := strings.Split(err.Error(), "\n"); len(lines) != len(want) {
		t.Errorf("the error has %d lines, want one for each fault:\n%v", len(lines), err)
	}

	// An error that is no fault ends the assembly, and hides nothing.
	broken := prompt.Stage{Name: "broken", Apply: func(prompt.Input, prompt.Assembly) (prompt.Assembly, error) { return prompt.Assembly{}, errDown }}
	frames, err = prompt.Trace(s, prompt.Input{}, bad("one"), broken, bad("two"))
	if !errors.Is(err, errDown) || !strings.Contains(err.Error(), "stage broken: the disk is down") || !strings.Contains(err.Error(), "one: ") {
		t.Errorf("got %v", err)
	}
	if len(frames) != 2 {
		t.Errorf("got %d frames, want those up to the failing stage", len(frames))
	}
}

func TestTrace(t *testing.T) {
	s := snapshot(t, prompt.Layer{Sections: []prompt.SectionDef{literal("a", 0, "a"), literal("b", 1, "b")}, Tools: []prompt.ToolDef{specs("t")}})
	// A stage that works as stages should: on a copy.
	add := func(name string) prompt.Stage {
		return prompt.Stage{Name: name, Doc: "adds " + name, Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			a = a.Clone()
			slices.Reverse(a.Sections)
			a.Sections = append(a.Sections, prompt.Section{Name: name, Text: span.Of(name, nil)})
			a.Notes = append(a.Notes, prompt.Note{Name: name, Reason: "added"})
			a.Tools[0].Description += name
			return a, nil
		}}
	}
	stages := []prompt.Stage{add("one"), add("two"), add("three")}
	frames, err := prompt.Trace(s, prompt.Input{}, stages...)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range frames {
		got = append(got, f.Stage+": "+f.Assembly.Render(prompt.System))
	}
	want := []string{"resolve: a\n\nb", "one: b\n\na\n\none", "two: one\n\na\n\nb\n\ntwo", "three: two\n\nb\n\na\n\none\n\nthree"}
	diff(t, "frames", got, want)
	if frames[0].Doc == "" || frames[1].Doc != "adds one" {
		t.Errorf("a frame lacks its sentence: %+v", frames[1].Doc)
	}
	last := frames[3].Assembly
	diff(t, "the last frame is what Assemble gives", must(prompt.Assemble(s, prompt.Input{}, stages...)), last)
	// What later stages did does not show in earlier frames.
	if n := len(frames[1].Assembly.Notes); n != 1 || frames[1].Assembly.Tools[0].Description != "one" {
		t.Errorf("the first frame was changed: %d notes, tool %q", n, frames[1].Assembly.Tools[0].Description)
	}
	diff(t, "the snapshot", shape(resolve(t, s, prompt.Input{})), []string{`system a: "a"`, `system b: "b"`})
}

func must(a prompt.Assembly, err error) prompt.Assembly {
	if err != nil {
		panic(err)
	}
	return a
}
