package permit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/tool/permit"
)

// asked returns the question to a call, through JSON as a store keeps it.
func asked(t *testing.T, p *permit.Policy, r permit.Request) permit.Question {
	t.Helper()
	d := p.Decide(r, permit.Grants{})
	if d.Action != permit.Ask {
		t.Fatalf("%s by %s", d.Action, d.Rule)
	}
	data, err := json.Marshal(d.Asked)
	if err != nil {
		t.Fatal(err)
	}
	var q permit.Question
	if err := json.Unmarshal(data, &q); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(q, *d.Asked); d != "" {
		t.Fatal(d)
	}
	return q
}

func TestQuestion(t *testing.T) {
	p := policy(t, permit.Default, "allow shell(ls *)", "ask shell(git push *)")
	type want struct{ rules, wider []string }
	for _, c := range []struct {
		r permit.Request
		want
	}{
		{shell("go test ./..."), want{[]string{"shell(go test ./...)"}, []string{"shell(go test *)"}}},
		{shell("make"), want{[]string{"shell(make)"}, []string{"shell(make *)"}}},
		{shell("ls && make all && ls"), want{[]string{"shell(make all)"}, []string{"shell(make all *)"}}},
		{shell("a 'b c' && a 'b c'"), want{[]string{"shell(a 'b c')"}, []string{"shell(a *)"}}},
		{shell("env x"), want{[]string{"shell(env x)"}, nil}},
		{shell("rg --pre=x y"), want{[]string{"shell(rg --pre=x y)"}, nil}},
		{shell("git config a b"), want{[]string{"shell(git config a b)"}, []string{"shell(git config *)"}}},
		{shell("echo '*'"), want{nil, []string{"shell(echo *)"}}},
		{shell("ls $x"), want{}},
		{shell("uv run pytest"), want{[]string{"shell(uv run pytest)"}, nil}},
		{shell("go run ./cmd/x"), want{[]string{"shell(go run ./cmd/x)"}, nil}},
		{shell("npm run test"), want{[]string{"shell(npm run test)"}, []string{"shell(npm run *)"}}},
		{shell("git push"), want{}},
		{at("write_file", "/w/a"), want{[]string{"write_file(path a)"}, nil}},
		{link("write_file", "/w/a", "/w/a", "/w/b"), want{}}, // its name alone would allow far more
		{shell("tee .git/x"), want{}},
		{permit.Request{Tool: "shell", Command: "make", Cwd: "/"}, want{}},
		{at("write_file", "/w/docs/a"), want{[]string{"write_file(path docs/a)"}, nil}},
		{at("write_file", "/w/docs/[a]*"), want{[]string{`write_file(path docs/\[a]\*)`}, nil}},
		{at("write_file", "/more/a"), want{[]string{"write_file(path /more/a)"}, nil}},
		{link("write_file", "/w/a", "/etc/b"), want{[]string{"write_file(path /etc/b)"}, nil}},
		{permit.Request{Tool: "move", Paths: []string{"/w/a", "/w/b"}, Resolved: append(at("", "/w/a").Resolved, at("", "/w/b").Resolved...)}, want{[]string{"move"}, nil}},
		{permit.Request{Tool: "write_file", Paths: []string{"/w/a"}}, want{}},
		{permit.Request{Tool: "web"}, want{[]string{"web"}, nil}},
	} {
		q := asked(t, p, c.r)
		if d := cmp.Diff(want{q.Rules, q.Wider}, c.want, cmp.AllowUnexported(want{})); d != "" {
			t.Errorf("%q %v: %s", c.r.Command, c.r.Paths, d)
		}
		for _, rules := range [][]string{q.Rules, q.Wider} {
			if len(rules) == 0 {
				continue
			}
			g, err := permit.Grants{}.With(q, permit.Answer{Digest: q.Digest, Verdict: permit.Session, Rules: rules})
			if d := p.Decide(c.r, g); err != nil || d.Action != permit.Allow {
				t.Errorf("%q with %q: %v %s by %s", c.r.Command, rules, err, d.Action, d.Rule)
			}
		}
	}
	// Row 9: what is shown is where a path leads.
	if d := cmp.Diff(asked(t, p, link("write_file", "/w/a", "/etc/b")).Targets, []permit.Target{{Asked: "/w/a", Real: "/etc/b"}}); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(asked(t, p, permit.Request{Tool: "x", Paths: []string{"a"}}).Targets, []permit.Target{{Asked: "a"}}); d != "" {
		t.Error(d)
	}
	// Of a command only what leads elsewhere is worth a line.
	r := shell("cat a b")
	r.Resolved = []permit.Resolved{{Literal: "/w/a", Real: "/w/a"}, {Literal: "/w/b", Real: "/etc/b"}}
	if d := cmp.Diff(asked(t, p, r).Targets, []permit.Target{{Asked: "/w/b", Real: "/etc/b"}}); d != "" {
		t.Error(d)
	}
}

