package reliability_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/cli"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/shell"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

const mib = 1 << 20

// peak is the most memory that this process has had, in bytes.
func peak() (int64, error) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	kb, err := strconv.ParseInt(strings.Fields(rest + " ?")[0], 10, 64)
	return kb << 10, err
}

// grown does something small and then something large, and prints by how much the
// second raised the peak.
func grown(small, large func() error) error {
	if err := small(); err != nil {
		return err
	}
	before, err := peak()
	if err != nil {
		return err
	}
	if err := large(); err != nil {
		return err
	}
	after, err := peak()
	fmt.Println(after - before)
	return err
}

// measure runs a task that prints a number of bytes in another process.
func measure(t testing.TB, task, dir string, numbers ...int) int64 {
	t.Helper()
	if _, err := peak(); err != nil {
		t.Skip(err)
	}
	out, _ := output(t, process(t.Context(), task, dir, numbers...))
	lines := strings.Fields(out)
	if len(lines) == 0 {
		t.Fatalf("%s printed nothing", task)
	}
	n, err := strconv.ParseInt(lines[len(lines)-1], 10, 64)
	must(t, err)
	return n
}

// bound reports a growth that must not be above 64 MiB.
func bound(t testing.TB, what string, bytes int64) {
	t.Helper()
	if bytes > 64*mib {
		t.Errorf("%s: the process grew by %d MiB", what, bytes/mib)
	}
	report(t, what, "the process grows by %.1f MiB", float64(bytes)/mib)
}

// calling is a model that calls a tool in every step, until a turn has so many.
type calling struct {
	tool, args string
	steps      int // of a turn, the last of which calls nothing
	n          int
}

func (*calling) Encode(prev *wire.Body, r wire.Request) (wire.Body, error) {
	if r.Capability == (wire.Capability{}) {
		r.Capability = scripted.Capability()
	}
	return openaichat.Dialect.Encode(prev, r)
}

func (m *calling) Send(context.Context, wire.Body) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		m.n++
		e := wire.Event{Kind: wire.TextDelta, Text: "done"}
		if m.n%m.steps != 0 {
			args := strings.ReplaceAll(m.args, "N", strconv.Itoa(m.n))
			e = wire.Event{Kind: wire.CallEnd, Call: &chat.ToolCall{ID: "c" + strconv.Itoa(m.n), Name: m.tool, Args: []byte(args)}}
		}
		if yield(e, nil) {
			yield(wire.Event{Kind: wire.Stop, Stop: wire.StopEnd}, nil)
		}
	}
}

// turns runs turns of an agent with one tool.
func turns(store session.Store, m *calling, t tool.Tool, n int) (*agent.Agent, error) {
	a, err := agent.New(agent.Config{Model: m, ModelName: "m", Store: store, Tools: []tool.Tool{t}, Env: &env.Env{Clock: env.NewFakeClock(t0)}})
	if err != nil {
		return nil, err
	}
	return a, more(a, n)
}

