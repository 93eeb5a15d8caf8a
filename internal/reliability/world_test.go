package reliability_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

const (
	id      = "s" // of the session
	goOn    = "go on"
	effects = "effects" // the file that the tool appends to
)

// calls says which numbers the tool is called with in a step: one, or two in one
// answer.
func calls(step int) (numbers []int) {
	numbers = []int{2 * step}
	if step%3 == 2 {
		numbers = append(numbers, 2*step+1)
	}
	return numbers
}

// script is a model that calls the tool in every step but the last. It looks at
// the conversation for where it is, so another process goes on from there.
func script(steps int) scripted.Script {
	s := scripted.Script{By: "conversation"}
	for step := range steps - 1 {
		turn := scripted.Turn{Text: fmt.Sprintf("step %d of it.", step)}
		for _, n := range calls(step) {
			turn.Calls = append(turn.Calls, scripted.Call{Tool: "add", Args: scripted.Args(fmt.Sprintf(`{"n":%d}`, n)), ID: callID(n)})
		}
		s.Turns = append(s.Turns, turn)
	}
	s.Turns = append(s.Turns, scripted.Turn{Text: "All of it is done."})
	return s
}

func callID(n int) string { return fmt.Sprintf("call-%04d", n) }

// adder is a tool that must not run twice: it appends its number to a file.
type adder struct {
	dir string
	env *env.Env
}

func (adder) Spec() chat.ToolSpec { return chat.ToolSpec{Name: "add", Description: "Adds a number."} }

func (a adder) Call(_ context.Context, args json.RawMessage) (tool.Result, error) {
	var in struct{ N int }
	if err := json.Unmarshal(args, &in); err != nil {
		return tool.Result{}, err
	}
	e := env.OrSystem(a.env)
	root, err := e.Files.OpenRoot(a.dir)
	if err != nil {
		return tool.Result{}, errors.New("the directory cannot be opened") // its name is not the same in every run
	}
	defer root.Close()
	f, err := root.OpenFile(effects, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return tool.Result{}, err
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "\n%04d.", in.N); err != nil {
		return tool.Result{}, err
	}
	// Between the effect and its result a process may die as well.
	if err := e.Fail.Hit(env.EffectProcess, "done"); err != nil {
		return tool.Result{}, err
	}
	return tool.Text(fmt.Sprintf("added %04d", in.N)), nil
}

// ran returns how often the tool ran for each call. A line that was cut belongs to
// a call that was begun and counts for none.
func ran(t testing.TB, dir string) map[string]int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, effects))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	out := map[string]int{}
	for line := range strings.SplitSeq(string(b), "\n") {
		if n, ok := strings.CutSuffix(line, "."); ok {
			out["call-"+n]++
		}
	}
	return out
}

// sent is a model that keeps the bodies it is sent.
type sent struct {
	*scripted.Model
	mu     sync.Mutex
	bodies []string
}

func (s *sent) Send(ctx context.Context, b wire.Body) iter.Seq2[wire.Event, error] {
	s.mu.Lock()
	s.bodies = append(s.bodies, string(b.JSON))
	s.mu.Unlock()
	return s.Model.Send(ctx, b)
}

// A world is an agent with its store in a directory. Nothing in it depends on the
// time or on chance.
type world struct {
	*agent.Agent
	store *jsonl.Store
	model *sent
}

func open(dir string, steps int, fail *env.Failpoints, noSync bool) (*world, error) {
	e := &env.Env{Clock: env.NewFakeClock(t0), IDs: &env.Sequence{}, Fail: fail}
	store, err := jsonl.Open(jsonl.Config{Dir: dir, NoSync: noSync, Env: e})
	if err != nil {
		return nil, err
	}
	w := &world{store: store, model: &sent{Model: scripted.New(script(steps))}}
	w.Agent, err = agent.New(agent.Config{Model: w.model, ModelName: "m", System: "You add numbers.", Store: store, Env: e,
		Tools: []tool.Tool{adder{dir, e}}})
	return w, err
}

// input is what continues a session: nothing if the model has something to answer
// to, otherwise the beginning. The first two records are the start and the input.
func input(dir string) (agent.Input, error) {
	b, err := os.ReadFile(filepath.Join(dir, id+".jsonl"))
	if err != nil && !os.IsNotExist(err) {
		return agent.Input{}, err
	}
	if bytes.Count(b, []byte("\n")) >= 2 {
		return agent.Input{}, nil
	}
	return agent.Text(goOn), nil
}

// run runs a turn to its end and tells what was stored of it.
func (w *world) run(ctx context.Context, in agent.Input, stored func(seq uint64)) error {
	for e, err := range w.Run(ctx, id, in) {
		if err != nil {
			return err
		}
		if e.Seq > 0 && stored != nil {
			stored(e.Seq)
		}
	}
	return nil
}

func read(ctx context.Context, s session.Store) (events []session.Event, err error) {
	for e, err := range s.Events(ctx, id) {
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
	return events, nil
}

func envWith(net http.RoundTripper) *env.Env { return &env.Env{Net: net} }
