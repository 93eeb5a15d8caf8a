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

// TestPaths is row 3: what denies sees the path as asked, where it leads and the
// other names of the file; what allows sees only where it leads.
func TestPaths(t *testing.T) {
	deny := policy(t, permit.Bypass, "deny *(path secret/**)", "deny *(path **/.env)", "deny *(path ~/.ssh)", "deny *(path /etc/*)")
	for name, r := range map[string]permit.Request{
		"itself":                at("read_file", "/w/secret/key"),
		"the folder":            at("list_files", "/w/secret"),
		"below the second root": at("read_file", "/more/secret/key"),
		"not resolved":          {Tool: "read_file", Paths: []string{"secret/key"}},
		"only resolved":         {Tool: "read_file", Resolved: []permit.Resolved{{Literal: "/w/secret/link", Real: "/w/a"}}},
		"relative":              {Tool: "read_file", Paths: []string{"a/../secret/key"}},
		"relative to a folder":  {Tool: "read_file", Paths: []string{"key"}, Cwd: "/w/secret"},
		"a link inside":         link("read_file", "/w/secret/link", "/w/public"),
		"a link to it":          link("read_file", "/w/a", "/w/secret/key"),
		"another name":          link("read_file", "/w/a", "/w/a", "/w/secret/key"),
		"the root of a process": link("read_file", "/proc/self/root/w/secret/key", "/w/secret/key"),
		"case":                  at("read_file", "/w/SECRET/key"),
		"normal form":           at("read_file", "/w/ſecret/key"),
		"no width":              at("read_file", "/w/sec\u200dret/key"),
		"one of two":            {Tool: "move", Paths: []string{"/w/a", "/w/secret/b"}},
		"any depth":             at("read_file", "/w/a/b/.env"),
		"any root":              at("read_file", "/else/.env"),
		"below":                 at("read_file", "/w/.env/x"),
		"home":                  at("read_file", "/home/u/.ssh/id"),
		"absolute":              at("read_file", "/etc/passwd"),
		"in a command":          shell("cat secret/key"),
		"behind an option":      shell("x --file=secret/key"),
		"attached to an option": shell("x -fsecret/key"),
		"behind a colon":        shell("git show HEAD:secret/key"),
		"a redirection":         shell("x <secret/key"),
		"in a shell in a shell": shell("sh -c 'cat <secret/key'"),
		"home in a command":     shell("cat ~/.ssh/id"),
		"quoted in a command":   shell(`cat s"ecr"et/key`),
		"a link in a command":   {Tool: "shell", Command: "cat a", Resolved: []permit.Resolved{{Literal: "/w/a", Real: "/w/secret/key"}}},
		"run in it":             {Tool: "shell", Command: "cat ./key", Cwd: "/w/secret"},
	} {
		if d := deny.Decide(reading(r), permit.Grants{}); d.Action != permit.Deny {
			t.Errorf("%s: %s by %s", name, d.Action, d.Rule)
		}
	}
	for name, r := range map[string]permit.Request{"a name that begins so": at("read_file", "/w/secret2"), "deeper": at("read_file", "/w/a/secret"),
		"no dot": at("read_file", "/w/a/env"), "above": at("read_file", "/w")} {
		if d := deny.Decide(r, permit.Grants{}); d.Action != permit.Allow {
			t.Errorf("%s: %s by %s", name, d.Action, d.Rule)
		}
	}

	allow := policy(t, permit.Default, "allow write_file(path docs/**)")
	for name, c := range map[string]struct {
		r    permit.Request
		want permit.Action
	}{
		"itself":               {at("write_file", "/w/docs/a"), permit.Allow},
		"a link to it":         {link("write_file", "/w/a", "/w/docs/a"), permit.Allow},
		"a link out of it":     {link("write_file", "/w/docs/a", "/w/a"), permit.Ask},
		"not resolved":         {permit.Request{Tool: "write_file", Paths: []string{"/w/docs/a"}}, permit.Ask},
		"another resolved":     {permit.Request{Tool: "write_file", Paths: []string{"/w/docs/a"}, Resolved: at("", "/w/docs/b").Resolved}, permit.Ask},
		"empty resolution":     {link("write_file", "/w/docs/a", ""), permit.Ask},
		"one of two":           {permit.Request{Tool: "write_file", Paths: []string{"/w/docs/a", "/w/b"}, Resolved: append(at("", "/w/docs/a").Resolved, at("", "/w/b").Resolved...)}, permit.Ask},
		"one of two resolved":  {permit.Request{Tool: "write_file", Paths: []string{"/w/docs/a", "/w/b"}, Resolved: at("", "/w/docs/a").Resolved}, permit.Ask},
		"another name outside": {link("write_file", "/w/docs/a", "/w/docs/a", "/w/a"), permit.Ask},
		"unknown names":        {permit.Request{Tool: "write_file", Paths: []string{"/w/docs/a"}, Resolved: []permit.Resolved{{Literal: "/w/docs/a", Real: "/w/docs/a", Elsewhere: true}}}, permit.Ask},
		"no paths":             {permit.Request{Tool: "write_file"}, permit.Ask},
		"case":                 {at("write_file", "/w/DOCS/a"), permit.Ask},
		"another tool":         {at("edit_file", "/w/docs/a"), permit.Ask},
		"dots":                 {at("write_file", "/w/docs/../a"), permit.Ask},
		"a sibling":            {at("write_file", "/w/docs2/a"), permit.Ask},
	} {
		if d := allow.Decide(c.r, permit.Grants{}); d.Action != c.want {
			t.Errorf("allow, %s: %s by %s", name, d.Action, d.Rule)
		}
	}
	edits := policy(t, permit.AcceptEdits)
	for name, r := range map[string]permit.Request{
		"outside":       at("write_file", "/w2/a"),
		"a link out":    link("write_file", "/w/a", "/etc/a"),
		"not resolved":  {Tool: "write_file", Paths: []string{"/w/a"}},
		"unknown names": {Tool: "write_file", Paths: []string{"/w/a"}, Resolved: []permit.Resolved{{Literal: "/w/a", Real: "/w/a", Elsewhere: true}}},
		"an alias out":  link("write_file", "/w/a", "/w/a", "/etc/a"),
	} {
		if d := edits.Decide(r, permit.Grants{}); d.Action != permit.Ask {
			t.Errorf("accept-edits, %s: %s by %s", name, d.Action, d.Rule)
		}
	}
}

