package stage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/prompttest"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

// template returns an assembly with one template section for each text and the
// variables a=A, b (no value), c="{{a}}" and constructor-like names absent.
func template(texts ...string) prompt.Assembly {
	a := system(texts...)
	for i := range a.Sections {
		for j := range a.Sections[i].Text {
			a.Sections[i].Text[j].Template = true
		}
	}
	from := func(n string) *span.Origin { return &span.Origin{Section: n, Source: "variable"} }
	a.Vars = []prompt.Var{{Name: "a", Value: "A", From: from("a")}, {Name: "b", None: true, From: from("b")},
		{Name: "c", Value: "{{a}} {{", From: from("c")}, {Name: "e", From: from("e")}, {Name: "long_name_1", Value: "L", From: from("long_name_1")}}
	return a
}

// The rows of reference-deepseek.md §1.10.
func TestInterpolate(t *testing.T) {
	optional, keep := stage.InterpolateConfig{Optional: true}, stage.InterpolateConfig{Optional: true, Keep: true}
	strict := stage.InterpolateConfig{}
	tests := []struct {
		name  string
		cfg   stage.InterpolateConfig
		in    string
		want  string
		codes []string
	}{
		{"no reference", strict, "plain } }} { text", "plain } }} { text", nil},
		{"one", strict, "x {{a}} y", "x A y", nil},
		{"side by side", strict, "{{a}}{{a}}{{long_name_1}}", "AAL", nil},
		{"value is empty", strict, "<{{e}}>", "<>", nil},
		{"value is not scanned again", strict, "{{c}}{{a}}", "{{a}} {{A", nil},
		{"a brace behind a group", strict, "{{a}}}", "A}", nil},
		{"lone closing braces", strict, "}} {{a}} }}", "}} A }}", nil},
		{"open braces that nothing closes", strict, "{{a}} {{ {{", "A {{ {{", nil},
		{"white space and line ends survive", strict, "\r\n {{a}}\t\n", "\r\n A\t\n", nil},
		{"unknown", strict, "{{nobody}}", "{{nobody}}", []string{"var.missing"}},
		{"a name every object has", strict, "{{constructor}}", "{{constructor}}", []string{"var.missing"}},
		{"no value", strict, "{{b}}", "{{b}}", []string{"var.no_value"}},
		{"empty name", strict, "{{}}", "{{}}", []string{"template.name"}},
		{"spaces", strict, "{{ a }}", "{{ a }}", []string{"template.name"}},
		{"upper case", strict, "{{A}}", "{{A}}", []string{"template.name"}},
		{"leading digit", strict, "{{1a}}", "{{1a}}", []string{"template.name"}},
		{"dash", strict, "{{a-b}}", "{{a-b}}", []string{"template.name"}},
		{"line end", strict, "{{a\n}}", "{{a\n}}", []string{"template.name"}},
		{"not ASCII", strict, "{{é}}", "{{é}}", []string{"template.name"}},
		{"proto", strict, "{{__proto__}}", "{{__proto__}}", []string{"template.name"}},
		{"brace inside", strict, "{{a{b}}", "{{a{b}}", []string{"template.open"}},
		{"three braces", strict, "{{{a}}", "{{{a}}", []string{"template.open"}},
		{"closed far behind", strict, "{{ x } y }}", "{{ x } y }}", []string{"template.open"}},
		{"an optional form is malformed", strict, "{{a?}}", "{{a?}}", []string{"template.name"}},
		{"several faults", strict, "{{x}} {{a}} {{ a}} {{b}}", "{{x}} A {{ a}} {{b}}", []string{"var.missing", "template.name", "var.no_value"}},

		{"optional with a value", optional, "{{a?}}", "A", nil},
		{"optional without a value", optional, "<{{b?}}>", "<>", nil},
		{"optional and not registered", optional, "<{{x?}}>", "<>", nil},
		{"optional with a bad name", optional, "{{X?}}", "{{X?}}", []string{"template.name"}},
		{"required beside optional", optional, "{{x?}}{{x}}", "{{x}}", []string{"var.missing"}},

		{"C44 strict", optional, "role={{a}} team={{team?}} x={{x}}", "role=A team= x={{x}}", []string{"var.missing"}},
		{"C44 keep", keep, "role={{a}} team={{team?}} x={{x}}", "role=A team= x={{x}}", nil},
		{"keep does not excuse a missing value", keep, "{{b}}", "{{b}}", []string{"var.no_value"}},
		{"keep does not excuse a bad form", keep, "{{ x }}", "{{ x }}", []string{"template.name"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := template(tt.in)
			out, err := stage.Interpolate(tt.cfg).Apply(prompt.Input{}, in)
			diff(t, "text", out.Sections[0].Text.String(), tt.want)
			diff(t, "faults", codes(err), append([]string{}, tt.codes...))
			checkOffsets(t, tt.in, in.Vars, out.Sections[0].Text)
			if in.Sections[0].Text.String() != tt.in {
				t.Error("the argument was changed")
			}
		})
	}
}

