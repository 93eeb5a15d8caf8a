package permit_test

import (
	"strings"
	"testing"

	"github.com/proemhq/proem/tool/permit"
)

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
		".proem", ".proem/agent.yaml", ".PROEM/Agent.YAML", ".proem/agents/a.md", ".proem/agents", ".proem/hooks/x", ".proem/subagents/a.md", ".proem/agent\u00ad.yaml", ".proem/\u017f/../agent.yaml",
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
