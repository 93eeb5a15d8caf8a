package spawn

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/wire"
)

// How a task stands.
const (
	Running     = "running"
	Waiting     = "waiting"     // for the answer of a person
	Completed   = "completed"   // its answer is complete
	Failed      = "error"       // it ended without a complete answer
	Interrupted = "interrupted" // it was cancelled, or its process ended
)

// A child is a session that another began.
type child struct {
	id     string
	parent session.Parent
	root   string // the session that a user runs

	state  string // how it stands, guarded by its kin
	first  outcome
	last   outcome
	task   string // how its first input begins
	turns  int    // inputs that it had
	cancel context.CancelFunc
	done   chan struct{} // closed when it is not running any more; nil: it never was
}

// An outcome is how a turn of a child ended.
type outcome struct {
	state string
	text  string // the last answer, cut
	why   string // it is not completed
}

// A kin are the children of one session.
type kin struct {
	mu     sync.Mutex
	loaded bool
	dead   bool // it was forgotten: another one has its place
	next   int
	list   []*child // in the order in which they began
}

// forget takes out a child of which nothing is recorded.
func (k *kin) forget(c *child) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = slices.DeleteFunc(k.list, func(o *child) bool { return o == c })
}

// pass leaves out the numbers of children whose end was told, also of those that
// were deleted since: their ids mean them for good.
func (k *kin) pass(id string, told []string) {
	for _, t := range told {
		if rest, ok := strings.CutPrefix(t, id+"-"); ok {
			if n, err := strconv.Atoi(rest); err == nil && childID(id, n) == t {
				k.next = max(k.next, n+1)
			}
		}
	}
}

// kinOf returns the children of a session, locked, after they were looked for in
// the store.
func (s *Spawner) kinOf(ctx context.Context, id string) (*kin, error) {
	k := s.lockKin(id)
	if !k.loaded {
		if err := s.load(ctx, id, k); err != nil {
			k.mu.Unlock()
			return nil, err
		}
	}
	return k, nil
}

func (s *Spawner) lockKin(id string) *kin {
	for {
		s.mu.Lock()
		k := s.kins[id]
		if k == nil {
			k = &kin{next: 1}
			s.kins[id] = k
		}
		s.mu.Unlock()
		if k.mu.Lock(); !k.dead {
			return k
		}
		k.mu.Unlock()
	}
}

// load finds the children of a session. What is not running in this process and
// has no end was interrupted.
func (s *Spawner) load(ctx context.Context, id string, k *kin) error {
	numbers, err := s.numbers(ctx, id)
	if err != nil {
		return err
	}
	k.list, k.next = nil, 1
	for _, n := range numbers {
		c := &child{id: childID(id, n)}
		found, err := s.read(ctx, c)
		if err != nil {
			return err
		}
		if found {
			k.next = n + 1
		}
		if found && c.parent.Session == id {
			k.list = append(k.list, c)
		}
	}
	k.loaded = true
	return nil
}

func childID(parent string, n int) string { return parent + "-" + strconv.Itoa(n) }

// numbers returns the numbers that children of a session may have, in order.
func (s *Spawner) numbers(ctx context.Context, id string) ([]int, error) {
	var out []int
	lister, ok := s.cfg.Store.(session.Lister)
	if !ok { // they are numbered without gaps
		for n := 1; ; n++ {
			c := &child{id: childID(id, n)}
			found, err := s.read(ctx, c)
			if err != nil || !found {
				return out, err
			}
			out = append(out, n)
		}
	}
	infos, err := lister.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("children of session %s: %w", id, err)
	}
	for _, i := range infos {
		if rest, ok := strings.CutPrefix(i.ID, id+"-"); ok {
			if n, err := strconv.Atoi(rest); err == nil && n > 0 && childID(id, n) == i.ID {
				out = append(out, n)
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

// read follows the log of a child. It reports whether there is one.
func (s *Spawner) read(ctx context.Context, c *child) (found bool, err error) {
	if session.CheckID(c.id) != nil {
		return false, nil
	}
	t := tracker{c: c, max: s.cfg.MaxResult}
	for e, err := range s.cfg.Store.Events(ctx, c.id) {
		if err != nil {
			return found, fmt.Errorf("session %s: %w", c.id, err)
		}
		found = true
		t.add(e)
	}
	if found && c.last.state == "" { // it ended before its first input was stored
		t.end(Interrupted, abandoned)
	}
	c.state = c.last.state
	return found, nil
}

const (
	cancelled = "it was cancelled"
	abandoned = "the process ended while it worked"
)

// A tracker follows the events of a child.
type tracker struct {
	c       *child
	max     int
	stopped bool // the turn is over, or waits
}

func (t *tracker) add(e session.Event) {
	o := &t.c.last
	switch e.Kind {
	case session.Start:
		if e.Parent != nil {
			t.c.parent = *e.Parent
		}
	case session.Input:
		if t.c.turns++; t.c.turns == 1 {
			t.c.task = oneLine(e.Message.Text().String(), 80)
		}
		*o, t.stopped = outcome{state: Interrupted, why: abandoned}, false
	case session.Replied:
		o.state, o.why, t.stopped = Interrupted, abandoned, false
	case session.Answer:
		o.text = cut(e.Message.Text().String(), t.max)
	case session.Stopped:
		t.stopped = true
		t.end(judge(e))
	}
	if t.c.turns <= 1 {
		t.c.first = *o
	}
}

// end says how the turn stands.
func (t *tracker) end(state, why string) {
	t.c.last.state, t.c.last.why = state, why
	if t.c.turns <= 1 {
		t.c.first = t.c.last
	}
}

// judge says how a stopped turn stands.
func judge(e session.Event) (state, why string) {
	switch e.Stop.Reason {
	case string(wire.StopEnd):
		return Completed, ""
	case agent.StopAsks:
		return Waiting, "it waits for the answer of a person"
	case agent.StopCancelled:
		return Interrupted, cancelled
	}
	why = e.Stop.Reason
	for _, more := range []string{e.Stop.Message, e.Failure} {
		if more != "" {
			why += ": " + more
		}
	}
	return Failed, why
}
