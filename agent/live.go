package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/wire"
)

// maxLive is how many sessions keep their caches. More may run.
const maxLive = 256

// A live holds what an agent keeps of a session between steps: its folded log
// and what makes the next step cheap. Everything in it can be rebuilt from the
// store.
type live struct {
	id   string
	busy chan struct{} // holds a token while a turn runs
	held int           // turns that run or wait; guarded by the agent's lock
	// response is the last one, for a chain; nil: there is none. A preview reads it
	// while a turn runs.
	response atomic.Pointer[response]

	kept // whoever holds the token may change it
}

// A kept is what can be rebuilt from the store.
type kept struct {
	loaded   bool
	folder   session.Folder
	facts    *prompt.Facts
	composer *prompt.Composer
	lineage  []string
	epoch    int
	vars     runVars
	bodyOf   Alternative     // the model that body is for
	body     *wire.Body      // of the last request
	block    []chat.ToolSpec // of the last request
	frozen   *frozen         // of the last composition
	keyed    *frozen         // the prefix that key was made for
	key      string
	nested   map[string]bool            // documents that were handed over; nil: not known yet
	told     map[prompt.Diagnostic]bool // what was said of them
	keeping  keeping                    // what the store has of it
	size     sizing                     // of its requests
}

// A response is what a provider keeps of a conversation.
type response struct {
	id       string
	model    Alternative
	messages int // that it has, the answer included
}

func newLive(id string) *live { return &live{id: id, busy: make(chan struct{}, 1)} }

// ErrBusy says that a turn runs in the session and that the agent is configured
// to refuse another one meanwhile.
var ErrBusy = errors.New("busy: a turn is running in it")

// acquire returns the session's live state once no other turn runs in it. The
// returned function gives it back.
func (a *Agent) acquire(ctx context.Context, id string) (*live, func(), error) {
	a.mu.Lock()
	l := a.live[id]
	if l == nil {
		if len(a.live) >= maxLive {
			a.evict()
		}
		l = newLive(id)
		a.live[id] = l
	}
	l.held++
	a.mu.Unlock()
	leave := func() {
		a.mu.Lock()
		l.held--
		a.mu.Unlock()
	}
	select {
	case l.busy <- struct{}{}:
	default:
		if a.cfg.RefuseBusy {
			leave()
			return nil, nil, fmt.Errorf("session %s: %w", id, ErrBusy)
		}
		select {
		case l.busy <- struct{}{}:
		case <-ctx.Done():
			leave()
			return nil, nil, fmt.Errorf("session %s is busy: %w", id, ctx.Err())
		}
	}
	if !l.loaded {
		// Without the log the input cannot be stored, which comes first.
		if err := a.load(context.WithoutCancel(ctx), l); err != nil {
			<-l.busy
			leave()
			return nil, nil, err
		}
	}
	return l, func() { <-l.busy; leave() }, nil
}

// evict forgets the sessions in which no turn runs or waits. The caller holds the
// lock.
func (a *Agent) evict() {
	for id, l := range a.live {
		if l.held == 0 {
			delete(a.live, id)
		}
	}
}

// load folds the stored log.
func (a *Agent) load(ctx context.Context, l *live) error {
	var folder session.Folder
	for e, err := range a.cfg.Store.Events(ctx, l.id) {
		if err != nil {
			return fmt.Errorf("session %s: %w", l.id, err)
		}
		if err := folder.Add(e); err != nil {
			return fmt.Errorf("session %s: %w", l.id, err)
		}
	}
	l.folder, l.loaded = folder, true
	return nil
}

// forget drops what is kept of the session, so that the next turn reads the log
// again.
func (l *live) forget() {
	l.kept = kept{}
	l.response.Store(nil)
}

// responseOf returns what the provider keeps of a session's conversation, as far as
// this process knows; nil: nothing.
func (a *Agent) responseOf(id string) *response {
	a.mu.Lock()
	defer a.mu.Unlock()
	if l := a.live[id]; l != nil {
		return l.response.Load()
	}
	return nil
}

// composerFor returns the session's composer, a new one if the stages or the
// variables of the turn changed.
func (a *Agent) composerFor(l *live, lineage []string, vars runVars) *prompt.Composer {
	epoch := 0
	if a.preset.Epoch != nil {
		epoch = a.preset.Epoch()
	}
	if l.composer == nil || l.epoch != epoch || !slices.Equal(l.lineage, lineage) || !l.vars.equal(vars) {
		var own []prompt.Stage
		if a.cfg.Runtime != nil {
			own = append(own, a.runtimeStage())
		}
		stages := a.preset.With(lineage, a.hooks.prompt, own...)
		if len(vars.values) > 0 {
			stages = append([]prompt.Stage{vars.stage()}, stages...)
		}
		if len(a.passages) > 0 {
			stages = append(stages, a.passages.stage())
		}
		l.composer = prompt.NewComposer(stages...)
		l.epoch, l.lineage, l.vars = epoch, lineage, vars.clone()
	}
	return l.composer
}

// cacheKey returns the key under which a provider may keep the prompt: the hash
// of its prefix, so that equal prefixes meet whoever sends them. A projection may
// change the prefix at each request.
func (l *live) cacheKey(projects bool, r wire.Request) string {
	if l.keyed != l.frozen || projects {
		prefix, _ := wire.Prefix(r.System, r.Instructions, r.Tools)
		sum := sha256.Sum256(prefix)
		l.keyed, l.key = l.frozen, hex.EncodeToString(sum[:16])
	}
	return l.key
}
