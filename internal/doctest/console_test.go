package doctest_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/cli"
	"github.com/proemhq/proem/env"
)

// TestConsole runs the sessions in the documents and compares their output.
func TestConsole(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the prompts in the documents name the system they were made on: linux (amd64)")
	}
	for _, name := range checked(t) {
		t.Run(name, func(t *testing.T) {
			d, changed := read(t, name), false
			s := newShell(t, d)
			for _, p := range d.pieces {
				if file, ok := strings.CutPrefix(p.marker, "file:"); ok {
					s.put(t, strings.TrimSpace(file), p.body)
				}
				if p.lang != "console" {
					continue
				}
				got, err := s.session(p.body)
				if err != nil {
					t.Errorf("%s:%d: %v", name, p.line, err)
					continue
				}
				changed = d.settle(t, p, got) || changed
			}
			if changed {
				d.write(t)
			}
		})
	}
}

// home is the home directory that sessions see; it lies elsewhere in truth.
const home = "/home/you"

// A shell understands as much as the documents need: commands of proem, "cd",
// "export", "mkdir -p", "git init", "cat", "go run ./examples/…", variables before a
// command, the filters "head", "tail", "grep" and "jq", and "> FILE" at the end.
type shell struct {
	real   string // where home lies
	dir    string // the working directory, as sessions see it
	vars   []string
	env    *env.Env
	stderr bool
}

func newShell(t *testing.T, d *document) *shell {
	s := &shell{real: t.TempDir(), dir: home}
	s.env = &env.Env{
		Clock: env.Fixed(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
		IDs:   &env.Sequence{},
		Files: mounted{env.System().Files, s.real},
		Net:   newServer(t, d),
	}
	return s
}

func (s *shell) put(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(s.real, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// session runs the commands of a block and returns it with their output.
func (s *shell) session(block string) (string, error) {
	var out strings.Builder
	lines := strings.SplitAfter(block, "\n")
	for i := 0; i < len(lines); i++ {
		command, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			if i == 0 {
				return "", fmt.Errorf("a session begins with a line that begins with \"$ \"")
			}
			continue
		}
		out.WriteString(lines[i])
		for strings.HasSuffix(command, "\\\n") && i+1 < len(lines) {
			i++
			out.WriteString(lines[i])
			command = strings.TrimSuffix(command, "\\\n") + lines[i]
		}
		got, err := s.run(strings.TrimSpace(command))
		if err != nil {
			return "", fmt.Errorf("%s: %w", strings.TrimSpace(command), err)
		}
		out.WriteString(got)
		if got != "" && !strings.HasSuffix(got, "\n") {
			out.WriteByte('\n')
		}
	}
	return out.String(), nil
}

// run runs one command with its filters.
func (s *shell) run(command string) (string, error) {
	words, err := split(command)
	if err != nil {
		return "", err
	}
	into := "" // a file, for the result alone
	if n := len(words); n > 2 && words[n-2] == ">" {
		into, words = words[n-1], words[:n-2]
	}
	var stages [][]string
	for at, i := 0, 0; i <= len(words); i++ {
		if i == len(words) || words[i] == "|" {
			stages = append(stages, words[at:i])
			at = i + 1
		}
	}
	s.stderr = len(stages) == 1 && into == "" // what is piped is the result alone
	text, err := s.command(stages[0])
	for _, f := range stages[1:] {
		if err != nil {
			return "", err
		}
		text, err = filter(f, text)
	}
	if into != "" && err == nil {
		return "", os.WriteFile(filepath.Join(s.real, strings.TrimPrefix(path.Join(s.dir, into), home)), []byte(text), 0o644)
	}
	return text, err
}

func (s *shell) command(words []string) (string, error) {
	environ := append([]string{"HOME=" + home, "NO_COLOR=1"}, s.vars...)
	for len(words) > 0 && strings.Contains(words[0], "=") {
		environ, words = append(environ, words[0]), words[1:]
	}
	if len(words) == 0 {
		return "", fmt.Errorf("no command")
	}
	here := func(name string) string {
		return filepath.Join(s.real, strings.TrimPrefix(path.Join(s.dir, name), home))
	}
	switch line := strings.Join(words, " "); {
	case words[0] == "proem":
		return s.proem(environ, words[1:])
	case strings.HasPrefix(line, "go run ./cmd/proem "):
		return s.proem(environ, words[3:])
	case strings.HasPrefix(line, "go run ./examples/") && len(words) == 3:
		return example(words[2:])
	case strings.HasPrefix(line, "go run -C examples/") && len(words) == 5:
		return example(words[2:])
	case words[0] == "export" && len(words) == 2:
		s.vars = append(s.vars, words[1])
		return "", nil
	case words[0] == "cd" && len(words) == 2:
		s.dir = path.Join(s.dir, words[1])
		return "", nil
	case strings.HasPrefix(line, "mkdir -p ") && len(words) == 3:
		return "", os.MkdirAll(here(words[2]), 0o755)
	case strings.HasPrefix(line, "git init -q ") && len(words) == 4:
		return "", os.MkdirAll(filepath.Join(here(words[3]), ".git"), 0o755)
	case words[0] == "cat" && len(words) == 2:
		data, err := os.ReadFile(here(words[1]))
		return string(data), err
	}
	return "", fmt.Errorf("package doctest cannot run this command")
}

// proem runs a command of proem in this process.
func (s *shell) proem(environ, args []string) (string, error) {
	var out, result bytes.Buffer
	p := cli.Process{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Environ: environ, Dir: s.dir, Env: s.env}
	if !s.stderr {
		p.Stdout = &result
	}
	if code := cli.Run(context.Background(), cli.App{}, p); code != cli.ExitOK && !s.stderr {
		return "", fmt.Errorf("exit status %d: %s", code, out.String())
	}
	if !s.stderr {
		return result.String(), nil
	}
	return out.String(), nil
}

// example runs a program of the folder examples.
func example(args []string) (string, error) {
	cmd := exec.Command("go", append([]string{"run"}, args...)...)
	cmd.Dir = root
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OPENAI_") && !strings.HasPrefix(v, "MODEL=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return string(out), nil
}

// split cuts a command into words as a shell does, for quotes of both kinds.
func split(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun := false
	for i := 0; i < len(command); i++ {
		switch c := command[i]; c {
		case '\'', '"':
			end := strings.IndexByte(command[i+1:], c)
			if end < 0 {
				return nil, fmt.Errorf("a quote is not closed")
			}
			word.WriteString(command[i+1 : i+1+end])
			begun, i = true, i+1+end
		case ' ', '\n', '\t':
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

// mounted shows the folder real as home.
type mounted struct {
	env.Files
	real string
}

func (m mounted) place(dir string) string {
	if dir == home || strings.HasPrefix(dir, home+"/") {
		return m.real + strings.TrimPrefix(dir, home)
	}
	return filepath.Join(m.real, "nothing", dir) // there is no more to this machine
}

func (m mounted) OpenRoot(dir string) (env.Root, error) {
	r, err := m.Files.OpenRoot(m.place(dir))
	if err != nil {
		return nil, err
	}
	return mountedRoot{r, dir}, nil
}

func (m mounted) MkdirAll(dir string, perm os.FileMode) error {
	return m.Files.MkdirAll(m.place(dir), perm)
}

type mountedRoot struct {
	env.Root
	name string
}

func (r mountedRoot) Name() string { return r.name }
