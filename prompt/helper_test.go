package prompt_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
)

var errDown = errors.New("the disk is down")

// literal returns a system section of fixed text.
func literal(name string, order float64, text string) prompt.SectionDef {
	return prompt.SectionDef{Name: name, Order: order, Body: prompt.Body{Literal: text}}
}

// dynamic returns a system section whose text is the fact of the same name.
func dynamic(name string, order float64) prompt.SectionDef {
	return prompt.SectionDef{Name: name, Order: order, Body: prompt.Body{Fact: name}}
}

func fixed(name, value string) prompt.VarDef {
	return prompt.VarDef{Name: name, Body: prompt.Body{Literal: value}}
}

func specs(names ...string) prompt.ToolDef {
	d := prompt.ToolDef{}
	for _, n := range names {
		d.Specs = append(d.Specs, chat.ToolSpec{Name: n})
	}
	return d
}

func snapshot(t testing.TB, layers ...prompt.Layer) prompt.Snapshot {
	t.Helper()
	s, err := prompt.NewSnapshot(1, layers...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func resolve(t testing.TB, s prompt.Snapshot, in prompt.Input) prompt.Assembly {
	t.Helper()
	a, err := prompt.Resolve(s, in)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// shape lists sections as "channel name: text".
func shape(a prompt.Assembly) []string {
	out := []string{}
	for _, s := range a.Sections {
		out = append(out, fmt.Sprintf("%s %s: %q", s.Channel, s.Name, s.Text.String()))
	}
	return out
}

func vars(a prompt.Assembly) []string {
	out := []string{}
	for _, v := range a.Vars {
		if v.None {
			out = append(out, v.Name+" none")
			continue
		}
		out = append(out, v.Name+"="+v.Value)
	}
	return out
}

func toolNames(a prompt.Assembly) []string {
	out := []string{}
	for _, t := range a.Tools {
		out = append(out, t.Name)
	}
	return out
}

func notes(a prompt.Assembly) []string {
	out := []string{}
	for _, n := range a.Notes {
		out = append(out, n.Name+": "+n.Reason)
	}
	return out
}

func codes(err error) []string {
	out := []string{}
	var faults prompt.Faults
	if errors.As(err, &faults) {
		for _, f := range faults {
			out = append(out, f.Code)
		}
	} else if err != nil {
		out = append(out, err.Error())
	}
	return out
}

func diff(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want, cmpopts.IgnoreUnexported(prompt.Section{}), cmpopts.EquateEmpty(), cmpopts.EquateErrors()); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}
