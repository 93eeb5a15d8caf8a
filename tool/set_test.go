package tool_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/tool"
)

func named(t *testing.T, name, description string) tool.Tool {
	return tool.Must(tool.New(name, description, func(context.Context, struct{}) (tool.Result, error) { return tool.Text(name), nil }))
}

func contents(t *testing.T, s tool.Set) string {
	t.Helper()
	tools, instructions, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, x := range tools {
		out = append(out, x.Spec().Name+"="+x.Spec().Description)
	}
	return strings.Join(append(out, fmt.Sprintf("(%s)", instructions)), " ")
}

func TestOpenSet(t *testing.T) {
	s := tool.NewSet("s", named(t, "a", "1"), named(t, "b", "1"))
	before, _, _ := s.Tools(t.Context())
	s.Add(named(t, "a", "2"), named(t, "c", "2"))
	s.Remove("b", "none")
	s.Instruct("how")
	if got, want := contents(t, s), "a=2 c=2 (how)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(before) != 2 || before[0].Spec().Description != "1" || before[1].Spec().Name != "b" {
		t.Error("what was handed out has changed")
	}
	if tool.IsTrusted(s) || !tool.IsTrusted(tool.Trusted(s)) || tool.Trusted(s).Name() != "s" || contents(t, tool.Trusted(s)) != "a=2 c=2 (how)" {
		t.Error("a trusted set is another set")
	}
}
