package agent

import (
	"context"
	"fmt"
	"iter"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

// A Hook takes part in the turns of an agent. It implements one or more of the
// points: [TurnHook], [InputHook], [NoticeHook], [PromptHook], [StepHook], [RequestHook],
// [ModelHook], [CallsHook], [CallHook], [ResultHook] and [Observer]. Several hooks
// at one point are called in the order of the list, the first outermost; results
// pass them the other way round.
//
// What hooks are given is theirs to change, except the bytes of images; what they
// return counts. What a hook changed carries its name as the Stage of the origin,
// in the assembly, in the marks of the body and in the session's events.
//
// An error of a hook, and likewise a panic, ends the turn with a [HookError];
// calls that were not run get a result all the same. In a session hooks are
// called one after the other; those of several sessions may be at the same time.
// A hook that stands around something calls next in its own goroutine and does
// not return before it.
type Hook interface {
	// Name is to whom changes and errors are attributed. No two hooks of an agent
	// have the same.
	Name() string
}

// An At says where in a session a hook is called.
type At struct {
	Session string
	Turn    int // from 1
	Step    int // the model request within the turn, from 1; 0: before the first
	Who     prompt.Who
	// Preview says that nothing will be sent or stored. A hook does what it does to
	// the prompt, so that the preview shows what would be sent, and acts in no other
	// way.
	Preview bool
	// Summary says that the request is one for a summary of the conversation; see
	// [Compaction]. Its answer is no answer of the step.
	Summary bool
}

// A TurnHook stands around a turn, and around a preview.
type TurnHook interface {
	// AroundTurn calls next once. If it does not, nothing is recorded and the run
	// ends with an error. An error of next stays one, whatever AroundTurn returns.
	AroundTurn(ctx context.Context, at At, next func(context.Context) error) error
}

// An InputHook sees an input before it is stored.
type InputHook interface {
	// InterceptInput returns the input to go on with. A [Blocked] refuses it: it is
	// not stored, and the turn stops with the reason StopBlocked. For whom the input
	// is cannot be changed.
	InterceptInput(ctx context.Context, at At, in Input) (Input, error)
}

// A NoticeHook tells the model what happened meanwhile.
type NoticeHook interface {
	// Notices returns what is told before the next request, given what the log of
	// the session says. It is called before each request, and in a preview: what it
	// returns follows from the log and from what happened, never from how often it
	// was asked. A notice is recorded before the request is, and stays in the
	// history. Notices without text count for nothing.
	Notices(ctx context.Context, at At, view session.View) ([]Notice, error)
}

// A PromptHook transforms the texts that stand before the conversation.
type PromptHook interface {
	// TransformPrompt returns the text of the channel, which is system or
	// instructions. It is a pure function, called for each request behind the
	// preset's stages, or among them where the preset has a place for it, and is not
	// told of previews. [stage.Text] says how a change is
	// attributed. A channel that is muted, or has a sole section, is left alone.
	TransformPrompt(in prompt.Input, ch prompt.Channel, text string) (string, error)
}

// A PromptOrder is a [PromptHook] with a place among the others: those of a higher
// order come first, and of equal ones the first of the list. Without it the order is
// [preset.DefaultOrder]. A preset may have places of its own for orders.
type PromptOrder interface {
	PromptHook
	PromptOrder() int
}

// A StepHook stands around what leads to an answer: composing the request,
// sending it, also to a fallback, and recording the answer.
type StepHook interface {
	// AroundStep calls next once. If it does not, the turn ends with an error.
	AroundStep(ctx context.Context, at At, next func(context.Context) error) error
}

// A RequestHook has the last look at a request.
type RequestHook interface {
	// EditRequest returns the request that is encoded and sent. It is called for
	// each attempt, a fallback's too. The request event names the hooks that changed
	// something. Where the provider keeps the conversation (see [Request].Chain), a
	// change to messages that it has already begins a new chain.
	EditRequest(ctx context.Context, at At, r wire.Request) (wire.Request, error)
}

// A ModelHook stands around the call of a model. It is not called in a preview.
type ModelHook interface {
	// AroundModel returns the events of an answer. Those of next, or others: next
	// may be called again, or not at all. Text that differs from what the model said
	// is attributed to the hook.
	AroundModel(ctx context.Context, at At, body wire.Body, next func(context.Context) iter.Seq2[wire.Event, error]) iter.Seq2[wire.Event, error]
}

// A CallsHook stands around the tool calls of an answer.
type CallsHook interface {
	// AroundCalls calls next once, which runs the calls and records their results.
	// If it does not, each call has a result that says so, and the turn goes on.
	AroundCalls(ctx context.Context, at At, calls []chat.ToolCall, next func(context.Context) error) error
}

// A CallHook sees each call before it runs. Calls of unknown tools or with broken
// arguments are refused before.
type CallHook interface {
	// InterceptCall returns the call to run: other arguments, or another name to
	// have another tool run, also one that the model was not shown. It is checked
	// again. A [Blocked] gives the call a result that says why it was not run. The id
	// cannot be changed.
	InterceptCall(ctx context.Context, at At, call chat.ToolCall) (chat.ToolCall, error)
}

// A ResultHook sees the result of each call that ran, errors too.
type ResultHook interface {
	// InterceptResult returns the result that is recorded and sent. call is the call
	// as it ran. A [Blocked] withholds the result and says why.
	InterceptResult(ctx context.Context, at At, call chat.ToolCall, result tool.Result) (tool.Result, error)
}

// An Observer is told what happens, after it was stored.
type Observer interface {
	// Observe is given a copy of each event, deltas too. The turn waits for it. A
	// panic is reported as a diagnostic, and the observer is told nothing more of
	// the turn.
	Observe(ctx context.Context, id string, e session.Event)
}

// Blocked is the error by which a hook refuses an input, a call or a result. It
// is the reason, as a sentence for whoever is refused.
type Blocked string

// Error returns the reason.
func (b Blocked) Error() string {
	if b == "" {
		return "no reason is given"
	}
	return string(b)
}

// A HookError is the failure of a hook.
type HookError struct {
	Hook string // its name
	Err  error
}

// Error names the hook.
func (e *HookError) Error() string { return fmt.Sprintf("hook %s: %v", e.Hook, e.Err) }

// Unwrap returns Err.
func (e *HookError) Unwrap() error { return e.Err }
