// Package keeper keeps an agent's memory up to date by asking a model: after a
// turn it writes down what is worth it, and it tidies MEMORY.md.
//
//	k, err := keeper.New(keeper.Config{Store: s, Model: model, ModelName: "small", Report: report})
//	a, err := agent.New(agent.Config{…, Hooks: []agent.Hook{k}})
//	for event, err := range a.Run(ctx, id, in) { … } // the answer does not wait
//	err = k.Close(ctx)                               // what is left is written down
//
// Extraction happens in the background. A turn that ended is put in a queue; for
// each user one request at a time says what of the turns should be remembered,
// and that is appended to the ledger of the day, such as memory/2026-01-02.md.
// It does not enter the prompt by itself: what a tool's result made a model write
// down stands in a file that is searched, not in every request.
//
// Consolidation rewrites MEMORY.md from itself and the ledgers that are new since
// the last time. The text from before is kept and can be put back with Restore of
// the store. An answer that is empty, too long or no list changes nothing.
//
// The model is shown what the user wrote, the answers, and the beginnings of
// calls and results. It is not shown the prompt, instruction files, skills or
// what looks like a credential.
package keeper

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool/memory"
	"github.com/proemhq/proem/tool/memory/store"
	"github.com/proemhq/proem/tool/skill"
	"github.com/proemhq/proem/wire"
)

// Defaults of a Config.
const (
	DefaultTimeout    = 2 * time.Minute
	DefaultMaxWaiting = 64
	DefaultMaxBytes   = 32 << 10
)

// A Config says who is asked and how often. Store and Model are needed.
type Config struct {
	Env       *env.Env // nil: the operating system's
	Store     *store.Store
	Model     provider.Model
	ModelName string       // as the host calls it
	Options   wire.Options // of the requests
	// Gap is the least time between two requests for one user. Turns that end
	// meanwhile go into one request; 0: there is none.
	Gap     time.Duration
	Timeout time.Duration // of one request; 0: DefaultTimeout
	// MaxWaiting is how many turns wait. Further ones are left out and reported; 0:
	// DefaultMaxWaiting.
	MaxWaiting int
	MaxBytes   int // of turns in one request; 0: DefaultMaxBytes
	// ConsolidateAt has MEMORY.md consolidated behind an extraction when the ledgers
	// have so many new bytes; 0: only when Consolidate is called.
	ConsolidateAt int
	// Omit names the tools whose results are not handed over; nil: load_skill,
	// memory_search and memory_get.
	Omit []string
	// Report is told of each request and of each turn that was left out; it may be
	// called concurrently. nil: nobody is told.
	Report func(Report)
}

// An Act is something that a keeper does.
type Act string

// What a keeper does.
const (
	Extract     Act = "extract"
	Consolidate Act = "consolidate"
)

// A Report says what came of an act.
type Report struct {
	Act       Act
	Who       prompt.Who
	Turns     int             // that were looked at, or left out
	Saved     store.Saved     // by an extraction
	Rewritten store.Rewritten // by a consolidation; zero: MEMORY.md stays as it was
	Usage     *wire.Usage     // nil: not reported
	Notes     []string        // what was left out, and why
	Err       error           // nil: all went well
}

// ErrFull says that turns were left out, because too many wait.
var ErrFull = errors.New("keeper: too many turns wait; this one is not looked at")

// ErrClosed says that a turn ended after the keeper was closed.
var ErrClosed = errors.New("keeper: closed; this turn is not looked at")

// A Keeper is a hook of an agent. It may be used concurrently, and by several
// agents.
type Keeper struct {
	cfg  Config
	env  *env.Env
	stop context.CancelFunc
	base context.Context // ends when Close gives up
	slot chan struct{}   // requests that run at the same time

	mu      sync.Mutex
	closed  bool
	users   map[user]*queue
	waiting int           // turns in all queues
	active  int           // queues that are worked on
	hurry   int           // calls of Flush
	calm    *calm         // ended by Flush
	idle    chan struct{} // closed when no queue is worked on; nil: nobody asks
}

var (
	_ agent.TurnHook = (*Keeper)(nil)
	_ agent.Observer = (*Keeper)(nil)
)

// maxAtOnce is how many users' requests run at the same time.
const maxAtOnce = 4

// New returns a keeper that does nothing until turns end or Consolidate is called.
func New(c Config) (*Keeper, error) {
	switch {
	case c.Store == nil:
		return nil, errors.New("keeper: there is no store")
	case c.Model == nil:
		return nil, errors.New("keeper: there is no model")
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.MaxWaiting == 0 {
		c.MaxWaiting = DefaultMaxWaiting
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	if c.Omit == nil {
		c.Omit = []string{skill.Name, memory.SearchName, memory.GetName}
	}
	k := &Keeper{cfg: c, env: env.OrSystem(c.Env), slot: make(chan struct{}, maxAtOnce), users: map[user]*queue{}, calm: newCalm()}
	k.base, k.stop = context.WithCancel(context.Background())
	return k, nil
}

// Name implements [agent.Hook].
func (*Keeper) Name() string { return "keeper" }

type turnKey struct{}

// AroundTurn implements [agent.TurnHook]: it queues the turn when it has ended.
func (k *Keeper) AroundTurn(ctx context.Context, at agent.At, next func(context.Context) error) error {
	if at.Preview {
		return next(ctx)
	}
	t := &turn{session: at.Session, number: at.Turn}
	err := next(context.WithValue(ctx, turnKey{}, t))
	if t.answered {
		k.add(at.Who, t)
	}
	return err
}

// Observe implements [agent.Observer]: it notes what is said in the turn.
func (k *Keeper) Observe(ctx context.Context, _ string, e session.Event) {
	if t, ok := ctx.Value(turnKey{}).(*turn); ok {
		t.observe(e, k.cfg.Omit)
	}
}

func (k *Keeper) report(r Report) {
	if k.cfg.Report != nil {
		k.cfg.Report(r)
	}
}