func TestResume(t *testing.T) {
	p := policy(t, permit.Default, "deny *(path secret/**)")
	r := at("write_file", "/w/a")
	r.Args = []byte(`{"path":"a"}`)
	r.Resolved[0].ID = permit.ID{Dev: 1, Inode: 2}
	q := asked(t, p, r)
	answer := func(v permit.Verdict) permit.Answer {
		return permit.Answer{Digest: q.Digest, Verdict: v, Note: "use b"}
	}

	for v, want := range map[permit.Verdict]permit.Action{permit.Once: permit.Allow, permit.Session: permit.Allow, permit.No: permit.Deny, "": permit.Ask, "yes": permit.Ask} {
		if d := p.Resume(r, permit.Grants{}, answer(v)); d.Action != want {
			t.Errorf("%q: %s, %s", v, d.Action, d.Why)
		}
	}
	if d := p.Resume(r, permit.Grants{}, answer(permit.No)); !strings.HasSuffix(d.Model, "They say: use b") {
		t.Error(d.Model)
	}
	if d := p.Resume(r, permit.Grants{}, permit.Answer{Digest: q.Digest, Verdict: permit.No}); strings.Contains(d.Model, "They say") {
		t.Error(d.Model)
	}
	// Whatever changes after the question makes it another one.
	for name, change := range map[string]func(r *permit.Request){
		"tool":      func(r *permit.Request) { r.Tool = "edit_file" },
		"arguments": func(r *permit.Request) { r.Args = []byte(`{"path":"a" }`) },
		"path":      func(r *permit.Request) { r.Paths = []string{"/w/b"} },
		"literal":   func(r *permit.Request) { r.Resolved[0].Literal = "/w/b" },
		"target":    func(r *permit.Request) { r.Resolved[0].Real = "/etc/a" },
		"device":    func(r *permit.Request) { r.Resolved[0].ID.Dev = 3 },
		"file":      func(r *permit.Request) { r.Resolved[0].ID.Inode = 3 },
		"names":     func(r *permit.Request) { r.Resolved[0].Aliases = []string{"/w/b"} },
		"command":   func(r *permit.Request) { r.Command = "x" },
		"folder":    func(r *permit.Request) { r.Cwd = "/w/b" },
	} {
		n := r
		n.Resolved = append([]permit.Resolved(nil), r.Resolved...)
		change(&n)
		d := p.Resume(n, permit.Grants{}, answer(permit.Once))
		if d.Action != permit.Ask || !strings.HasPrefix(d.Why, "what was answered to is not what would be done now") || d.Asked.Digest == q.Digest {
			t.Errorf("%s: %s, %s", name, d.Action, d.Why)
		}
	}
	n := link("write_file", "/w/a", "/w/secret/a")
	if d := p.Resume(n, permit.Grants{}, permit.Answer{Digest: permit.Digest(n), Verdict: permit.Once}); d.Action != permit.Deny {
		t.Errorf("denied meanwhile: %s", d.Action)
	}
	if d := policy(t, permit.Plan).Resume(r, permit.Grants{}, answer(permit.Once)); d.Action != permit.Deny {
		t.Errorf("plan meanwhile: %s", d.Action)
	}
	if permit.Digest(permit.Request{Tool: "a", Command: "b"}) == permit.Digest(permit.Request{Tool: "ab"}) ||
		permit.Digest(permit.Request{Paths: []string{"a", "b"}}) == permit.Digest(permit.Request{Paths: []string{"ab"}}) {
		t.Error("fields run together")
	}
}

