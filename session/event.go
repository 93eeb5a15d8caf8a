package session

import (
	"fmt"
	"time"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
)

// Kind says what an event reports and which of its fields are set.
type Kind string

// The kinds of events that are stored.
const (
	Start      Kind = "session.start" // the session began; Parent
	Input      Kind = "input"         // Message: what the user wrote
	Context    Kind = "context"       // Message: dynamic facts that entered the history
	Requested  Kind = "request"       // Request: it is about to be sent
	Answer     Kind = "answer"        // Message of the model; Usage; Stop
	Call       Kind = "tool.call"     // Call: the tool is about to run
	Result     Kind = "tool.result"   // Message with one result; Usage of models that the call asked itself
	Asked      Kind = "ask"           // Ask: a call waits for a person
	Replied    Kind = "reply"         // Reply: what the person said
	Notice     Kind = "notice"        // Message: what proem itself tells the model; Tasks
	Ran        Kind = "code"          // Code: the answer is a program, which is about to run
	RanCalls   Kind = "code.calls"    // Message with the calls that the program makes next
	RanResult  Kind = "code.result"   // Message: what the model is told of the program, which is over
	Stopped    Kind = "stop"          // Stop, Failure, Message: the turn is over
	Diagnostic Kind = "diagnostic"    // Diagnostic
	Prefixed   Kind = "prefix"        // Prefix: what stands before the conversation from here on
	ToolState  Kind = "tools"         // Tools: what the model is shown from here on
	Pruned     Kind = "pruned"        // Cuts: old results are shown shorter from here on
	Compacted  Kind = "compacted"     // Compaction; Request and Usage of the summary
	Kept       Kind = "state"         // State: what the session keeps from here on
)

// The kinds of events that are shown and never stored. Their sequence number
// is 0.
const (
	DeltaText      Kind = "delta.text"      // Delta: more of an answer
	DeltaReasoning Kind = "delta.reasoning" // Delta: more of the reasoning
	Lost           Kind = "lost"            // Loss: events that a store could not read
)

// An Event is one thing that happened in a session. Which fields are set
// depends on the kind; [Event.Check] knows. An event is not changed after it
// was handed on.
type Event struct {
	Seq  uint64    `json:"seq,omitempty"` // from 1 and without gaps; 0: transient, never stored
	Time time.Time `json:"time,omitzero"`
	Kind Kind      `json:"kind"`
	Turn int       `json:"turn,omitempty"` // the user's turn, from 1; 0: before the first
	Step int       `json:"step,omitempty"` // the model request within the turn, from 1; 0: before the first

	// Message of a stop is what the turn answers, where that is not the text of the
	// last answer itself.
	Message    *chat.Message      `json:"message,omitempty"`
	Request    *Request           `json:"request,omitempty"`
	Usage      *Usage             `json:"usage,omitempty"` // nil: not reported
	Stop       *Stop              `json:"stop,omitempty"`
	Call       *chat.ToolCall     `json:"call,omitempty"`
	Code       *Code              `json:"code,omitempty"`
	Ask        *Ask               `json:"ask,omitempty"`
	Reply      *Reply             `json:"reply,omitempty"`
	Prefix     *Prefix            `json:"prefix,omitempty"`
	Diagnostic *prompt.Diagnostic `json:"diagnostic,omitempty"`
	Loss       *Loss              `json:"loss,omitempty"`
	Tools      *Tools             `json:"tools,omitempty"`
	Compaction *Compaction        `json:"compaction,omitempty"`
	// Cuts are in ascending order of their events.
	Cuts   []Cut   `json:"cuts,omitempty"`
	Parent *Parent `json:"parent,omitempty"` // nil: nobody's child
	Tasks  []Task  `json:"tasks,omitempty"`  // whose end the notice tells
	State  *State  `json:"state,omitempty"`
	// Failure is the error that ended a turn, as a sentence for a person.
	Failure string `json:"failure,omitempty"`
	// Delta is a piece of text.
	Delta string `json:"delta,omitempty"`
}

