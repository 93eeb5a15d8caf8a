package permit_test

import (
	"strings"
	"testing"

	"github.com/proemhq/proem/tool/permit"
)

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
		"uv run rm x":                  permit.Deny,
		"uv -q run --frozen rm x":      permit.Deny,
		"npm exec -- rm x":             permit.Deny,
		"docker exec -it box rm x":     permit.Deny,
		"kubectl exec pod -- rm x":     permit.Deny,
		"uv run pytest":                permit.Allow,
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
