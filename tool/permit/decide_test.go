package permit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/tool/permit/plain"
)

// policy makes a policy below /w from rules such as "deny shell(rm *)".
func policy(t testing.TB, mode permit.Mode, rules ...string) *permit.Policy {
	t.Helper()
	c := permit.Config{Mode: mode, Roots: []string{"/w", "/more"}, Home: "/home/u"}
	for _, s := range rules {
		action, text, _ := strings.Cut(s, " ")
		r, err := permit.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Action = permit.Action(action)
		c.Rules = append(c.Rules, r)
	}
	p, err := permit.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func shell(command string) permit.Request { return permit.Request{Tool: "shell", Command: command} }

// at is a call that works on a path without links.
func at(tool, path string) permit.Request {
	return permit.Request{Tool: tool, Paths: []string{path}, Resolved: []permit.Resolved{{Literal: path, Real: path}}}
}

// link is a call that works on a path that leads elsewhere.
func link(tool, path, real string, aliases ...string) permit.Request {
	return permit.Request{Tool: tool, Paths: []string{path}, Resolved: []permit.Resolved{{Literal: path, Real: real, Aliases: aliases}}}
}

func reading(r permit.Request) permit.Request { r.ReadOnly = true; return r }

// check compares "action: rule".
func check(t *testing.T, p *permit.Policy, r permit.Request, want string) {
	t.Helper()
	d := p.Decide(r, permit.Grants{})
	if diff := cmp.Diff(string(d.Action)+": "+d.Rule, want); diff != "" {
		t.Errorf("%s %q %v: %s (%s)", r.Tool, r.Command, r.Paths, diff, d.Why)
	}
	if d.Why == "" || d.Action != permit.Allow && d.Model == "" || (d.Action == permit.Ask) != (d.Asked != nil) {
		t.Errorf("%s: incomplete: %+v", r.Tool, d)
	}
}

func TestModes(t *testing.T) {
	calls := []permit.Request{reading(at("read_file", "/w/a")), at("write_file", "/w/a"), at("write_file", "/else/a"), shell("ls"),
		shell("ls | $x"), {Tool: "web"}, at("write_file", "/w/.git/config"), reading(shell("ls"))}
	for mode, want := range map[permit.Mode]string{
		"":                 "allow ask ask ask ask ask ask ask",
		permit.Plan:        "allow deny deny deny deny deny deny deny",
		permit.Default:     "allow ask ask ask ask ask ask ask",
		permit.AcceptEdits: "allow allow ask ask ask ask ask ask",
		permit.Bypass:      "allow allow allow allow allow allow ask allow",
	} {
		var got []string
		for _, r := range calls {
			got = append(got, string(policy(t, mode).Decide(r, permit.Grants{}).Action))
		}
		if d := cmp.Diff(strings.Join(got, " "), want); d != "" {
			t.Errorf("%s: %s", mode, d)
		}
	}
}

// TestOrder has one row for each step of the order: without the step another
// decides.
func TestOrder(t *testing.T) {
	p := policy(t, permit.Default, "allow write_file", "ask write_file(path a/**)", "deny write_file(path a/b/**)", "deny shell(rm *)",
		"ask shell(git push)", "allow shell", "deny write_file(path .git/no)", "deny write_file(path a/b/c)")
	check(t, p, at("write_file", "/w/x"), "allow: allow write_file")
	check(t, p, at("write_file", "/w/a/x"), "ask: ask write_file(path a/**)")
	check(t, p, at("write_file", "/w/a/b/x"), "deny: deny write_file(path a/b/**)")
	check(t, p, at("write_file", "/w/a/b/c"), "deny: deny write_file(path a/b/**)") // the first
	check(t, p, at("write_file", "/w/.git/x"), "ask: protected **/.git")
	check(t, p, at("write_file", "/w/.git/no"), "deny: deny write_file(path .git/no)") // deny wins
	check(t, p, shell("ls && rm x"), "deny: deny shell(rm *)")
	check(t, p, shell("ls && git push"), "ask: ask shell(git push)")
	check(t, p, shell("ls && git pull"), "allow: allow shell")
	check(t, policy(t, permit.Plan, "allow *", "allow shell(ls)"), shell("ls"), "deny: mode plan")
	check(t, policy(t, permit.Plan, "ask read_file"), reading(at("read_file", "/w/a")), "ask: ask read_file")
	check(t, policy(t, permit.Plan, "deny read_file"), reading(at("read_file", "/w/a")), "deny: deny read_file")
	check(t, policy(t, permit.Bypass, "ask web"), permit.Request{Tool: "web"}, "ask: ask web")
	check(t, policy(t, permit.Bypass, "deny *"), permit.Request{Tool: "web"}, "deny: deny *")
}

// TestBudget is row 16 and S9: what exceeds a limit is denied in every mode, also
// if everything is allowed.
func TestBudget(t *testing.T) {
	c := permit.Config{Mode: permit.Bypass, Roots: []string{"/w"}, Rules: []permit.Rule{{Action: "allow", Tool: "*"}}}
	for name, set := range map[string]struct {
		limits plain.Limits
		paths  int
		r      permit.Request
	}{
		"parts":    {r: shell(strings.Repeat("true;", 50) + "rm x")},
		"bytes":    {r: shell("echo " + strings.Repeat("a", plain.MaxBytes))},
		"words":    {limits: plain.Limits{Words: 3}, r: shell("a b c d")},
		"nesting":  {limits: plain.Limits{Nesting: 2}, r: shell("a $(b $(c $(d)))")},
		"paths":    {paths: 2, r: permit.Request{Tool: "x", Paths: []string{"a", "b", "c"}}},
		"mentions": {paths: 2, r: shell("x a b c")},
		"unsure":   {r: permit.Request{Tool: "x", Unsure: "too many links"}},
	} {
		c.Limits, c.MaxPaths = set.limits, set.paths
		p, err := permit.New(c)
		if err != nil {
			t.Fatal(err)
		}
		if d := p.Decide(set.r, permit.Grants{}); d.Action != permit.Deny || d.Rule != "limit" {
			t.Errorf("%s: %s by %s: %s", name, d.Action, d.Rule, d.Why)
		}
	}
	check(t, policy(t, permit.Bypass), shell(strings.Repeat("true;", 50)), "allow: mode bypass")
}

// TestWhy checks what a person is told where no rule decides.
func TestWhy(t *testing.T) {
	p := policy(t, permit.Default, "allow shell(x *)")
	away := shell("ls")
	away.Cwd = "/"
	for want, r := range map[string]permit.Request{
		"it may change files":     at("write_file", "/w/a"),
		"it may change something": {Tool: "web"},
		"it is a command":         shell("ls"),
		"the command is not made of plain words: it holds a variable": shell("ls $x"),
		"the command runs outside of the project":                     away,
	} {
		d := p.Decide(r, permit.Grants{})
		if diff := cmp.Diff([]string{d.Why, d.Asked.Why, d.Model}, []string{want, want, "Waiting for the consent of a person: " + want + "."}); diff != "" {
			t.Error(diff)
		}
	}
	p = policy(t, permit.Default, "deny web")
	if d := p.Decide(permit.Request{Tool: "web"}, permit.Grants{}); !strings.HasPrefix(d.Model, "Not run: a rule denies it: web. Do not try another way") {
		t.Error(d.Model)
	}
}

// A search is told which files a rule asks about.
func TestAsks(t *testing.T) {
	p := policy(t, permit.Default, "ask *(path secret/**)", "deny grep(path no)")
	for path, want := range map[string]bool{"/w/secret/x": true, "/w/SECRET": true, "/w/a": false, "/w/no": false} {
		if got := p.Asks("grep", permit.Resolved{Literal: path}); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

func TestDenies(t *testing.T) {
	p := policy(t, permit.Default, "deny grep(path secret/**)", "allow *")
	for want, at := range map[bool]permit.Resolved{true: {Literal: "/w/a", Real: "/w/Secret/x"}, false: {Literal: "/w/a"}} {
		if got := p.Denies("grep", at); got != want {
			t.Errorf("%+v: %v", at, got)
		}
	}
	if !p.Denies("grep", permit.Resolved{Aliases: []string{"/w/secret/x"}}) || p.Denies("glob", permit.Resolved{Literal: "/w/secret/x"}) {
		t.Error("aliases or tools")
	}
}

func BenchmarkDecide(b *testing.B) {
	rules := []string{"deny *(path **/.env)", "deny shell(rm *)", "deny shell(git push *)", "ask shell(git commit *)", "allow shell(go *)", "allow shell(git log *)", "allow write_file(path docs/**)"}
	for i := range 50 {
		rules = append(rules, fmt.Sprintf("deny *(path secret%d/**)", i))
	}
	p := policy(b, permit.Default, rules...)
	for name, r := range map[string]permit.Request{
		"read": reading(at("read_file", "/w/docs/a/b/c.md")), "write": at("write_file", "/w/docs/a.md"),
		"command": shell("go vet ./... && go test ./... 2>&1 | git log -n3 -- docs"), "long": shell("go test " + strings.Repeat("./some/package/path ", 400)),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Decide(r, permit.Grants{})
			}
		})
	}
}
