package permit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/tool/permit"
)

func TestParseRule(t *testing.T) {
	for text, want := range map[string]permit.Rule{
		"read_file":                         {Tool: "read_file"},
		"*":                                 {Tool: "*"},
		" shell ":                           {Tool: "shell"},
		"write_file(path docs/**)":          {Tool: "write_file", Path: "docs/**"},
		"*(path **/.env)":                   {Tool: "*", Path: "**/.env"},
		"x(path a (1)/b c)":                 {Tool: "x", Path: "a (1)/b c"},
		"shell(path docs/*)":                {Tool: "shell", Path: "docs/*"},
		"shell(git status)":                 {Tool: "shell", Command: []string{"git", "status"}},
		"shell(go test *)":                  {Tool: "shell", Command: []string{"go", "test", "*"}},
		"shell(*)":                          {Tool: "shell", Command: []string{"*"}},
		`shell(echo 'a b' "c'\"d" e\ f "")`: {Tool: "shell", Command: []string{"echo", "a b", `c'"d`, "e f", ""}},
		"shell(find . -name '*.go')":        {Tool: "shell", Command: []string{"find", ".", "-name", "*.go"}},
		"shell(command path x)":             {Tool: "shell", Command: []string{"path", "x"}},
		"run(command ls *)":                 {Tool: "run", Command: []string{"ls", "*"}},
		"*(command rm *)":                   {Tool: "*", Command: []string{"rm", "*"}},
	} {
		got, err := permit.ParseRule(text)
		if d := cmp.Diff(got, want); d != "" || err != nil {
			t.Errorf("%q: %v %s", text, err, d)
		}
		again, err := permit.ParseRule(got.String())
		if d := cmp.Diff(again, want); d != "" || err != nil {
			t.Errorf("%q, written as %q: %v %s", text, got.String(), err, d)
		}
	}
}

func TestParseRuleErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "the name of the tool is missing",
		"(ls)":                "the name of the tool is missing",
		"a b":                 `"a b" is no name of a tool`,
		"read_*":              `"read_*" is no name of a tool`,
		"shell(ls":            "the last character must be the closing parenthesis",
		"shell(ls) x":         "the last character must be the closing parenthesis",
		"shell()":             "the parentheses are empty; to mean every call write shell",
		"write_file(docs/**)": "only shell takes words; for paths write write_file(path docs/**)",
		"x(path )":            "path needs a glob",
		"x(path ../a)":        `the glob holds ".."`,
		"x(path a/./b)":       `the glob holds "."`,
		"x(path a[)":          `the glob is malformed at "a["`,
		"x(path a**/b)":       "** stands alone between slashes",
		"x(path a.{b,c})":     "braces mean nothing in a glob",
		"shell(git * push)":   "* stands for all further words and must be the last one",
		"shell(ls *.go)":      `"*.go": a star is a word of its own`,
		"shell(ls '*')":       "a word that is only a star cannot be meant literally",
		"shell(ls 'a)":        "a quote or a backslash is not completed",
		`shell(ls a\)`:        "a quote or a backslash is not completed",
		"shell(command )":     "the words of the command are missing",
		"shell(a\rb)":         "a word holds a character that no command can hold",
	} {
		_, err := permit.ParseRule(text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "rule ") {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestNewErrors(t *testing.T) {
	for name, c := range map[string]struct {
		config permit.Config
		want   string
	}{
		"mode":     {permit.Config{Mode: "yolo"}, `there is no mode "yolo"`},
		"root":     {permit.Config{Roots: []string{"w"}}, `the root "w" is not absolute`},
		"action":   {permit.Config{Rules: []permit.Rule{{Tool: "x"}}}, `permission 1,  x: the action "" is not allow, ask or deny`},
		"tool":     {permit.Config{Rules: []permit.Rule{{Action: "deny"}}}, "the name of the tool is missing"},
		"both":     {permit.Config{Rules: []permit.Rule{{Action: "deny", Tool: "x", Path: "a", Command: []string{"b"}}}}, "a path or a command, not both"},
		"empty":    {permit.Config{Rules: []permit.Rule{{Action: "deny", Tool: "x", Command: []string{}}}}, "the words of the command are missing"},
		"star":     {permit.Config{Rules: []permit.Rule{{Action: "deny", Tool: "x", Command: []string{"git", "*", "push"}}}}, "must be the last one"},
		"home":     {permit.Config{Rules: []permit.Rule{{Action: "deny", Tool: "x", Path: "~/.ssh"}}}, "no home is known"},
		"glob":     {permit.Config{Rules: []permit.Rule{{Action: "allow", Tool: "x", Path: "a["}}}, "malformed"},
		"useless":  {permit.Config{Rules: []permit.Rule{{Action: "allow", Tool: "shell", Command: []string{"env", "*"}}}}, "env runs what its arguments say"},
		"protects": {permit.Config{Protected: []string{"a/../b"}}, `protected name "a/../b"`},
	} {
		if _, err := permit.New(c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// FuzzParseRule checks that a rule that can be read is written so that it is read
// again as the same.
func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"x", "x(path a/**)", "shell(git 'a b' *)", "shell(command path x)", `shell("\"'" \ )`, "x(command '')"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := permit.ParseRule(s)
		if err != nil {
			return
		}
		again, err := permit.ParseRule(r.String())
		if d := cmp.Diff(again, r); err != nil || d != "" {
			t.Errorf("%q is written as %q: %v %s", s, r.String(), err, d)
		}
	})
}