// TestProtected is rows 4 and 24: names are protected in every spelling, whether
// the file exists or not, from every mode and rule.
func TestProtected(t *testing.T) {
	p := policy(t, permit.Bypass, "allow *", "allow shell")
	for _, name := range []string{
		".git", ".git/config", ".git/hooks/pre-commit", "sub/.git/config", ".GIT/config", ".gIt/hooks", ".git./config", ".git /config", "git~1/config",
		".g\u200cit/config", ".gi\u0307t/../.git/x", ".git::$INDEX_ALLOCATION/config", ".git:$x/config",
		".proem", ".proem/agent.yaml", ".PROEM/Agent.YAML", ".proem/agents/a.md", ".proem/agents", ".proem/hooks/x", ".proem/agent\u00ad.yaml", ".proem/\u017f/../agent.yaml",
		"\u200b.proem/agent.yaml", ".proem/hoo\u212as/x", ".claude/settings.json", ".cUrSoR/mcp.json", ".gemini/x", ".vscode/settings.json", ".githooks/x", ".husky/x", ".envrc", ".mcp.json",
	} {
		if d := p.Decide(at("write_file", "/w/"+name), permit.Grants{}); d.Action != permit.Ask || !strings.HasPrefix(d.Rule, "protected ") {
			t.Errorf("%q: %s by %s", name, d.Action, d.Rule)
		}
	}
	for _, r := range []permit.Request{
		link("write_file", "/w/a", "/w/.git/config"),
		link("write_file", "/w/a", "/w/a", "/w/.git/config"),
		link("write_file", "/w/.git/a", "/w/a"),
		at("write_file", "/elsewhere/.git/config"),
		shell("rm -rf .git"), shell("echo x > .git/config"), shell("cp a .proem/agent.yaml"), shell("mv .proem x"),
		shell("cd .git && rm config"), shell("sed -i s/a/b/ .claude/settings.json"), shell("tee -a .git/config"), shell("echo x >| .GIT/hooks/a"),
		shell("cat a | tee .git/hooks/a"), shell("echo x >>'.git'/config"), shell("ln -s /etc .proem/hooks"), shell("git --git-dir=.git x"),
		{Tool: "shell", Command: "rm config", Cwd: "/w/.git"},
		{Tool: "shell", Command: "tee a", Resolved: []permit.Resolved{{Literal: "/w/a", Real: "/w/.git/config"}}},
	} {
		if r.Cwd != "" {
			r.Command = "rm ./config"
		}
		if d := p.Decide(r, permit.Grants{}); d.Action != permit.Ask || !strings.HasPrefix(d.Rule, "protected ") {
			t.Errorf("%v %q: %s by %s", r.Paths, r.Command, d.Action, d.Rule)
		}
	}
	for _, name := range []string{"a", ".github/x", ".gitignore", ".proem/memory/a.md", ".proem/AGENTS.md", "agent.yaml", "agents/a.md", "git/config"} {
		if d := p.Decide(at("write_file", "/w/"+name), permit.Grants{}); d.Action != permit.Allow {
			t.Errorf("%q: %s by %s", name, d.Action, d.Rule)
		}
	}
	check(t, p, reading(at("read_file", "/w/.git/config")), "allow: allow *") // nothing is changed

	for i, name := range permit.DefaultProtected() { // each entry is needed
		all := permit.DefaultProtected()
		p, err := permit.New(permit.Config{Mode: permit.Bypass, Roots: []string{"/w"}, Protected: append(all[:i:i], all[i+1:]...)})
		if err != nil {
			t.Fatal(err)
		}
		if d := p.Decide(at("write_file", "/w/"+strings.TrimPrefix(name, "**/")), permit.Grants{}); d.Action != permit.Allow {
			t.Errorf("%s is covered by %s", name, d.Rule)
		}
	}
	own, err := permit.New(permit.Config{Mode: permit.Bypass, Roots: []string{"/w"}, Protected: []string{"conf/main.yaml", "top"}})
	if err != nil {
		t.Fatal(err)
	}
	check(t, own, at("write_file", "/w/conf/main.yaml"), "ask: protected conf/main.yaml")
	check(t, own, at("move", "/w/conf"), "ask: protected conf/main.yaml")
	check(t, own, at("move", "/w/conf/x"), "allow: mode bypass")
	check(t, own, at("list", "/w"), "allow: mode bypass")
	check(t, own, at("write_file", "/w/.git/x"), "allow: mode bypass")
}

