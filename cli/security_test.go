package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/cli"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/session"
)

// An attack is a hostile project or model, run through the program as a user would.
type attack struct {
	files   map[string]string // of the project, which lies in the folder p
	beside  map[string]string // of the folder around it
	links   [][2]string       // name in the project, target
	calls   [][2]string       // tools with arguments, one after the other
	flags   []string
	environ []string
	// what must hold afterwards
	results []string          // each result contains this
	never   []string          // nowhere in what is printed, sent or stored
	intact  map[string]string // files around the project, as they must be; "": not there
	model   func(*http.Request)
}

// field is what an attack leads to.
type field struct {
	root, home, out, errs string
	status                int
	bodies                []string
	results               []string
}

// play runs an attack over real files, with a model behind a real server.
func (a attack) play(t *testing.T) field {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	filetest.Must(t, err)
	f := field{root: filepath.Join(base, "p"), home: filepath.Join(base, "home")}
	filetest.Write(t, base, map[string]string{"p/.git/HEAD": "ref: refs/heads/main\n", "home/": ""})
	filetest.Write(t, f.root, a.files)
	filetest.Write(t, base, a.beside)
	for _, l := range a.links {
		filetest.Must(t, os.MkdirAll(filepath.Dir(filepath.Join(f.root, l[0])), 0o777))
		filetest.Must(t, os.Symlink(strings.ReplaceAll(l[1], "$BASE", base), filepath.Join(f.root, l[0])))
	}
	next := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		body.ReadFrom(r.Body)
		f.bodies = append(f.bodies, body.String())
		if a.model != nil {
			a.model(r)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if next < len(a.calls) {
			c := a.calls[next]
			next++
			args, _ := json.Marshal(strings.ReplaceAll(c[1], "$BASE", base))
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c%d\",\"type\":\"function\",\"function\":{\"name\":%q,\"arguments\":%s}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n", next, c[0], args)
			return
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"done\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	var out, errs bytes.Buffer
	args := append([]string{"run", "--output", "stream-json", "--trust", "project", "--model", "openai:m"}, a.flags...)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "$BASE", base)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	f.status = cli.Run(ctx, cli.App{}, cli.Process{Args: append(args, "go"), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: f.root, Env: env.System(),
		Environ: append([]string{"HOME=" + f.home, "PATH=" + os.Getenv("PATH"), "OPENAI_API_KEY=sk-canary-0123456789", "OPENAI_BASE_URL=" + server.URL + "/v1"}, a.environ...)})
	f.out, f.errs = out.String(), errs.String()
	for line := range strings.Lines(f.out) {
		var e session.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Kind == session.Result {
			f.results = append(f.results, e.Message.Results()[0].Text.String())
		}
	}
	return f
}

