package trace

// Operations: the first word of a span's name.
const (
	InvokeAgent = "invoke_agent" // a turn
	Chat        = "chat"         // a request to a model and its answer
	ExecuteTool = "execute_tool" // a call of a tool
	Step        = "step"         // a request and the calls of its answer
	Compact     = "compact"      // a conversation is made shorter
	Code        = "code"         // a program of a model runs
)

// Attributes that OpenTelemetry's conventions define (version 1.41).
const (
	Operation       = "gen_ai.operation.name"
	Provider        = "gen_ai.provider.name"
	Conversation    = "gen_ai.conversation.id" // the session
	AgentName       = "gen_ai.agent.name"
	RequestModel    = "gen_ai.request.model"
	RequestStream   = "gen_ai.request.stream"
	Temperature     = "gen_ai.request.temperature"
	TopP            = "gen_ai.request.top_p"
	MaxTokens       = "gen_ai.request.max_tokens"
	ResponseID      = "gen_ai.response.id"
	FinishReasons   = "gen_ai.response.finish_reasons"
	InputTokens     = "gen_ai.usage.input_tokens" // cached ones included
	OutputTokens    = "gen_ai.usage.output_tokens"
	CacheReadTokens = "gen_ai.usage.cache_read.input_tokens"
	CacheMadeTokens = "gen_ai.usage.cache_creation.input_tokens"
	ReasoningTokens = "gen_ai.usage.reasoning.output_tokens"
	ToolName        = "gen_ai.tool.name"
	ToolType        = "gen_ai.tool.type"
	ToolCallID      = "gen_ai.tool.call.id"
	ErrorType       = "error.type"

	// Contents, which are set only where they are asked for.
	InputMessages  = "gen_ai.input.messages"
	OutputMessages = "gen_ai.output.messages"
	SystemText     = "gen_ai.system_instructions"
	ToolArguments  = "gen_ai.tool.call.arguments"
	ToolResult     = "gen_ai.tool.call.result"
)

// Attributes of proem's own.
const (
	Turn         = "proem.turn" // from 1, as in the session's events
	StepNumber   = "proem.step" // within the turn, from 1
	StopReason   = "proem.stop.reason"
	AssemblyHash = "proem.assembly.hash" // SHA-256 of the assembly, as in the request event
	BodyHash     = "proem.body.hash"     // of the bytes sent
	BodyBytes    = "proem.body.bytes"
	PrefixHash   = "proem.prefix.hash" // of what stands before the conversation, free of any protocol
	LockHash     = "proem.lock.hash"   // of the project's proem.lock
	ChangedBy    = "proem.changed_by"  // hooks that changed the request
	Occasion     = "proem.compact.occasion"
	Waits        = "proem.waits" // a call asked a person and waits
)

// Words of error.type that this package and the agent set.
const (
	Abandoned = "abandoned" // it was not over when what it is part of ended
	Cancelled = "cancelled"
	Panic     = "panic"
	Other     = "_OTHER" // as the conventions call what has no word
)