// checkOffsets fails unless every piece of the author's text stands in the
// source at its offset, in order, and every other piece is a variable's value.
func checkOffsets(t *testing.T, source string, vars []prompt.Var, text span.Text) {
	t.Helper()
	least := 0
	for _, s := range text {
		if s.Text == "" {
			t.Error("an empty span")
		}
		if s.From != nil && s.From.Source == "variable" {
			known := false
			for _, v := range vars {
				known = known || v.Name == s.From.Section && v.Value == s.Text
			}
			if !known || s.Template {
				t.Errorf("%q is no value of %s, or marked as a template", s.Text, s.From.Section)
			}
			continue
		}
		lo := int(s.Off)
		if lo < least || lo+len(s.Text) > len(source) || source[lo:lo+len(s.Text)] != s.Text {
			t.Errorf("%q is not at %d of %q", s.Text, s.Off, source)
		}
		least = lo + len(s.Text)
	}
}

func TestInterpolateKeepWarns(t *testing.T) {
	out := apply(t, stage.Interpolate(stage.InterpolateConfig{Keep: true}), prompt.Input{}, template("one\nand {{x}}"))
	diff(t, "diagnostics", out.Diagnostics, []prompt.Diagnostic{{Severity: prompt.Warning, Code: "var.missing", Line: 2, Column: 5, Offset: 8,
		Message: `section "s0" refers to the variable "x", which is not registered; the reference is sent as it is`}})
}

// C43: only what its author declared as a template is looked at.
func TestInterpolateTemplatesOnly(t *testing.T) {
	file := "async ({ page }) => {}\n{{city}} ${expr} {\"a\": 1} %s\n"
	a := template("{{a}}")
	a.Sections = append(a.Sections, system(file).Sections[0])
	a.Sections[0].Text = span.Concat(a.Sections[0].Text, span.Of(" {{a}} {{ x", nil), span.Text{{Text: "{{a}}!", Template: true, Off: 40}})
	out := apply(t, stage.Interpolate(stage.InterpolateConfig{}), prompt.Input{}, a)
	diff(t, "sections", shape(out), []string{`system s0: "A {{a}} {{ xA!"`, fmt.Sprintf("system s0: %q", file)})
	last := out.Sections[0].Text[len(out.Sections[0].Text)-1]
	if last.Text != "!" || last.Off != 45 {
		t.Errorf("got %+v, want the mark at 45", last)
	}
	plain := system("{{a}} {{ b }} {{")
	untouched(t, plain, apply(t, stage.Interpolate(stage.InterpolateConfig{}), prompt.Input{}, plain))
	noAllocs(t, stage.Interpolate(stage.InterpolateConfig{}), plain)
	// Generated text has no place, and its pieces have none either.
	gen := template("x {{a}} y")
	gen.Sections[0].Text[0].Off = span.NoOffset
	for _, s := range apply(t, stage.Interpolate(stage.InterpolateConfig{}), prompt.Input{}, gen).Sections[0].Text {
		if s.Off != span.NoOffset && s.From.Source != "variable" {
			t.Errorf("a piece of generated text stands at %d", s.Off)
		}
	}
}

