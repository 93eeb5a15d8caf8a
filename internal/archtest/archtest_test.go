package archtest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/internal/archtest"
)

var rows = []archtest.Row{
	{Path: "span", Pure: true},
	{Path: "prompt", Pure: true, To: []string{"span"}},
	{Path: "env", Common: true},
	{Path: "internal/lines", Pure: true, Common: true},
	{Path: "agent", To: []string{"prompt"}},
	{Path: "agent/remote", To: []string{"agent"}},
}

// tree writes files and returns the folder they are in.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"what is permitted", map[string]string{
			"span/a.go":           "package span\nimport \"strings\"",
			"prompt/a.go":         "package prompt\nimport (\n\"m.org/m/span\"\n\"m.org/m/internal/lines\"\n\"math\"\n\"iter\"\n\"timex\")",
			"agent/a.go":          "package agent\nimport (\n\"time\"\n\"m.org/m/span\"\n\"m.org/m/env\"\n\"m.org/m/internal/lines\"\n\"other.org/x\")",
			"agent/react/a.go":    "package react\nimport \"m.org/m/agent\"",
			"agent/remote/a.go":   "package remote\nimport \"m.org/m/agent/react\"",
			"internal/lines/a.go": "package lines",
			"env/a.go":            "package env\nimport \"os\"",
		}, nil},
		{"what is not looked at", map[string]string{
			"span/a_test.go": "package span_test\nimport \"m.org/m/agent\"", "span/testdata/a.go": "package x\nimport \"os\"", "span/_x/a.go": "package x\nimport \"os\"",
			"span/_a.go": "package x\nimport \"os\"", "oracle/go.mod": "module oracle", "oracle/a.go": "package oracle", ".x/a.go": "package x", "vendor/x/a.go": "package x",
		}, nil},
		{"an arrow the wrong way", map[string]string{"prompt/a.go": "package prompt\nimport \"m.org/m/agent/react\""},
			[]string{"package prompt imports agent/react in prompt/a.go: no arrow leads from prompt to agent; it may import span"}},
		{"a subpackage", map[string]string{"span/deep/a.go": "package deep\nimport \"m.org/m/prompt\""},
			[]string{"package span/deep imports prompt in span/deep/a.go: no arrow leads from span to prompt; it may import no other package of the module"}},
		{"a row within a row", map[string]string{"agent/a.go": "package agent\nimport \"m.org/m/agent/remote\""},
			[]string{"package agent imports agent/remote in agent/a.go: no arrow leads from agent to agent/remote; it may import prompt, span"}},
		{"the world in a pure package", map[string]string{
			"span/a.go": "//go:build windows\npackage span\nimport (\n\"os/exec\"\n\"net/http\"\n\"time\"\n\"context\"\n\"sync/atomic\"\n\"math/rand/v2\"\n)",
		}, []string{
			"package span imports os/exec in span/a.go: span is pure and uses nothing of os",
			"package span imports net/http in span/a.go: span is pure and uses nothing of net",
			"package span imports time in span/a.go: span is pure and uses nothing of time",
			"package span imports context in span/a.go: span is pure and uses nothing of context",
			"package span imports sync/atomic in span/a.go: span is pure and uses nothing of sync",
			"package span imports math/rand/v2 in span/a.go: span is pure and uses nothing of math/rand",
		}},
		{"other modules in a pure package", map[string]string{"span/a.go": "package span\nimport \"golang.org/x/text\""},
			[]string{"package span imports golang.org/x/text in span/a.go: span is pure and uses the standard library only"}},
		{"what is common but not pure", map[string]string{"span/a.go": "package span\nimport \"m.org/m/env\""},
			[]string{"package span imports env in span/a.go: no arrow leads from span to env; it may import no other package of the module"}},
		{"a package without a row", map[string]string{"extra/a.go": "package extra", "a.go": "package m", "internal/other/a.go": "package other", "spanner/a.go": "package spanner"},
			[]string{
				"package . has no row in the table of arrows: add a row that says what it may import",
				"package extra has no row in the table of arrows: add a row that says what it may import",
				"package internal/other has no row in the table of arrows: add a row that says what it may import",
				"package spanner has no row in the table of arrows: add a row that says what it may import",
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			packages, err := archtest.Load(tree(t, tt.files))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(archtest.Check("m.org/m", rows, packages), tt.want); d != "" {
				t.Errorf("(-got +want):\n%s", d)
			}
		})
	}
}

func TestCheckTable(t *testing.T) {
	bad := []archtest.Row{{Path: "a", To: []string{"b", "x"}}, {Path: "b", Pure: true, To: []string{"c"}}, {Path: "c", To: []string{"a"}}, {Path: "a"}}
	want := []string{
		"the arrows from a to b lead back to a",
		"the row of a has an arrow to x, which has no row",
		"b is pure but has an arrow to c, which is not",
		"the arrows from c to a lead back to c",
		"the table has two rows for a",
	}
	if d := cmp.Diff(archtest.Check("m", bad, nil), want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

func TestLoadFails(t *testing.T) {
	if _, err := archtest.Load(tree(t, map[string]string{"a/a.go": "not go"})); err == nil {
		t.Error("a file that is not Go was accepted")
	}
	if _, err := archtest.Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder that does not exist was accepted")
	}
}
