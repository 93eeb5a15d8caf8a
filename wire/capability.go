package wire

import "strings"

// A row of the capability table: what holds for the models of a provider whose
// names begin with one of the prefixes. No prefix: for every model.
type row struct {
	provider string
	prefixes []string
	cap      Capability
}

// table is searched from the top; the first row that fits decides. Limits that a
// provider changes from release to release are left out on purpose: a wrong
// number is worse than none. Those of Anthropic's models are part of the
// protocol: a request must name its output limit.
var table = []row{
	{"openai", []string{"gpt-3.5", "gpt-4-"}, Capability{
		Source: "OpenAI API reference, older chat models", ManySystem: true, LateSystem: LateInline,
		ConsecutiveUser: true, StreamUsage: true, Images: true, Parallel: true, CacheKey: true,
		StrictTools: true, AnyArgs: true, SafetyID: true,
	}},
	{"openai", []string{"gpt-4o", "gpt-4.1", "chatgpt-"}, Capability{
		Source: "OpenAI API reference, chat models", ManySystem: true, LateSystem: LateInline,
		ConsecutiveUser: true, StreamUsage: true, Images: true, Parallel: true, CacheKey: true,
		StrictTools: true, AnyArgs: true, OutputSchema: true, SafetyID: true,
	}},
	{"openai", nil, Capability{
		Source: "OpenAI API reference, reasoning models", ManySystem: true, DeveloperRole: true,
		LateSystem: LateDeveloper, ConsecutiveUser: true, StreamUsage: true, Images: true, Parallel: true,
		CacheKey: true, Reasoning: true, StrictTools: true, AnyArgs: true, OutputSchema: true,
		SafetyID: true, SealedReasoning: true,
	}},
	{"anthropic", []string{"claude-3-haiku", "claude-3-opus", "claude-3-sonnet"}, claude(4096, 2048, NoThinking, AnySampling)},
	{"anthropic", []string{"claude-3-5-"}, claude(8192, 2048, NoThinking, AnySampling)},
	{"anthropic", []string{"claude-3-7-"}, claude(64000, 1024, BudgetThinking, AnySampling)},
	{"anthropic", []string{"claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-2"}, claude(32000, 1024, BudgetThinking, OneSampling)},
	{"anthropic", []string{"claude-sonnet-4-0", "claude-sonnet-4-2"}, claude(64000, 1024, BudgetThinking, AnySampling)},
	{"anthropic", []string{"claude-sonnet-4-5"}, strict(claude(64000, 1024, BudgetThinking, OneSampling))},
	{"anthropic", []string{"claude-opus-4-5", "claude-haiku-4-5"}, strict(claude(64000, 4096, BudgetThinking, OneSampling))},
	{"anthropic", []string{"claude-opus-4-6"}, strict(claude(128000, 4096, AdaptiveThinking, OneSampling))},
	{"anthropic", []string{"claude-sonnet-4-6"}, strict(claude(128000, 1024, AdaptiveThinking, OneSampling))},
	{"anthropic", []string{"claude-opus-4-7"}, strict(claude(128000, 2048, AdaptiveThinking, NoSampling))},
	{"anthropic", []string{"claude-opus-4-8"}, late(claude(128000, 1024, AdaptiveThinking, NoSampling))},
	{"anthropic", []string{"claude-sonnet-5-5", "claude-opus-5", "claude-haiku-5", "claude-fable-5", "claude-mythos-5"},
		late(claude(128000, 512, AdaptiveThinking, NoSampling))},
	{"anthropic", []string{"claude-sonnet-5"}, strict(claude(128000, 1024, AdaptiveThinking, NoSampling))},
	{"anthropic", nil, strict(claude(64000, 0, AdaptiveThinking, NoSampling))},
	{"deepseek", nil, Capability{
		Source: "DeepSeek API reference", ManySystem: true, LateSystem: LateInline, ConsecutiveUser: true,
		MaxTokensKey: "max_tokens", StreamUsage: true, AnyArgs: true, ReplayReasoning: true,
	}},
	{"openrouter", nil, Capability{
		Source: "OpenRouter API reference", ConsecutiveUser: true, MaxTokensKey: "max_tokens",
		StreamUsage: true, Images: true, Parallel: true, Reasoning: true,
	}},
	{"ollama", nil, Capability{
		Source: "Ollama's OpenAI compatibility page", ConsecutiveUser: true, MaxTokensKey: "max_tokens",
		StreamUsage: true, Images: true, Reasoning: true, OutputSchema: true, Schema: SchemaRestricted,
	}},
}

// claude returns the record of a model of Anthropic's.
func claude(output, cacheMin int, t Thinking, s Sampling) Capability {
	return Capability{
		Source: "Anthropic API reference", Images: true, Parallel: true, Thinking: t, Sampling: s,
		Breakpoints: 4, CacheMin: cacheMin, MaxOutput: output,
	}
}

// strict adds that schemas of tools are enforced on demand.
func strict(c Capability) Capability {
	c.StrictTools = true
	return c
}

// late adds to strict that system text may stand inside the conversation.
func late(c Capability) Capability {
	c.LateSystem = LateInline
	return strict(c)
}

// Lookup returns what is known of a model at a provider. A provider that is not
// in the table, such as "openai-compatible", gets the zero record.
func Lookup(provider, model string) Capability {
	for i := range table {
		if table[i].provider == provider && table[i].fits(model) {
			return table[i].cap
		}
	}
	return Capability{}
}

func (r *row) fits(model string) bool {
	for _, p := range r.prefixes {
		if strings.HasPrefix(model, p) {
			return true
		}
	}
	return len(r.prefixes) == 0
}