// check plays an attack and looks at what must hold.
func (a attack) check(t *testing.T) {
	t.Helper()
	f := a.play(t)
	if len(f.results) != len(a.results) {
		t.Fatalf("%d results, want %d\n%s\n%s", len(f.results), len(a.results), f.errs, f.out)
	}
	for i, want := range a.results {
		if !strings.Contains(f.results[i], want) {
			t.Errorf("call %d: %q does not contain %q", i+1, f.results[i], want)
		}
	}
	all := f.out + f.errs + strings.Join(f.bodies, "\n") + stored(t, f.home)
	for _, n := range a.never {
		if strings.Contains(all, n) {
			t.Errorf("%q is there", n)
		}
	}
	for name, want := range a.intact {
		got, err := os.ReadFile(filepath.Join(filepath.Dir(f.root), name))
		if want == "" && err == nil || want != "" && string(got) != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// stored returns everything that lies in a home.
func stored(t *testing.T, home string) string {
	t.Helper()
	var b strings.Builder
	filetest.Must(t, filepath.Walk(home, func(path string, info os.FileInfo, err error) error {
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		b.Write(data)
		return err
	}))
	return b.String()
}

// TestSecurityRow holds the rows of what went wrong in other harnesses, by number;
// docs/security.md has the list. Rows that concern one package have more tests there.
func TestSecurityRow(t *testing.T) {
	const refused = "Not run: "
	bypass := []string{"--mode", "bypass"}
	for name, a := range map[string]attack{
		"01 a sibling with a longer name": {
			beside: map[string]string{"p-evil/s.txt": "SIBLING"}, flags: bypass,
			calls: [][2]string{{"read_file", `{"path":"$BASE/p-evil/s.txt"}`}, {"read_file", `{"path":"../p-evil/s.txt"}`}, {"read_file", `{"path":"$BASE/p/../p-evil/s.txt"}`},
				{"read_file", `{"path":"$BASE//p-evil//s.txt"}`}, {"write_file", `{"path":"$BASE/p-evil/n.txt","content":"x"}`}, {"glob", `{"pattern":"*","path":"../p-evil"}`}, {"grep", `{"pattern":"SIB","path":".."}`}},
			results: []string{"outside", "outside", "outside", "outside", "outside", "outside", "outside"}, never: []string{"SIBLING"}, intact: map[string]string{"p-evil/n.txt": ""},
		},
		"02 a link that leads out": {
			beside: map[string]string{"o/s.txt": "SECRET-OUT"}, links: [][2]string{{"f", "$BASE/o/s.txt"}, {"d", "$BASE/o"}, {"rel", "../o/s.txt"}}, flags: bypass,
			calls: [][2]string{{"read_file", `{"path":"f"}`}, {"read_file", `{"path":"d/s.txt"}`}, {"read_file", `{"path":"rel"}`}, {"write_file", `{"path":"f","content":"x"}`},
				{"write_file", `{"path":"d/n.txt","content":"x"}`}, {"grep", `{"pattern":"SECRET"}`}, {"list_files", `{"path":"d"}`}},
			results: []string{"outside", "outside", "outside", "", "", "no ", "outside"}, never: []string{"SECRET-OUT"}, intact: map[string]string{"o/s.txt": "SECRET-OUT", "o/n.txt": ""},
		},
		"03 a rule sees through links": {
			files: map[string]string{"secret/k.txt": "KEY-IN"}, links: [][2]string{{"l", "secret/k.txt"}, {"d", "secret"}}, flags: append([]string{"--deny", "*(path secret/**)"}, bypass...),
			calls: [][2]string{{"read_file", `{"path":"l"}`}, {"read_file", `{"path":"d/k.txt"}`}, {"read_file", `{"path":"SECRET/../secret/k.txt"}`}, {"shell", `{"command":"cat l"}`},
				{"shell", `{"command":"cat $BASE/p/secret/k.txt"}`}, {"grep", `{"pattern":"KEY"}`}, {"shell", `{"command":"cat /proc/self/root$BASE/p/secret/k.txt"}`}},
			results: []string{refused, refused, refused, refused, refused, "no ", refused}, never: []string{"KEY-IN"},
		},
		"04 names in another case": {
			files: map[string]string{}, flags: []string{"--mode", "accept-edits"},
			calls:   [][2]string{{"write_file", `{"path":".GIT/hooks/x","content":"x"}`}, {"write_file", `{"path":".Proem/Agent.yaml","content":"x"}`}, {"write_file", `{"path":".vscode/tasks.json","content":"x"}`}},
			results: []string{"nobody can be asked", "nobody can be asked", "nobody can be asked"},
			intact:  map[string]string{"p/.GIT/hooks/x": "", "p/.vscode/tasks.json": ""},
		},
		"05 a working directory of the model": {
			beside: map[string]string{"o/s.txt": "ELSEWHERE"}, flags: append([]string{"--allow", "shell(ls *)"}, "--mode", "accept-edits"),
			calls:   [][2]string{{"shell", `{"command":"ls","cwd":"/"}`}, {"shell", `{"command":"cd .. && ls"}`}, {"write_file", `{"path":"n.txt","content":"x","root":"$BASE/o"}`}},
			results: []string{"cwd", "nobody can be asked", "root"}, intact: map[string]string{"o/n.txt": ""},
		},
		"06 an instruction file that is a link to a secret": {
			beside: map[string]string{"o/.ssh/config": "HOST-SECRET"}, links: [][2]string{{"AGENTS.md", "$BASE/o/.ssh/config"}, {".proem/MEMORY.md", "$BASE/o/.ssh/config"}, {".proem/skills/a/SKILL.md", "$BASE/o/.ssh/config"}},
			never: []string{"HOST-SECRET"},
		},
		"09 a write through a link in the project": {
			files: map[string]string{"real.txt": "R"}, links: [][2]string{{"link.txt", "real.txt"}}, flags: bypass,
			calls: [][2]string{{"write_file", `{"path":"link.txt","content":"x"}`}, {"edit_file", `{"path":"link.txt","old":"R","new":"x"}`}}, results: []string{"link", ""},
			intact: map[string]string{"p/real.txt": "R"},
		},
		"10 what hides behind the first word": {
			files: map[string]string{"keep.txt": "K"}, flags: []string{"--allow", "shell(ls *)", "--allow", "shell(cat *)"},
			calls:   [][2]string{{"shell", `{"command":"ls && rm keep.txt"}`}, {"shell", `{"command":"cat keep.txt | tee x"}`}, {"shell", `{"command":"ls > x"}`}, {"shell", `{"command":"ls; rm keep.txt"}`}, {"shell", `{"command":"ls || rm keep.txt"}`}, {"shell", `{"command":"ls & rm keep.txt"}`}},
			results: []string{"nobody", "nobody", "nobody", "nobody", "nobody", "nobody"}, intact: map[string]string{"p/keep.txt": "K", "p/x": ""},
		},
		"11 smuggled commands": {
			files: map[string]string{"keep.txt": "K"}, flags: []string{"--allow", "shell(ls *)"},
			calls:   [][2]string{{"shell", `{"command":"ls $(rm keep.txt)"}`}, {"shell", "{\"command\":\"ls `rm keep.txt`\"}"}, {"shell", `{"command":"ls\nrm keep.txt"}`}, {"shell", `{"command":"ls\rrm keep.txt"}`}, {"shell", `{"command":"ls\u0000rm keep.txt"}`}, {"shell", `{"command":"ls <(rm keep.txt)"}`}},
			results: []string{"nobody", "nobody", "nobody", "nobody", "NUL", "nobody"}, intact: map[string]string{"p/keep.txt": "K"},
		},
		"12 options that run programs": {
			files: map[string]string{"a.txt": "A"}, flags: []string{"--allow", "shell(rg *)", "--allow", "shell(find *)", "--allow", "shell(sed *)", "--allow", "shell(git *)"},
			calls:   [][2]string{{"shell", `{"command":"rg --pre ./x A"}`}, {"shell", `{"command":"find . -delete"}`}, {"shell", `{"command":"find . -exec rm {} +"}`}, {"shell", `{"command":"sed -i s/A/B/ a.txt"}`}, {"shell", `{"command":"sed -n 1e a.txt"}`}, {"shell", `{"command":"git -c core.pager=x log"}`}},
			results: []string{"nobody", "nobody", "nobody", "nobody", "nobody", "nobody"}, intact: map[string]string{"p/a.txt": "A"},
		},
		"13 expansions": {
			flags:   []string{"--allow", "shell(cat *)"},
			calls:   [][2]string{{"shell", `{"command":"cat$IFS/etc/passwd"}`}, {"shell", `{"command":"cat ${HOME}"}`}, {"shell", `{"command":"cat {a,b}"}`}, {"shell", `{"command":"cat ~root/x"}`}, {"shell", `{"command":"cat *"}`}, {"shell", `{"command":"cat $'\\x2f'"}`}},
			results: []string{"nobody", "nobody", "nobody", "nobody", "nobody", "nobody"},
		},
		"14 a poisoned environment": {
			environ: []string{"PAGER=touch pwned", "GIT_SSH_COMMAND=touch pwned", "LD_PRELOAD=/x.so", "BASH_ENV=/x", "MY_SECRET_TOKEN=tok-canary"}, flags: bypass,
			calls: [][2]string{{"shell", `{"command":"export PAGER=evil; typeset -x GIT_SSH_COMMAND=evil"}`}, {"shell", `{"command":"env | sort"}`}}, results: []string{"exit code 0", "PAGER=cat"},
			never: []string{"tok-canary", "LD_PRELOAD", "BASH_ENV", "GIT_SSH_COMMAND=touch", "\nPAGER=evil"}, intact: map[string]string{"p/pwned": ""},
		},
		"16 more commands than can be judged": {
			files: map[string]string{"keep.txt": "K"}, flags: append([]string{"--deny", "shell(rm *)"}, bypass...),
			calls: [][2]string{{"shell", `{"command":"` + strings.Repeat("true; ", 51) + `rm keep.txt"}`}}, results: []string{refused}, intact: map[string]string{"p/keep.txt": "K"},
		},
		"17 protected files by other ways": {
			files: map[string]string{".proem/agent.yaml": "name: a\n", "x.sh": "printf 'name: b\\n' > .proem/agen\"\"t.yaml\n"}, flags: []string{"--allow", "shell(cp *)", "--allow", "shell(sh x.sh)", "--mode", "accept-edits"},
			calls:   [][2]string{{"shell", `{"command":"echo x >| .proem/agent.yaml"}`}, {"shell", `{"command":"cd .proem && echo x > agent.yaml"}`}, {"shell", `{"command":"sed -i s/a/b/ .proem/agent.yaml"}`}, {"shell", `{"command":"cp x.sh .git/hooks/pre-commit"}`}, {"shell", `{"command":"sh x.sh"}`}},
			results: []string{"nobody", "nobody", "nobody", "nobody", "[protected files changed meanwhile: "}, intact: map[string]string{"p/.git/hooks/pre-commit": ""},
		},
		"39 the key of the provider": {
			files: map[string]string{"AGENTS.md": "Be kind.\n"}, flags: bypass,
			calls: [][2]string{{"shell", `{"command":"env; cat /proc/self/environ"}`}, {"read_file", `{"path":"/proc/self/environ"}`}}, results: []string{"PATH", "outside"}, never: []string{"sk-canary-0123456789"},
		},
	} {
		t.Run(name, a.check)
	}
	t.Run("07 ids that are paths", func(t *testing.T) {
		w := newWorkplace(t, map[string]string{".git/": ""})
		for _, id := range []string{"../x", "a/b", "..", ".", "a\x00b", strings.Repeat("a", 65), "", "a b", "ä"} {
			for _, args := range [][]string{{"run", "--model", "scripted:x", "--set", "scripted.file=none", "--resume", id, "go"}, {"sessions", "delete", "--yes", id}, {"sessions", "show", id}} {
				if id == "" && args[0] == "run" {
					continue // no id: a new session
				}
				var out, errs bytes.Buffer
				status := cli.Run(t.Context(), cli.App{}, cli.Process{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: []string{"HOME=" + w.home}, Dir: w.dir, Env: env.System()})
				if status == 0 {
					t.Errorf("%q: accepted", args)
				}
			}
		}
	})
	t.Run("38 addresses of providers", func(t *testing.T) {
		w := newWorkplace(t, map[string]string{".git/": ""})
		for _, url := range []string{"javascript:alert(1)", "file:///etc/passwd", "-x", "$(touch pwned)", "ftp://x"} {
			var out, errs bytes.Buffer
			status := cli.Run(t.Context(), cli.App{}, cli.Process{Args: []string{"run", "--model", "openai:m", "go"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
				Environ: []string{"HOME=" + w.home, "OPENAI_API_KEY=sk-canary-0123456789", "OPENAI_BASE_URL=" + url}, Dir: w.dir, Env: env.System()})
			if status == 0 || strings.Contains(out.String()+errs.String(), "sk-canary") {
				t.Errorf("%s: status %d: %s", url, status, errs.String())
			}
		}
		if _, err := os.Stat(filepath.Join(w.dir, "pwned")); err == nil {
			t.Error("it ran")
		}
	})
	t.Run("40 secrets in the agent's files", func(t *testing.T) {
		const secret = "sk-test-0000000000000000000000000000000000000000"
		for _, name := range []string{"AGENTS.md", ".proem/MEMORY.md", ".proem/AGENTS.md", ".proem/skills/a/SKILL.md"} {
			text := "token: " + secret + "\n"
			if strings.HasSuffix(name, "SKILL.md") {
				text = "---\nname: a\ndescription: use " + secret + "\n---\nb\n"
			}
			a := attack{files: map[string]string{name: text}}
			f := a.play(t)
			if !strings.Contains(f.errs+f.out, "secret_like") {
				t.Errorf("%s: no warning: %s", name, f.errs)
			}
		}
	})
}