// Faults of all sections come together, each with its place.
func TestInterpolateFaults(t *testing.T) {
	a := template("fine {{a}}", "é {{x}}\n  {{ y }}", "\n\n{{b}}")
	a.Sections[1].Text[0].From = &span.Origin{Section: "s1", Source: "file", Path: "/p/base.md"}
	_, err := stage.Interpolate(stage.InterpolateConfig{}).Apply(prompt.Input{}, a)
	faults, ok := err.(prompt.Faults)
	if !ok {
		t.Fatalf("got %v", err)
	}
	var got []string
	for _, f := range faults {
		got = append(got, f.Error())
	}
	diff(t, "faults", got, []string{
		`var.missing: /p/base.md:1:4: the variable "x" is not registered; there are: a, b, c, e, long_name_1`,
		`template.name: /p/base.md:2:3: " y " is not the name of a variable: a lower-case letter followed by lower-case letters, digits and underscores, without spaces`,
		`var.no_value: system section "s2":3:1: the variable "b" has no value at present`,
	})
	// Lines are counted in the section's text, whatever it was put together from.
	pieces := template("one\ntw")
	pieces.Sections[0].Text = append(pieces.Sections[0].Text, span.Span{Text: "o {{x}}", Template: true})
	_, err = stage.Interpolate(stage.InterpolateConfig{}).Apply(prompt.Input{}, pieces)
	if f := err.(prompt.Faults)[0]; f.Line != 2 || f.Column != 5 {
		t.Errorf("got line %d, column %d, want 2, 5", f.Line, f.Column)
	}
	bare := template("{{x}} {{ { }}")
	bare.Vars = nil
	_, err = stage.Interpolate(stage.InterpolateConfig{}).Apply(prompt.Input{}, bare)
	if !strings.Contains(err.Error(), "there are no variables") || !strings.Contains(err.Error(), `"{{ { }}" opens no reference: write {{name}}`) {
		t.Errorf("got %v", err)
	}
}

func TestInterpolatePromises(t *testing.T) {
	mixed := template("{{a}} and {{c}}", "{{x}}", "none")
	mixed.Sections = append(mixed.Sections, system("{{a}}").Sections...)
	cases := []prompttest.Case{
		{Name: "mixed", Assembly: mixed},
		{Name: "good", Assembly: template("{{a}}{{a}}", "x{{c}}y")},
		{Name: "nothing to do", Assembly: system("x", "{{a}}")},
		{Name: "empty"},
	}
	prompttest.Check(t, stage.Interpolate(stage.InterpolateConfig{}), cases...)
	prompttest.Check(t, stage.Interpolate(stage.InterpolateConfig{Optional: true, Keep: true}), cases...)
}

// FuzzInterpolate compares with a replacement by hand and checks every offset.
func FuzzInterpolate(f *testing.F) {
	for _, s := range []string{"", "{{a}}", "x{{a?}}y{{b}}", "{{{a}}}", "{{x}}{{a}} }}", "é{{c}}\xff{{ a }}"} {
		f.Add(s, true, true)
		f.Add(s, false, false)
	}
	f.Fuzz(func(t *testing.T, s string, optional, keep bool) {
		a := template(s)
		out, err := stage.Interpolate(stage.InterpolateConfig{Optional: optional, Keep: keep}).Apply(prompt.Input{}, a)
		if s == "" {
			return
		}
		values := map[string]prompt.Var{}
		for _, v := range a.Vars {
			values[v.Name] = v
		}
		var want strings.Builder
		at, faulty := 0, false
		for _, r := range prompt.ParseTemplate(s).Refs {
			v, known := values[r.Name]
			soft := r.Optional && optional
			switch {
			case r.Fault != prompt.RefOK || r.Optional && !optional, known && v.None && !soft, !known && !soft && !keep:
				faulty = true
				continue
			case !known && !soft:
				continue
			}
			want.WriteString(s[at:r.Lo] + v.Value)
			at = r.Hi
		}
		want.WriteString(s[at:])
		if got := out.Sections[0].Text.String(); got != want.String() {
			t.Fatalf("got %q, want %q", got, want.String())
		}
		if (err != nil) != faulty {
			t.Fatalf("got error %v, want one: %v", err, faulty)
		}
		checkOffsets(t, s, a.Vars, out.Sections[0].Text)
	})
}
