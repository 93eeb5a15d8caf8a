package agent

import (
	"cmp"
	"errors"

	"github.com/proemhq/proem/agent/internal/compact"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/token"
	"github.com/proemhq/proem/wire"
)

// Compaction says how a conversation is made shorter before it outgrows the
// model's window. The zero value does it wherever the window is known, and once
// when a provider refuses a request as too long.
//
// It has two passes, each an event of its own that stays whatever the next one
// does. The first leaves out the middle of old large results. If that is not
// enough, the second asks a model for a summary, which takes the place of all but
// the latest messages. The last input stays word for word, calls stay with their
// results, and the texts before the conversation do not move: system text,
// instructions, contexts, notices and handed-over documents are never part of what
// is summarised. A summary that fails changes nothing and is reported as
// compaction.failed.
//
// It happens between two steps, also within a turn. The summary is asked for by
// hooks' leave: RequestHook and ModelHook see its request, with At.Summary set. What
// it takes counts towards [Limits] and stands in the event.
type Compaction struct {
	// Off leaves the history alone, also when a request is too long.
	Off bool
	// Window is how many tokens a request and its answer may have together; 0: as
	// the model's capability record says, or else the provider when it refused a
	// request.
	Window int
	// Reserve is what of it is kept free for the answer; 0: the most that an answer
	// may have, or a fifth of the window where that is not known; negative: nothing.
	Reserve int
	// Keep is about how many tokens of the latest messages are not replaced by a
	// summary; 0: a quarter of the window, and no more than 20,000.
	Keep int
	// Summary is the model that is asked; its zero value is the turn's.
	Summary Alternative
	// Count counts tokens; nil: token.ForModel. Where a provider reports how many a
	// request had, that corrects it.
	Count func(string) int
}

func (c *Compaction) check() error {
	if c.Window < 0 || c.Keep < 0 {
		return errors.New("compaction: window and keep are numbers of tokens; neither is below 0")
	}
	if c.Summary.Model == nil && c.Summary.Name != "" {
		return errors.New("compaction: the summary's model has a name and is nil; set Compaction.Summary.Model")
	}
	return nil
}

// minWindow is the smallest window that a provider's refusal is believed to name.
const minWindow = 256

// defaultReserve is the most that is kept free where the longest answer is not
// known.
const defaultReserve = 20_000

// A sizing is what is known of the size of a session's requests.
type sizing struct {
	before  *texts // of the last request; nil: not known
	refused Alternative
	window  int // as refused named it
	// counts are the tokens of the history's leading messages for a model, as of the
	// event that last made it shorter.
	counts    []int
	model     string
	shortened uint64
}

// texts are what stands before a conversation.
type texts struct {
	system, instructions []prompt.Part
	tools                []chat.ToolSpec
}

// window returns how many tokens fit into a model, and how many of them are for
// the answer; 0: not known.
func (a *Agent) window(l *live, m Alternative, in Input) (window, reserve int) {
	c := a.cfg.Compaction
	var capability wire.Capability
	if i, ok := m.Model.(provider.Informer); ok {
		capability = i.Capability()
	}
	window = cmp.Or(c.Window, capability.Window)
	if w := l.size.window; w > 0 && (window == 0 || w < window) && sameModel(l.size.refused, m) {
		window = w
	}
	switch reserve = c.Reserve; {
	case window == 0, reserve < 0:
		return window, 0
	case reserve == 0:
		reserve = cmp.Or(a.options(in).MaxOutputTokens, capability.MaxOutput, min(window/5, defaultReserve))
	}
	return window, min(reserve, window/2)
}

// sane is more than any request has tokens: a host may report anything.
const sane = 1 << 32

// meter returns what counts a model's tokens.
func (a *Agent) meter(m Alternative) compact.Meter {
	if count := a.cfg.Compaction.Count; count != nil {
		return compact.Meter{Count: count}
	}
	return compact.Meter{Count: token.ForModel(m.Name).Count}
}

// tokens returns about how many tokens the next request has: what the provider
// reported for the last one, and what came since. Without a report all is counted.
func (l *live) tokens(v session.View, m compact.Meter, model string) int {
	if u := v.LastUsage; u != nil && u.Input != nil && 0 < *u.Input && *u.Input < sane {
		for i := len(v.Messages) - 1; i >= 0; i-- {
			if v.Messages[i].Role == chat.Assistant {
				n := *u.Input + m.Messages(v.Messages[i+1:])
				if u.Output != nil && 0 <= *u.Output && *u.Output < sane {
					return n + *u.Output
				}
				return n + m.Message(v.Messages[i])
			}
		}
	}
	return l.counted(v, m, model)
}

// counted returns the tokens of the next request as they are counted.
func (l *live) counted(v session.View, m compact.Meter, model string) int {
	s := &l.size
	if s.shortened != v.Shortened || s.model != model {
		s.counts, s.shortened, s.model = nil, v.Shortened, model
	}
	for i := len(s.counts); i < v.Settled; i++ {
		s.counts = append(s.counts, m.Message(v.Messages[i]))
	}
	n := m.Messages(v.Messages[v.Settled:])
	for _, c := range s.counts {
		n += c
	}
	if s.before == nil {
		return n
	}
	for _, parts := range [][]prompt.Part{s.before.system, s.before.instructions} {
		for _, p := range parts {
			n += m.Tokens(p.Text.String())
		}
	}
	for _, t := range s.before.tools {
		n += m.Tokens(t.Name) + m.Tokens(t.Description) + m.Tokens(string(t.Parameters))
	}
	return n
}

// sent notes the texts before the conversation.
func (l *live) sent(r wire.Request) { l.size.before = &texts{r.System, r.Instructions, r.Tools} }

// learn notes what a provider said of its window when it refused a request.
func (l *live) learn(m Alternative, e *wire.APIError) {
	if minWindow <= e.Limit && e.Limit < e.Used && e.Used < sane {
		l.size.refused, l.size.window = m, e.Limit
	}
}