// TestCommands is rows 10 to 15: what an allowing rule covers of a command.
func TestCommands(t *testing.T) {
	p := policy(t, permit.Default, "allow shell(ls *)", "allow shell(wc -l)", "allow shell(git log *)", "allow shell(rg *)", "allow shell(echo *)", "allow write_file")
	for command, want := range map[string]permit.Action{
		"ls":                       permit.Allow,
		"ls -la docs":              permit.Allow,
		"ls | wc -l":               permit.Allow,
		"ls && ls; ls || ls\nls":   permit.Allow,
		"ls 2>/dev/null":           permit.Allow,
		"wc -l x":                  permit.Ask,
		"wc":                       permit.Ask,
		"./ls":                     permit.Ask,
		"/bin/ls":                  permit.Ask,
		"LS":                       permit.Ask,
		"lsx":                      permit.Ask,
		"ls && rm x":               permit.Ask,
		"ls;rm x":                  permit.Ask,
		"ls|sh":                    permit.Ask,
		"ls\nrm x":                 permit.Ask,
		"ls\rrm x":                 permit.Ask,
		"ls\x00rm x":               permit.Ask,
		"ls & rm x":                permit.Ask,
		"ls >x":                    permit.Ask,
		"ls $(rm x)":               permit.Ask,
		"ls `rm x`":                permit.Ask,
		"ls$IFS-l":                 permit.Ask,
		"ls <(rm x)":               permit.Ask,
		"(ls)":                     permit.Ask,
		"ls() { rm x; }; ls":       permit.Ask,
		"PAGER=x git log":          permit.Ask,
		"export PAGER=x; git log":  permit.Ask,
		"typeset PAGER=x; git log": permit.Ask,
		"env PAGER=x git log":      permit.Ask,
		"cd x && git log":          permit.Ask,
		"git log --output=x":       permit.Ask,
		"git log --oneline":        permit.Allow,
		"git -c a=b log":           permit.Ask,
		"git --no-pager log":       permit.Ask,
		"rg --pre=x y":             permit.Ask,
		"rg x":                     permit.Allow,
		"echo -- -x":               permit.Ask,
		"write_file":               permit.Ask,
		"ls 'a":                    permit.Ask,
		"":                         permit.Ask,
	} {
		r := shell(command)
		if d := p.Decide(r, permit.Grants{}); d.Action != want {
			t.Errorf("%q: %s by %s: %s", command, d.Action, d.Rule, d.Why)
		}
	}
	r := shell("ls")
	r.Tool = "other"
	check(t, p, r, "ask: mode default")
	for cwd, want := range map[string]string{"": "allow", "/w": "allow", "/w/sub": "allow", "/more": "allow", "/": "ask", "/w2": "ask", "/w/..": "ask", "/w/../w": "allow"} {
		r := shell("ls")
		r.Cwd = cwd // row 5: no root comes from a call
		if d := p.Decide(r, permit.Grants{}); string(d.Action) != want {
			t.Errorf("in %q: %s by %s", cwd, d.Action, d.Rule)
		}
	}
	check(t, policy(t, permit.Default, "allow shell"), shell("env -i x | awk 'y'"), "allow: allow shell")
	check(t, policy(t, permit.Default, "allow shell"), shell("x $y"), "ask: mode default")
	check(t, policy(t, permit.Default, "allow *"), shell("x > y"), "ask: mode default")
	check(t, policy(t, permit.Default, "allow shell(*)"), shell("x y"), "allow: allow shell(*)")
	check(t, policy(t, permit.Default, "allow shell(*)"), shell("env y"), "ask: mode default")
	check(t, policy(t, permit.Default, "allow shell(path /w)"), shell("ls"), "ask: mode default")
	check(t, policy(t, permit.Default, "allow web(command ls)"), permit.Request{Tool: "web"}, "ask: mode default")
	if d := p.Decide(shell("rg --pre=x y"), permit.Grants{}); !strings.Contains(d.Why, "shell(rg *) does not cover it: the option \"--pre=x\"") {
		t.Error(d.Why)
	}
}