func more(a *agent.Agent, n int) error {
	for i := range n {
		for _, err := range a.Run(context.Background(), id, agent.Text("turn "+strconv.Itoa(i))) {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// childOutput lets an agent run a command that prints n[0] bytes.
func childOutput(dir string, n []int) error {
	run, err := shell.New(shell.Config{Dir: dir, Environ: os.Environ(), Spill: filepath.Join(dir, "spill"), MaxOutput: 2 << 30})
	if err != nil {
		return err
	}
	do := func(name string, bytes int) func() error {
		return func() error {
			store, err := jsonl.Open(jsonl.Config{Dir: filepath.Join(dir, name)})
			if err != nil {
				return err
			}
			defer store.Close()
			args := fmt.Sprintf(`{"command":"head -c %d /dev/zero"}`, bytes)
			_, err = turns(store, &calling{tool: shell.Name, args: args, steps: 2}, run, 1)
			if err != nil {
				return err
			}
			events, err := read(context.Background(), store)
			if text := resultText(events); bytes > 1000 && !strings.Contains(text, fmt.Sprintf("of %d bytes are left out", bytes)) {
				return fmt.Errorf("the result is %.200q, %v", text, err)
			}
			return err
		}
	}
	return grown(do("small", 1000), do("large", n[0]))
}

func resultText(events []session.Event) string {
	for _, e := range events {
		if e.Kind == session.Result {
			return e.Message.Results()[0].Text.String()
		}
	}
	return ""
}

// TestOutput runs a command that prints 1 GB.
func TestOutput(t *testing.T) {
	n := pick(50_000_000, 1_000_000_000)
	bound(t, fmt.Sprintf("an agent runs a command that prints %d MB; the whole is kept in a file", n/1_000_000), measure(t, "output", t.TempDir(), n))
}

// childFiles shows the prompt of a small project and then of the one in dir.
func childFiles(dir string, _ []int) error {
	show := func(dir string) func() error {
		return func() error {
			var said strings.Builder
			environ := []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH")}
			code := cli.Run(context.Background(), cli.App{}, cli.Process{Args: []string{"prompt", "--json"}, Stdin: strings.NewReader(""),
				Stdout: io.Discard, Stderr: &said, Environ: environ, Dir: dir, Env: env.System()})
			if code != cli.ExitOK {
				return fmt.Errorf("exit status %d: %s", code, said.String())
			}
			return nil
		}
	}
	small := filepath.Join(dir, "small")
	return grown(show(small), show(filepath.Join(dir, "large")))
}

// TestFiles shows the prompt of a project whose instruction file is huge, and of one
// with very many files in its home.
func TestFiles(t *testing.T) {
	size, n := pick(10_000_000, 100_000_000), pick(500, 10_000)
	for what, make := range map[string]func(large string){
		fmt.Sprintf("`proem prompt` in a project with an AGENTS.md of %d MB", size/1_000_000): func(large string) {
			f, err := os.Create(filepath.Join(large, "AGENTS.md"))
			must(t, err)
			defer f.Close()
			for n := 0; n < size; n += 1e6 {
				_, err := f.WriteString(strings.Repeat("Use tabs.\n", 1e5))
				must(t, err)
			}
		},
		fmt.Sprintf("`proem prompt` in a project with %d files in knowledge/", n): func(large string) {
			knowledge := filepath.Join(large, ".proem", "knowledge")
			must(t, os.MkdirAll(knowledge, 0o700))
			for i := range n {
				must(t, os.WriteFile(filepath.Join(knowledge, fmt.Sprintf("k%05d.md", i)), []byte("# A title\n\nA text.\n"), 0o600))
			}
		},
	} {
		dir := t.TempDir()
		for _, name := range []string{"small", "large"} {
			must(t, os.MkdirAll(filepath.Join(dir, name, ".git"), 0o700))
			must(t, os.MkdirAll(filepath.Join(dir, name, "home"), 0o700))
		}
		make(filepath.Join(dir, "large"))
		bound(t, what, measure(t, "files", dir))
	}
}

// text is a tool that returns so many bytes, different ones each time.
type text struct{ size, n int }

func (*text) Spec() chat.ToolSpec { return chat.ToolSpec{Name: "text", Description: "Returns a text."} }

func (x *text) Call(context.Context, json.RawMessage) (tool.Result, error) {
	x.n++
	line := fmt.Sprintf("result %d, one of its lines\n", x.n)
	return tool.Text(strings.Repeat(line, 1+x.size/len(line))[:x.size]), nil
}

// childSteps runs a session of n[0] steps, 50 in a turn.
func childSteps(dir string, n []int) error {
	store, err := jsonl.Open(jsonl.Config{Dir: dir, NoSync: true})
	if err != nil {
		return err
	}
	defer store.Close()
	var a *agent.Agent
	return grown(
		func() (err error) {
			a, err = turns(store, &calling{tool: "text", args: `{"n":N}`, steps: 50}, &text{size: 40}, 1)
			return err
		},
		func() error { return more(a, n[0]/50-1) })
}

// TestSteps runs a session of very many steps.
func TestSteps(t *testing.T) {
	n := pick(1000, 10_000)
	start := time.Now()
	grown := measure(t, "steps", t.TempDir(), n)
	bound(t, fmt.Sprintf("a session of %d steps with small results, of which nothing is forgotten", n), grown)
	t.Logf("%.0f s", time.Since(start).Seconds())
}

// TestTurns measures what a turn with a result of 16 KiB leaves in memory.
func TestTurns(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const n = 200
	files, err := jsonl.Open(jsonl.Config{Dir: t.TempDir(), NoSync: true})
	must(t, err)
	defer files.Close()
	for _, s := range []struct {
		what  string
		store session.Store
	}{{"files", files}, {"memory", &memory.Store{}}} {
		before := heap()
		a, err := turns(s.store, &calling{tool: "text", args: `{"n":N}`, steps: 2}, &text{size: 16 << 10}, n)
		must(t, err)
		per := float64(int64(heap())-int64(before)) / n / 1024
		if per > 68 {
			t.Errorf("%s: %.1f KiB for each turn", s.what, per)
		}
		report(t, fmt.Sprintf("%d turns with a result of 16 KiB each, log in %s: heap after a collection", n, s.what), "%.1f KiB for each turn", per)
		runtime.KeepAlive(a)
		runtime.KeepAlive(s.store)
	}
}
