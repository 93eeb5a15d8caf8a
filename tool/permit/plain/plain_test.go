package plain_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/tool/permit/plain"
)

func parse(t *testing.T, command string) plain.Script {
	t.Helper()
	s, err := plain.Parse(command, plain.Limits{})
	if err != nil {
		t.Fatalf("%q: %v", command, err)
	}
	return s
}

func TestPlain(t *testing.T) {
	for _, c := range []struct {
		command string
		want    [][]string
	}{
		{"ls", [][]string{{"ls"}}},
		{"ls -la  docs/", [][]string{{"ls", "-la", "docs/"}}},
		{"go vet ./... && go test ./...", [][]string{{"go", "vet", "./..."}, {"go", "test", "./..."}}},
		{`git commit -m "a  b" -m 'c $d'`, [][]string{{"git", "commit", "-m", "a  b", "-m", "c $d"}}},
		{`p a\ b \$HOME \~ "\$x" "a\b" ''`, [][]string{{"p", "a b", "$HOME", "~", "$x", `a\b`, ""}}},
		{"git diff HEAD~2 HEAD^ a#b x=y :/ @ user@host +1 50%", [][]string{{"git", "diff", "HEAD~2", "HEAD^", "a#b", "x=y", ":/", "@", "user@host", "+1", "50%"}}},
		{"cat größe.txt 文件", [][]string{{"cat", "größe.txt", "文件"}}},
		{`l's' "a"'b'c`, [][]string{{"ls", "abc"}}},
		{"git log -- 'a\nb'", [][]string{{"git", "log", "--", "a\nb"}}},
		{"/usr/bin/g++ -v", [][]string{{"/usr/bin/g++", "-v"}}},
	} {
		got, ok := plain.Plain(c.command)
		if d := cmp.Diff(got, c.want); d != "" || !ok {
			t.Errorf("%q: %v %s", c.command, ok, d)
		}
	}
}

func TestListButNotArgv(t *testing.T) {
	for command, quoted := range map[string]string{
		"ls | wc -l":                     "'ls' | 'wc' '-l'",
		"a || b; c":                      "'a' || 'b' ; 'c'",
		"a\nb":                           "'a' ; 'b'",
		"go build ./... 2>/dev/null":     "'go' 'build' './...' 2>/dev/null",
		"make 2>&1 | tail -5":            "'make' 2>&1 | 'tail' '-5'",
		"cat </dev/null >>/dev/null":     "'cat' </dev/null >>/dev/null",
		"x &>/dev/null":                  "",
		"cd sub && ls":                   "'cd' 'sub' && 'ls'",
		`echo "it's" | cat`:              `'echo' 'it'\''s' | 'cat'`,
		"a && b || c":                    "'a' && 'b' || 'c'",
		"export A && b":                  "",
		"a 2>&1 >/dev/null && b | c | d": "'a' 2>&1 >/dev/null && 'b' | 'c' | 'd'",
	} {
		s := parse(t, command)
		if argv, ok := s.Argv(); ok {
			t.Errorf("%q can be executed as %v", command, argv)
		}
		if d := cmp.Diff(s.Quoted(), quoted); d != "" {
			t.Errorf("%q: %s (%s)", command, d, s.Reason)
		}
	}
}