// TestForbidden checks that a denying rule finds its command wherever it stands.
func TestForbidden(t *testing.T) {
	p := policy(t, permit.Bypass, "deny shell(rm *)", "deny shell(git push)", "deny shell(npm publish --force)")
	for command, want := range map[string]permit.Action{
		"rm":                           permit.Deny,
		"rm -rf x":                     permit.Deny,
		"/bin/rm x":                    permit.Deny,
		"RM x":                         permit.Deny,
		`\rm x`:                        permit.Deny,
		`r"m" x`:                       permit.Deny,
		"ls; rm x":                     permit.Deny,
		"ls $(rm x)":                   permit.Deny,
		"f() { rm x; }; f":             permit.Deny,
		"sudo -u a rm x":               permit.Deny,
		"env A=1 rm x":                 permit.Deny,
		"xargs rm":                     permit.Deny,
		"find . -exec rm {} +":         permit.Deny,
		"bash -c 'ls; rm x'":           permit.Deny,
		"bash -c 'sh -c \"rm x\"'":     permit.Deny,
		"A=1 rm x":                     permit.Deny,
		"if true; then rm x; fi":       permit.Deny,
		"rm >x":                        permit.Deny,
		"git push":                     permit.Deny,
		"git push origin":              permit.Deny,
		"git -C x push":                permit.Deny,
		"git -c a=b --no-pager push":   permit.Deny,
		"git $x":                       permit.Deny,
		"git -C $x y":                  permit.Deny,
		"npm --silent publish --force": permit.Deny,
		"npm publish -x --force":       permit.Deny,
		"npm publish":                  permit.Allow,
		"git commit -m push":           permit.Allow,
		"git log push":                 permit.Allow,
		"echo rm":                      permit.Allow,
		"rmdir x":                      permit.Allow,
		"$x y":                         permit.Ask,
		"r$x y":                        permit.Ask,
		"echo x | sh":                  permit.Ask,
		"ls 'a":                        permit.Ask,
		"rg x\rrm":                     permit.Ask,
	} {
		if d := p.Decide(shell(command), permit.Grants{}); d.Action != want {
			t.Errorf("%q: %s by %s", command, d.Action, d.Rule)
		}
	}
	check(t, policy(t, permit.Bypass, "deny shell(*)"), shell("x y"), "deny: deny shell(*)")
	check(t, policy(t, permit.Bypass, "deny shell(*)"), permit.Request{Tool: "shell"}, "allow: mode bypass")
	many := "git " + strings.Repeat("-a b -c ", 300) + "x" // not exponential
	if d := p.Decide(shell(many), permit.Grants{}); d.Action != permit.Allow {
		t.Errorf("%s by %s", d.Action, d.Rule)
	}
	check(t, policy(t, permit.Bypass, "deny web"), shell("$x"), "allow: mode bypass")
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
