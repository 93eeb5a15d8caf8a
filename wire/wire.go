// Package wire is the border between an assembled prompt and the bytes of a
// provider's protocol.
//
// A [Request] is neutral: the parts of the two text channels, the conversation,
// the tools and the options. A [Dialect] encodes it to a [Body], the exact bytes
// that are sent, and decodes a response stream to [Event]s. Encoding is pure and
// deterministic; what a protocol or a model cannot carry is reported in
// Body.Losses with its origin, never lost in silence. Every byte of text in a
// body is covered by a [Mark] that leads back to where the text came from.
//
//	body, err := openaichat.Dialect.Encode(nil, wire.Request{
//		Model:    "gpt-5",
//		System:   assembly.Parts(prompt.System),
//		Messages: []chat.Message{chat.UserText("hi", nil)},
//	})
//	m := body.Marks[0]
//	body.JSON[m.Lo:m.Hi] // the first text value, as it stands in the body
//
// Nothing here reads or writes anything: sending is the business of package
// provider.
package wire

import (
	"encoding/json"
	"io"
	"iter"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// A Dialect is one provider protocol.
type Dialect struct {
	Name string // "openai-chat", "openai-responses", "anthropic"
	// Path is appended to an endpoint's base URL, such as "/chat/completions".
	Path string
	// Encode returns the exact bytes of a request. prev is the body of the request
	// before, or nil; it stays valid, and its unchanged prefix is reused. Equal
	// requests give equal bytes whatever prev is.
	Encode func(prev *Body, r Request) (Body, error)
	// Decode reads a response: a stream of server-sent events, or a single JSON
	// object if the request did not ask for a stream. The result does not depend
	// on how the bytes arrive in chunks. The iteration ends after the first error.
	Decode func(r io.Reader) iter.Seq2[Event, error]
	// KeyHeader is the header that carries the key of an endpoint, such as
	// "x-api-key"; empty: "Authorization", with the key as a bearer token.
	KeyHeader string
	// Headers are fixed headers that the protocol demands. Not to be changed.
	Headers map[string]string
}

// A Request is what a model is asked, before any protocol.
type Request struct {
	Model        string
	System       []prompt.Part
	Instructions []prompt.Part
	Messages     []chat.Message // history, input, contexts, reminder, in this order
	Tools        []chat.ToolSpec
	Placement    Placement
	Capability   Capability
	Options      Options
	Cache        Cache // which prefixes the provider is asked to keep
	// Scratch is a body that nobody uses any more, or nil: its memory may be reused
	// for the new one. It is never the body of the request before.
	Scratch *Body
}

// Placement says how a dialect carries the two text channels.
type Placement uint8

// The placements. What each means in a dialect stands in the table of that
// dialect's package.
const (
	Auto   Placement = iota // Split where the capability record allows it, else Merged with a note
	Split                   // two places
	Merged                  // one place
)

// Options are a request's parameters. The zero value of each is "not sent".
type Options struct {
	Temperature     *float64
	TopP            *float64
	MaxOutputTokens int
	Reasoning       string // the effort, in the provider's words
	ToolChoice      string // "auto", "none", "required" or the name of a tool
	Parallel        *bool  // parallel tool calls; sent only with tools
	Store           *bool
	User            string // for whom the request is made; an identifier without personal data
	CacheKey        string
	Output          *Output // the form of the answer; nil: free text
	// Chain lets the provider keep the conversation, where the protocol knows that.
	Chain Chain
	// NoStream asks for one JSON object instead of a stream.
	NoStream bool
	// Extra are body fields of the caller's own, merged last, in ascending order
	// of their keys. A key that the body already has is an error.
	Extra map[string]json.RawMessage
}

// A Chain is a conversation that the provider keeps: each request continues the
// response before and sends only what is new. Responses are then stored, unless
// Options.Store says otherwise, and the text channels are merged, because only
// that is replaced by the next request. The zero value is no chain.
type Chain struct {
	Begin bool   // the request is the first of a chain
	ID    string // of the response that the request continues; empty: none
	// Messages is how many leading messages of the request the provider has: all
	// up to and including the answer of that response. They are not sent.
	Messages int
}

// On reports whether there is a chain.
func (c Chain) On() bool { return c.Begin || c.ID != "" }

// A Capability is what is known of a model at a host: one record decides
// everything that differs between models of one protocol. The zero value is the
// strictest: an unknown host gets exactly one system message at the head and no
// extension.
type Capability struct {
	Source        string // where the record comes from, for people; empty: none is known
	ManySystem    bool   // several leading system messages are allowed
	DeveloperRole bool   // the role of system text is "developer"
	LateSystem    Late   // what becomes of a system message inside the history
	// ConsecutiveUser: messages of one role may follow each other. Without it turns
	// alternate strictly, and neighbours of one role are joined.
	ConsecutiveUser bool
	MaxTokensKey    string // the name of the output limit; empty: "max_completion_tokens"
	StreamUsage     bool   // stream_options.include_usage is understood
	Images          bool
	Parallel        bool        // parallel_tool_calls is understood
	CacheKey        bool        // prompt_cache_key is understood
	Reasoning       bool        // reasoning_effort is understood
	StrictTools     bool        // strict function schemas are understood
	OutputSchema    bool        // an answer can be bound to a JSON schema
	Schema          SchemaLevel // what the schemas of tools may contain
	SafetyID        bool        // safety_identifier is understood, and takes the place of user
	// AnyArgs: a call in the history may carry arguments that are no JSON object.
	// Without it such arguments are replaced by {} and reported.
	AnyArgs bool
	// ReplayReasoning: the readable reasoning that led to tool calls is sent back.
	ReplayReasoning bool
	// SealedReasoning: the reasoning is handed out encrypted and taken back.
	SealedReasoning bool
	// Thinking is how a model of the anthropic dialect is asked to reason.
	Thinking Thinking
	Sampling Sampling // which sampling options may be sent
	// Breakpoints is how many cache breakpoints a request may have; 0: none.
	Breakpoints int
	CacheMin    int // the least tokens that a cached prefix has; 0: not known
	Window      int // tokens of context; 0: not known
	MaxOutput   int // tokens of output; 0: not known
}

// Late says what becomes of system text that comes after the history began.
type Late uint8

// The treatments of late system text.
const (
	LateReminder  Late = iota // text inside the next user turn
	LateInline                // a system message where it stands
	LateDeveloper             // a developer message where it stands
)

// Thinking says how a model is asked to reason before it answers.
type Thinking uint8

// The ways to ask for reasoning.
const (
	NoThinking       Thinking = iota // it is not asked
	BudgetThinking                   // by a number of tokens
	AdaptiveThinking                 // by an effort; the model decides how much
)

// Sampling says which of temperature and top_p a model takes.
type Sampling uint8

// The sampling options that a model takes.
const (
	AnySampling Sampling = iota // both
	OneSampling                 // one of them in a request
	NoSampling                  // neither
)

// A Mark says where a range of a body's text came from.
type Mark struct {
	Lo, Hi int          // bytes of Body.JSON, end exclusive
	Off    int          // the offset of the text in its source, or -1
	From   *span.Origin // nil: not known
}

// A Body is an encoded request.
type Body struct {
	JSON []byte
	// Marks cover the text of every text value, in ascending order and without
	// gaps inside a value. A mark never crosses from one value into the next.
	Marks []Mark
	// Breakpoints are the marks of cached prefixes in the body, in ascending order.
	Breakpoints []Breakpoint
	// Losses is what the dialect merged, dropped, downgraded or repaired.
	Losses []Loss
	// Retained is for the dialect that made the body: what it needs to reuse the
	// prefix. Nobody else looks at it.
	Retained any
}

// The codes of losses.
const (
	CodeMerged     = "wire.merged"     // two texts share a place
	CodeDropped    = "wire.dropped"    // left out
	CodeDowngraded = "wire.downgraded" // sent in a poorer form
	CodeRepaired   = "wire.repaired"   // the conversation was completed, see Repair
	CodeSchema     = "schema.lossy"    // a schema was changed, see DownLevel
)

// A Loss is something a protocol or model could not carry as it was.
type Loss struct {
	prompt.Diagnostic
	From *span.Origin // what was affected, or nil
}

// EventKind says which fields of an Event are set.
type EventKind uint8

// The kinds of events.
const (
	TextDelta      EventKind = iota // Text
	ReasoningDelta                  // Text
	CallStart                       // Index, ID, Name
	CallDelta                       // Index, Text: more of the arguments
	CallEnd                         // Index, Call: the complete call
	UsageReport                     // Usage
	OpaqueItem                      // Opaque
	Stop                            // Stop, Text: the provider's own word for it, ID: of the response, where it can be continued
)

// An Event is one step of a response.
type Event struct {
	Kind   EventKind
	Text   string
	Index  int // of the call within the response, from 0
	ID     string
	Name   string
	Call   *chat.ToolCall
	Usage  *Usage
	Opaque *chat.Opaque
	Stop   StopReason
}

// StopReason says why a model stopped.
type StopReason string

// The stop reasons.
const (
	StopEnd       StopReason = "end"            // the answer is complete
	StopTools     StopReason = "tools"          // tool calls wait for results
	StopLength    StopReason = "length"         // the output limit was reached
	StopFilter    StopReason = "content_filter" // withheld by the provider
	StopRefusal   StopReason = "refusal"        // the model declined
	StopFailed    StopReason = "failed"         // the provider reports a failed response
	StopOtherwise StopReason = "other"
)

// Usage counts tokens. A nil field was not reported, which is not zero.
type Usage struct {
	Input      *int `json:"input,omitempty"` // all input, cached included
	Cached     *int `json:"cached,omitempty"`
	CacheWrite *int `json:"cacheWrite,omitempty"`
	Output     *int `json:"output,omitempty"` // all output, reasoning included
	Reasoning  *int `json:"reasoning,omitempty"`
}
