package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/tool"
)

func parse(s string) (time.Time, error) { return time.Parse(time.RFC3339, s) }

// A second input waits for the first turn; one that cannot wait says why.
func TestBusySession(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	slow := &fake{name: "slow", call: func(context.Context, json.RawMessage) (tool.Result, error) {
		close(started)
		<-release
		return tool.Text("done"), nil
	}}
	store := &memory.Store{}
	a := newAgent(t, agent.Config{Model: script(t, "turns: [{calls: [{tool: slow}]}, {text: one}, {text: two}]"), Tools: []tool.Tool{slow}, Store: store})
	var pending sync.WaitGroup
	pending.Go(func() { turn(t, a, "s", "first") })
	<-started
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := run(ctx, a, "s", "impatient"); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "session s is busy") {
		t.Errorf("got %v", err)
	}
	// Another session, and a preview of this one, need not wait.
	if _, err := a.Preview(t.Context(), "s", agent.Text("look")); err != nil {
		t.Errorf("preview: %v", err)
	}
	pending.Go(func() { turn(t, a, "s", "second") })
	time.Sleep(5 * time.Millisecond)
	close(release)
	pending.Wait()
	diff(t, "events", kinds(readLog(t, store, "s")), "session.start input prefix request answer tool.call tool.result request answer stop input request answer stop")
}

// Many sessions and many inputs for each, more than the agent keeps: turns never
// mix. For the race detector, too.
func TestManySessions(t *testing.T) {
	store := &memory.Store{}
	a := newAgent(t, agent.Config{Model: script(t, "turns: [{text: ok}]"), Store: store})
	var pending sync.WaitGroup
	for w := range 8 {
		pending.Go(func() {
			for i := range 80 {
				id := fmt.Sprint("s", (i*8+w)%300)
				if i%3 == 0 {
					id = fmt.Sprint("shared", i%5)
				}
				if _, err := run(t.Context(), a, id, "hi"); err != nil {
					t.Errorf("session %s: %v", id, err)
					return
				}
			}
		})
	}
	pending.Wait()
	for i := range 5 {
		readLog(t, store, fmt.Sprint("shared", i))
	}
}

// A turn that loses its log meanwhile disturbs nobody who waits for the session.
func TestFailedStoreWithWaiters(t *testing.T) {
	store := &brokenStore{left: 3}
	a := newAgent(t, agent.Config{Model: script(t, "turns: [{text: ok}]"), Store: store})
	var pending sync.WaitGroup
	for range 6 {
		pending.Go(func() {
			for range 10 {
				if _, err := run(t.Context(), a, "s", "hi"); err != nil && !errors.Is(err, errDisk) {
					t.Error(err)
				}
				store.mu.Lock()
				store.left = 5
				store.mu.Unlock()
			}
		})
	}
	pending.Wait()
	store.left = 100
	turn(t, a, "s", "last")
	readLog(t, store, "s")
}

func TestSessionIDs(t *testing.T) {
	a := newAgent(t, agent.Config{Model: script(t, "turns: [{text: ok}]")})
	for _, id := range []string{"", "../x", "a/b", strings.Repeat("x", 65)} {
		if _, err := run(t.Context(), a, id, "hi"); err == nil {
			t.Errorf("the id %q was accepted", id)
		}
		if _, err := a.Preview(t.Context(), id, agent.Text("hi")); err == nil {
			t.Errorf("the id %q was accepted by Preview", id)
		}
	}
}

// The input is stored before anything else can fail, also when the turn is
// cancelled before it begins.
func TestCancelledBeforeItBegins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	store := &memory.Store{}
	model := &recorder{Model: script(t, "turns: [{text: ok}]")}
	a := newAgent(t, agent.Config{Model: model, Store: store})
	for range 2 {
		if _, err := run(ctx, a, "s", "remember"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	diff(t, "requests", len(model.bodies), 0)
	diff(t, "events", kinds(readLog(t, store, "s")), "session.start input stop input stop")
}