func TestNotPlain(t *testing.T) {
	for command, reason := range map[string]string{
		"":                       "it is empty",
		"  ":                     "it is empty",
		"ls $(rm x)":             "it holds a command substitution",
		"ls `rm x`":              "it holds a command substitution",
		"ls \"$(rm x)\"":         "it holds a command substitution",
		"ls $HOME":               "it holds a variable",
		"ls${IFS}-l":             "it holds a variable",
		"ls \"$x\"":              "it holds a variable",
		"ls \"a$\"":              "it holds an unquoted $",
		"ls a$":                  "it holds an unquoted $",
		"ls $((1))":              "it holds arithmetic",
		"ls $'a'":                "it holds a quoted text that a shell decodes",
		"ls $\"a\"":              "it holds a quoted text that a shell translates",
		"ls <(x)":                "it holds a process substitution",
		"ls >x":                  "it redirects to or from something other than /dev/null",
		"ls >|x":                 "it redirects to or from something other than /dev/null",
		"ls >/dev/null/../x":     "it redirects to or from something other than /dev/null",
		"ls >/dev/tcp/a/1":       "it redirects to or from something other than /dev/null",
		"ls 3>/dev/null":         "it redirects to or from something other than /dev/null",
		"ls {f}>/dev/null":       "it redirects to or from something other than /dev/null",
		"ls >&x":                 "it redirects to or from something other than /dev/null",
		"ls >&3":                 "it redirects to or from something other than /dev/null",
		"ls <>/dev/null":         "it redirects to or from something other than /dev/null",
		"ls &>>/dev/null":        "it redirects to or from something other than /dev/null",
		"ls <x":                  "it redirects to or from something other than /dev/null",
		"ls <<E\nx\nE":           "it redirects to or from something other than /dev/null",
		"ls <<<x":                "it redirects to or from something other than /dev/null",
		"ls>/dev/null":           "there is no blank before a redirection",
		"ls 2>&1>/dev/null":      "there is no blank before a redirection",
		">/dev/null":             "it redirects without a program",
		"ls &":                   "a part runs in the background",
		"ls & rm x":              "a part runs in the background",
		"! ls":                   "a result is negated",
		"ls |& wc":               "it holds the operator |&",
		"A=1 ls":                 "it sets a variable",
		"PAGER=x git log":        "it sets a variable",
		"A=1":                    "it sets a variable",
		"export A=1":             "it holds a declaration",
		"typeset A":              "it holds a declaration",
		"(ls)":                   "it holds a group",
		"{ ls; }":                "it holds a group",
		"f() { ls; }":            "it holds a function",
		"if a; then b; fi":       "it holds a control structure",
		"for x in a; do b; done": "it holds a control structure",
		"[[ a ]]":                "it holds a control structure",
		"((1))":                  "it holds arithmetic",
		"let a=1":                "it holds arithmetic",
		"time ls":                "it holds a measurement of time",
		"coproc ls":              "it holds a control structure",
		"ls *":                   "it holds an unquoted *",
		"ls a?":                  "it holds an unquoted ?",
		"ls [a]":                 "it holds an unquoted [",
		"ls @(a)":                "it holds a glob",
		"ls {a,b}":               "it holds an unquoted {",
		"ls a{1..2}":             "it holds an unquoted {",
		"ls ~":                   "it holds an unquoted ~",
		"ls a=~/x":               "it holds an unquoted ~",
		"ls a:~":                 "it holds an unquoted ~",
		"ls ''~":                 "it holds an unquoted ~",
		"ls !x":                  "it holds an unquoted !",
		"ls \"!x\"":              "it holds an unquoted !",
		"^a^b":                   "it holds an unquoted ^",
		"ls ^x":                  "it holds an unquoted ^",
		"ls =ls":                 "a word starts with =",
		"ls ''=ls":               "a word starts with =",
		"=ls":                    "a word starts with =",
		"ls # x":                 "it holds a comment",
		"# x\nls":                "it holds a comment",
		"ls\n# x":                "it holds a comment",
		"ls \\\nx":               "a line is continued by a backslash",
		"'a\\\nb'":               "a line is continued by a backslash",
		"ls\rx":                  "it holds a carriage return",
		"ls '\r'":                "it holds a carriage return",
		"ls\r\nrm x":             "it holds a carriage return",
		"ls\x00x":                "it holds a NUL character",
		"ls '\x1b[2K'":           "it holds a control character",
		"ls \x7f":                "it holds a control character",
		"ls \xff":                "it is not valid UTF-8",
		"ls a\u00a0b":            "it holds an unquoted invisible character",
		"ls a\u200bb":            "it holds an unquoted invisible character",
		"ls \\é":                 "it holds an unusual character behind a backslash",
		"ls 'a":                  "it cannot be parsed",
		"ls )":                   "it cannot be parsed",
		"then":                   "it cannot be parsed",
		"'if' x":                 "its program has an unusual name",
		"'' x":                   "its program has an unusual name",
		"'a b' x":                "its program has an unusual name",
		"'a=b' x":                "its program has an unusual name",
		"-x":                     "its program has an unusual name",
		"%1":                     "its program has an unusual name",
		"+x":                     "its program has an unusual name",
		"ö":                      "its program has an unusual name",
		"ls %(a)":                "it cannot be parsed",
		"ls *(e:'x':)":           "it holds a glob",
		"ls <->":                 "it cannot be parsed",
	} {
		s := parse(t, command)
		if d := cmp.Diff(s.Reason, reason); d != "" {
			t.Errorf("%q: %s", command, d)
		}
		if _, ok := plain.Plain(command); ok || s.List != nil || s.Quoted() != "" {
			t.Errorf("%q is a plain list", command)
		}
	}
}

// names returns the programs of a command, in order.
func names(s plain.Script) string {
	var out []string
	for _, c := range s.All {
		out = append(out, strings.Join(c.Args(), " "))
	}
	return strings.Join(out, "|")
}

