package token

import "strings"

// Names of OpenAI models. A name stands for itself and, before a hyphen, for its
// variants: gpt-4o for gpt-4o-mini as well.
var (
	o200kModels = []string{
		"chatgpt-4o", "gpt-4.1", "gpt-4.5", "gpt-4o", "gpt-5", "gpt-oss", "o1", "o3", "o4-mini",
	}
	cl100kModels = []string{
		"babbage-002", "davinci-002", "gpt-3.5", "gpt-35-turbo", "gpt-4",
		"text-embedding-3-large", "text-embedding-3-small", "text-embedding-ada-002",
	}
)

// ForModel returns the counter for the model with this name, as a request names
// it: [O200K] or [CL100K] for the models of OpenAI that are known to use them, and
// [Estimate], which says that it is not exact, for all others. The name may have
// the owner before it, as in "openai/gpt-4o", and be that of a fine-tuned model,
// as in "ft:gpt-4o:name". Case does not matter.
func ForModel(model string) Counter {
	name := strings.ToLower(model)
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		owner := name[strings.LastIndexByte(name[:i], '/')+1 : i]
		if owner != "openai" && owner != "azure" {
			return Estimate
		}
		name = name[i+1:]
	}
	if base, ok := strings.CutPrefix(name, "ft:"); ok {
		name, _, _ = strings.Cut(base, ":")
	}
	if strings.HasPrefix(name, "gpt-5.") || among(o200kModels, name) {
		return O200K
	}
	if among(cl100kModels, name) {
		return CL100K
	}
	return Estimate
}

func among(models []string, name string) bool {
	for _, m := range models {
		if rest, ok := strings.CutPrefix(name, m); ok && (rest == "" || rest[0] == '-') {
			return true
		}
	}
	return false
}
