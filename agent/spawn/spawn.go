// Package spawn runs subagents for an agent: each in a session of its own, with
// the prompt that its declaration names and nothing else of its parent's.
//
//	s, err := spawn.New(spawn.Config{
//		Declarations: subagents.New(…),
//		Store:        store,
//		Permissions:  permissions,
//		Build: func(ctx context.Context, d *subagents.Declaration, depth int) (agent.Config, error) {
//			return agent.Config{Model: model, ModelName: "qwen3", Tools: tools}, nil
//		},
//	})
//	defer s.Close()
//	parent, err := agent.New(agent.Config{
//		Tools: append(tools, s.Tools()...), Hooks: []agent.Hook{s},
//		Model: model, ModelName: "qwen3", Store: store, Permissions: permissions,
//	})
//
// A child's session is called after its parent's with a number behind it, and its
// start event has a [session.Parent]: a process that goes on with the parent finds
// its children, and those that it had running in the background when it ended are
// told as interrupted.
//
// In the foreground the call waits for the child's answer. Where a call of the
// child must be permitted, or the child asks, the parent's turn pauses with that
// question, and the answer goes on with both. In the background nobody can be
// asked. What a child in the background found is told by a notice before the
// parent's next request: once, because the notice is where it is recorded.
//
// Who may do what is decided by one policy for parent and children, in the mode of
// the parent's turn. Tokens and costs of children count to the limits of the turn
// whose call began them, as long as that lasts.
package spawn

import (
	"context"
	"errors"
	"sync"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/subagent"
)

// The limits that hold when none is given.
const (
	DefaultMaxDepth   = 2        // generations below the session that a user runs
	DefaultMaxRunning = 4        // at the same time, of all generations together
	DefaultMaxTotal   = 100      // children of one session
	DefaultMaxResult  = 32 << 10 // bytes of an answer that the parent is shown
)

// maxTold is how many ends one notice tells.
const maxTold = 10

// Config says which subagents there are and how they are made.
type Config struct {
	Declarations *subagents.Source // required
	// Build returns what a child is made of; required. Its preset, if any, its
	// registry, tools, model and limits are used as they are, but for what the
	// declaration leaves out. Store and Permissions are those below. The registry
	// must be the child's own. It may be called concurrently.
	Build func(ctx context.Context, d *subagents.Declaration, depth int) (agent.Config, error)
	Store session.Store // the parent's; required
	// Permissions are the parent's; nil: every call runs.
	Permissions *agent.Permissions

	MaxDepth   int // 0: DefaultMaxDepth
	MaxRunning int // 0: DefaultMaxRunning
	MaxTotal   int // 0: DefaultMaxTotal
	MaxResult  int // 0: DefaultMaxResult
}

// A Spawner runs subagents. It is a hook of the parent and makes its tools. It may
// be used concurrently, by several agents that share the store. Make one with New,
// and close it before the store.
type Spawner struct {
	cfg  Config
	base context.Context // ends with Close
	end  context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	kins    map[string]*kin   // by the session of the parent
	running map[string]*child // by session
}

var (
	_ subagent.Spawner = (*Spawner)(nil)
	_ agent.TurnHook   = (*Spawner)(nil)
	_ agent.NoticeHook = (*Spawner)(nil)
)

// New returns a spawner. Nothing is read or started yet.
func New(cfg Config) (*Spawner, error) {
	switch {
	case cfg.Declarations == nil:
		return nil, errors.New("spawn: no declarations; set Config.Declarations")
	case cfg.Build == nil:
		return nil, errors.New("spawn: nothing builds an agent; set Config.Build")
	case cfg.Store == nil:
		return nil, errors.New("spawn: no store; set Config.Store to that of the parent")
	}
	for _, l := range []struct {
		limit    *int
		standard int
	}{{&cfg.MaxDepth, DefaultMaxDepth}, {&cfg.MaxRunning, DefaultMaxRunning}, {&cfg.MaxTotal, DefaultMaxTotal}, {&cfg.MaxResult, DefaultMaxResult}} {
		if *l.limit <= 0 {
			*l.limit = l.standard
		}
	}
	s := &Spawner{cfg: cfg, kins: map[string]*kin{}, running: map[string]*child{}}
	s.base, s.end = context.WithCancel(context.Background())
	return s, nil
}

// Tools returns the tools for the parent.
func (s *Spawner) Tools() []tool.Tool { return subagent.Tools(s) }

// Name implements [agent.Hook].
func (s *Spawner) Name() string { return "subagents" }

// Close cancels the children that are running and waits until their ends are
// recorded. Nothing is begun afterwards.
func (s *Spawner) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.work.Wait()
	return nil
}