func TestAll(t *testing.T) {
	for _, c := range []struct {
		command, want string
		hidden        bool
	}{
		{"a && b; c | d & e", "a|b|c|d|e", false},
		{"a $(b `c`) \"$(d)\" <(e)", "a * * *|b *|c|d|e", false},
		{"f() { rm x; }; f", "rm x|f", false},
		{"if a; then b; else c; fi; while d; do e; done", "a|b|c|d|e", false},
		{"A=$(b) export C=$(d)", "export C=*|b|d", false},
		{"cat <<E\n$(rm x)\nE", "cat|rm x", false},
		{"sudo -u root rm x", "sudo -u root rm x|root rm x|rm x", false},
		{"env A=1 rm x", "env A=1 rm x|rm x", false},
		{"timeout 5 nice -n 3 rm x", "timeout 5 nice -n 3 rm x|5 nice -n 3 rm x|nice -n 3 rm x|3 rm x|rm x", false},
		{"xargs -n1 rm", "xargs -n1 rm|rm", false},
		{"command rm x", "command rm x|rm x", false},
		{"sh -c 'rm x; cat y'", "sh -c rm x; cat y|rm x|cat y", false},
		{"/bin/bash -c \"rm x\"", "/bin/bash -c rm x|rm x", false},
		{"eval r'm' x", "eval rm x|rm|x|rm x", false},
		{"sudo sh -c 'env rm x'", "sudo sh -c env rm x|sh -c env rm x|env rm x|rm x", false},
		{"env -S 'rm x'", "env -S rm x|rm x|rm x", false},
		{"env '-Srm x'", "env -Srm x|rm x", false},
		{"env --split-string='rm x'", "env --split-string=rm x|rm x", false},
		{"flock lock rm x", "flock lock rm x|lock rm x|rm x", false},
		{"find . -exec rm {} +", "find . -exec rm {} +|rm {} +", false},
		{"fd a -x rm", "fd a -x rm|rm", false},
		{"bash <<E\nrm x\nE", "rm x|bash", true},
		{"bash <<<'rm x'", "rm x|bash", true},
		{"trap 'rm x' EXIT", "trap rm x EXIT|rm x|EXIT|rm x EXIT", false},
		{"$x y", "* y", true},
		{"r$x y", "r* y", true},
		{"echo a | sh", "echo a|sh", true},
		{"sh -c \"$x\"", "sh -c *|*", true},
		{"sh -c 'a'\"$x\"", "sh -c a*|a*", true},
		{"ls 'a", "", true},
		{"ls\r\nrm x", "ls|rm x", true},
	} {
		s := parse(t, c.command)
		if d := cmp.Diff(names(s), c.want); d != "" || s.Hidden != c.hidden {
			t.Errorf("%q: hidden %v %s", c.command, s.Hidden, d)
		}
	}
}

func TestTargets(t *testing.T) {
	s := parse(t, "a >x 2>>'y z' <$w; b &>v")
	want := []plain.Word{{Text: "x", Known: true}, {Text: "y z", Known: true}, {Text: "*"}, {Text: "v", Known: true}}
	if d := cmp.Diff(s.Targets, want); d != "" {
		t.Error(d)
	}
}

// TestBudget goes over each limit, and up to it.
func TestBudget(t *testing.T) {
	list := func(n int) string { return strings.Repeat("a;", n-1) + "a" }
	for name, c := range map[string]struct {
		command string
		limits  plain.Limits
		over    bool
	}{
		"bytes":            {"abc", plain.Limits{Bytes: 2}, true},
		"bytes up to":      {"abc", plain.Limits{Bytes: 3}, false},
		"bytes default":    {strings.Repeat("a", plain.MaxBytes+1), plain.Limits{}, true},
		"parts":            {list(51), plain.Limits{}, true},
		"parts up to":      {list(50), plain.Limits{}, false},
		"parts inside":     {"x $(" + list(50) + ")", plain.Limits{}, true},
		"words":            {strings.Repeat("a ", 11), plain.Limits{Words: 10}, true},
		"words up to":      {strings.Repeat("a ", 10), plain.Limits{Words: 10}, false},
		"words of a shell": {"sh -c '" + strings.Repeat("a ", 9) + "'", plain.Limits{Words: 10}, true},
		"words of eval":    {"eval " + strings.Repeat("'a b c d e f g h' ", 400), plain.Limits{}, true},
		"brackets":         {strings.Repeat("(", 41) + "a" + strings.Repeat(")", 41), plain.Limits{}, true},
		"substitutions":    {strings.Repeat("$(", 41) + "a" + strings.Repeat(")", 41), plain.Limits{}, true},
		"braces":           {strings.Repeat("{ ", 41), plain.Limits{}, true},
		"backquotes":       {strings.Repeat("`", 82), plain.Limits{}, true},
		"wrappers":         {strings.Repeat("sudo ", 41) + "a", plain.Limits{}, true},
		"wrappers up to":   {strings.Repeat("sudo ", 30) + "a", plain.Limits{}, false},
		"blocks":           {strings.Repeat("if a; then ", 400) + "b" + strings.Repeat("; fi", 400), plain.Limits{Commands: 5000}, true},
		"negations":        {strings.Repeat("while ", 2000), plain.Limits{}, false}, // does not parse
	} {
		_, err := plain.Parse(c.command, c.limits)
		if errors.Is(err, plain.ErrBudget) != c.over {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for name, command := range map[string]string{
		"typical": "go test ./... 2>&1 | tail -20",
		"long":    strings.Repeat("git log --oneline -n 3 -- docs/a.md && ", 40) + "true",
		"hostile": strings.Repeat("((", 19) + strings.Repeat("a$(", 1) + strings.Repeat("[ ", 1),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := plain.Parse(command, plain.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
