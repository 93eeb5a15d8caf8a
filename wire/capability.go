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
// number is worse than none.
var table = []row{
	{"openai", []string{"gpt-3.5", "gpt-4-", "gpt-4o", "gpt-4.1", "chatgpt-"}, Capability{
		Source: "OpenAI API reference, chat models", ManySystem: true, LateSystem: LateInline,
		ConsecutiveUser: true, StreamUsage: true, Images: true, Parallel: true, CacheKey: true,
		StrictTools: true, AnyArgs: true,
	}},
	{"openai", nil, Capability{
		Source: "OpenAI API reference, reasoning models", ManySystem: true, DeveloperRole: true,
		LateSystem: LateDeveloper, ConsecutiveUser: true, StreamUsage: true, Images: true, Parallel: true,
		CacheKey: true, Reasoning: true, StrictTools: true, AnyArgs: true,
	}},
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
		StreamUsage: true, Images: true, Reasoning: true,
	}},
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