// A Request says what was sent, by content: whoever has the parts can put the
// same bytes together again and compare.
type Request struct {
	Model   string `json:"model,omitempty"`
	Dialect string `json:"dialect,omitempty"`
	// Body and Assembly are SHA-256 sums in hex of the bytes sent and of the
	// assembly; empty: not known.
	Body     string `json:"body,omitempty"`
	Assembly string `json:"assembly,omitempty"`
	// Snapshot, Facts and Input are the sums under which a [Keeper] keeps what the
	// request was made from: the registrations, what sources read, and everything else
	// but the history. Empty: it is not kept.
	Snapshot string `json:"snapshot,omitempty"`
	Facts    string `json:"facts,omitempty"`
	Input    string `json:"input,omitempty"`
	// Lock is the sum of what pinned the prompts then, such as proem.lock; empty:
	// nothing did.
	Lock   string `json:"lock,omitempty"`
	Chain  *Chain `json:"chain,omitempty"`  // nil: the provider keeps no conversation
	Bytes  int    `json:"bytes,omitempty"`  // length of the body
	Tokens int    `json:"tokens,omitempty"` // counted or estimated; 0: not known
	// ChangedBy names the hooks that had the last look and changed something, in
	// the order in which they did.
	ChangedBy []string `json:"changedBy,omitempty"`
	// Trace is what was said before the conversation; nil: the preset does not ask for
	// it.
	Trace *Trace `json:"trace,omitempty"`
}

// A Chain is how a request continues a conversation that the provider keeps.
type Chain struct {
	Begin    bool   `json:"begin,omitempty"`
	ID       string `json:"id,omitempty"`       // of the response that it continues
	Messages int    `json:"messages,omitempty"` // how many leading messages the provider has
}

// Usage counts tokens. A nil field was not reported, which is not zero.
type Usage struct {
	Input      *int `json:"input,omitempty"` // all input, cached included
	Cached     *int `json:"cached,omitempty"`
	CacheWrite *int `json:"cacheWrite,omitempty"`
	Output     *int `json:"output,omitempty"` // all output, reasoning included
	Reasoning  *int `json:"reasoning,omitempty"`
}

// Stop says why an answer or a turn ended.
type Stop struct {
	Reason  string `json:"reason"`            // a stable word, such as "end" or "length"
	Message string `json:"message,omitempty"` // for people
}

// Charged reports whether the event stands for an answer of a model, so that its
// usage counts: an answer of the conversation, or a summary of it.
func (e *Event) Charged() bool {
	return e.Kind == Answer || e.Kind == Compacted && e.Request != nil || e.Kind == Diagnostic && e.Usage != nil
}

// A Loss is a run of events that a store has lost to damage.
type Loss struct {
	First  uint64 `json:"first,omitempty"` // 0: damage between events, none of which is missing
	Last   uint64 `json:"last,omitempty"`  // 0: not known, the damage is at the end
	Offset int64  `json:"offset,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
}

// Count returns how many events are lost: -1 if this is not known.
func (l Loss) Count() int {
	switch {
	case l.First == 0:
		return 0
	case l.Last == 0:
		return -1
	}
	return int(l.Last - l.First + 1)
}

// String describes the loss in a sentence.
func (l Loss) String() string {
	where := fmt.Sprintf("%d damaged bytes at offset %d", l.Bytes, l.Offset)
	switch n := l.Count(); {
	case n < 0:
		return fmt.Sprintf("%s: events from %d on are lost", where, l.First)
	case n == 0:
		return where + ": no event is lost"
	case n == 1:
		return fmt.Sprintf("%s: event %d is lost", where, l.First)
	}
	return fmt.Sprintf("%s: events %d to %d are lost", where, l.First, l.Last)
}

// Transient reports whether events of the kind are shown and never stored.
func (k Kind) Transient() bool { return k == DeltaText || k == DeltaReasoning || k == Lost }
