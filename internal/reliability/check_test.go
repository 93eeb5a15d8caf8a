package reliability_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/wire"
)

// journal returns the bytes of the session's log; none if there is none.
func journal(t testing.TB, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, id+".jsonl"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return b
}

// checkPaired checks that every call of the history is followed at once by its one
// result, in order (I3), and that no call is open.
func checkPaired(events []session.Event) error {
	view, err := session.Fold(events)
	if err != nil {
		return fmt.Errorf("the log does not fold: %w", err)
	}
	if len(view.Open) > 0 {
		return fmt.Errorf("calls without a result: %v", view.Open)
	}
	seen := map[string]bool{}
	for i := 0; i < len(view.Messages); i++ {
		for _, call := range view.Messages[i].Calls() {
			if seen[call.ID] {
				return fmt.Errorf("the call %s was made twice", call.ID)
			}
			seen[call.ID] = true
		}
		for _, call := range view.Messages[i].Calls() {
			i++
			if i == len(view.Messages) || len(view.Messages[i].Results()) != 1 || view.Messages[i].Results()[0].ID != call.ID {
				return fmt.Errorf("the result of %s does not stand behind it", call.ID)
			}
		}
		if i < len(view.Messages) && len(view.Messages[i].Calls()) == 0 && len(view.Messages[i].Results()) > 0 {
			if !seen[view.Messages[i].Results()[0].ID] {
				return fmt.Errorf("a result without a call: %s", view.Messages[i].Results()[0].ID)
			}
		}
	}
	return nil
}

// outcomes are what the log says of the calls.
type outcomes struct {
	begun   map[string]bool
	unknown map[string]bool // the result says that nothing is known
	notRun  map[string]bool
	done    map[string]bool
}

func outcomesOf(events []session.Event) outcomes {
	o := outcomes{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, e := range events {
		switch e.Kind {
		case session.Call:
			o.begun[e.Call.ID] = true
		case session.Result:
			r := e.Message.Results()[0]
			switch text := r.Text.String(); {
			case strings.HasPrefix(text, wire.Interrupted):
				o.unknown[r.ID] = true
			case strings.HasPrefix(text, "not run:"):
				o.notRun[r.ID] = true
			case !r.IsError:
				o.done[r.ID] = true
			}
		}
	}
	return o
}

// checkOnce compares what the log says of the calls with what the tool did (I4):
// a call that is done was done once, one that was not run never, one of unknown
// outcome at most once, and nothing was done that the log does not announce.
func checkOnce(events []session.Event, ran map[string]int) error {
	o := outcomesOf(events)
	for call, n := range ran {
		switch {
		case n > 1:
			return fmt.Errorf("%s ran %d times", call, n)
		case !o.begun[call]:
			return fmt.Errorf("%s ran, and the log does not announce it", call)
		case o.notRun[call]:
			return fmt.Errorf("%s ran, and its result says that it did not", call)
		}
	}
	for call := range o.done {
		if ran[call] != 1 {
			return fmt.Errorf("%s has a result and ran %d times", call, ran[call])
		}
	}
	return nil
}

// checkEvents checks that the events begin with others (I1, I2).
func checkEvents(t testing.TB, what string, got, want []session.Event) {
	t.Helper()
	if len(got) < len(want) {
		t.Errorf("%s: %d events, want at least %d", what, len(got), len(want))
		return
	}
	if d := cmp.Diff(got[:len(want)], want, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

// blank takes the text of some results out of a body and returns the rest in a form
// that can be compared.
func blank(t testing.TB, body string, calls map[string]bool) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(body)))
	d.UseNumber()
	var doc map[string]any
	must(t, d.Decode(&doc))
	messages, _ := doc["messages"].([]any)
	for _, m := range messages {
		if m, ok := m.(map[string]any); ok {
			if call, _ := m["tool_call_id"].(string); calls[call] {
				m["content"] = "blank"
			}
		}
	}
	out, err := json.Marshal(doc)
	must(t, err)
	return string(out)
}