func TestGrants(t *testing.T) {
	p := policy(t, permit.Default, "deny shell(go vet *)", "ask shell(go build *)")
	r := shell("go test ./...")
	q := asked(t, p, r)
	g, err := permit.Grants{}.With(q, permit.Answer{Digest: q.Digest, Verdict: permit.Once})
	if d := cmp.Diff(g, permit.Grants{}); d != "" || err != nil {
		t.Errorf("once is remembered: %v %s", err, d)
	}
	call, err := permit.Grants{}.With(q, permit.Answer{Digest: q.Digest, Verdict: permit.Session})
	if d := cmp.Diff(call, permit.Grants{Calls: []string{q.Digest}}); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
	rule, err := call.With(q, permit.Answer{Digest: q.Digest, Verdict: permit.Session, Rules: q.Wider})
	if d := cmp.Diff(rule, permit.Grants{Calls: []string{q.Digest}, Rules: []string{"shell(go test *)"}}); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
	twice, err := rule.With(q, permit.Answer{Digest: q.Digest, Verdict: permit.Session, Rules: q.Wider})
	if d := cmp.Diff(twice, rule); d != "" || err != nil {
		t.Errorf("twice: %v %s", err, d)
	}
	data, _ := json.Marshal(rule)
	var stored permit.Grants
	if err := json.Unmarshal(data, &stored); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(stored, rule); d != "" {
		t.Error(d)
	}
	for _, c := range []struct {
		g    permit.Grants
		r    permit.Request
		want permit.Action
	}{
		{call, r, permit.Allow},
		{call, shell("go test ./a"), permit.Ask},
		{stored, shell("go test ./a"), permit.Allow},
		{stored, shell("go test -exec x ./a"), permit.Ask},
		{stored, shell("go test ./a && go vet ./a"), permit.Deny},
		{stored, shell("go test ./a && go build ./a"), permit.Ask},
		{stored, shell("go test .git/a"), permit.Ask},
		{permit.Grants{Calls: []string{permit.Digest(shell("go vet x"))}}, shell("go vet x"), permit.Deny},
		{permit.Grants{Calls: []string{permit.Digest(shell("tee .git/x"))}}, shell("tee .git/x"), permit.Allow},
		{permit.Grants{Rules: []string{"shell(("}}, r, permit.Ask},
		{permit.Grants{Rules: []string{"shell(env *)"}}, shell("env x"), permit.Ask},
	} {
		if d := p.Decide(c.r, c.g); d.Action != c.want {
			t.Errorf("%q with %v: %s by %s", c.r.Command, c.g, d.Action, d.Rule)
		}
	}
	for name, a := range map[string]permit.Answer{
		"another question": {Digest: "x", Verdict: permit.Session},
		"verdict":          {Digest: q.Digest, Verdict: "yes"},
		"rule":             {Digest: q.Digest, Verdict: permit.Session, Rules: []string{"shell"}},
		"rule once":        {Digest: q.Digest, Verdict: permit.Once, Rules: q.Rules},
	} {
		if g, err := call.With(q, a); err == nil || !cmp.Equal(g, call) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnattended(t *testing.T) {
	p := policy(t, permit.Default, "allow read_file", "deny web")
	for _, c := range []struct {
		r    permit.Request
		want string
	}{
		{shell("git commit -m 'it''s'"), `To permit it: --allow 'shell(git commit -m its)'.`},
		{shell(`a "it's b" && c`), `To permit it: --allow 'shell(a "it'\''s b")' --allow 'shell(c)'.`},
		{at("write_file", "/w/a b"), `To permit it: --allow 'write_file(path a b)'.`},
		{shell("ls >x"), "No rule permits it; a command of plain words, one program at a time, can be permitted."},
		{at("write_file", "/w/.git/x"), "No rule permits it."},
	} {
		d := p.Decide(c.r, permit.Grants{}).Unattended()
		if d.Action != permit.Deny || d.Asked != nil || !strings.HasSuffix(d.Why, c.want) || !strings.HasSuffix(d.Model, c.want) {
			t.Errorf("%q: %s: %s", c.r.Command, d.Action, d.Why)
		}
	}
	for _, r := range []permit.Request{reading(at("read_file", "/w/a")), {Tool: "web"}} {
		d := p.Decide(r, permit.Grants{})
		if diff := cmp.Diff(d.Unattended(), d); diff != "" {
			t.Error(diff)
		}
	}
}
