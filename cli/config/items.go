package config

import "github.com/proemhq/proem/prompt"

// A Pair is an entry of a map whose keys the writer chooses.
type Pair struct {
	Name  string // unique in its map
	Value string // a number or a boolean is kept as it was written
}

// A Part is a section or a context that a configuration adds. It has either a
// Text or a File.
type Part struct {
	Name     string         // unique in its list and channel
	Channel  prompt.Channel // system, of contexts context, unless given
	Order    float64        // lower stands first, ties by name
	Text     string         // as written
	File     string         // absolute; not read yet
	Template bool           // the text may hold {{references}}
	Class    prompt.Class   // how often it changes
	Required bool           // never cut by a budget
	Priority int            // under a budget the lowest goes first
}

// A Permission is a rule about tool calls. What is empty matches everything.
type Permission struct {
	Action  string   // "allow", "ask" or "deny"
	Tool    string   // a name, or "*"
	Path    string   // a glob
	Command []string // words; "*" as the last one stands for any further plain words
}

// A Provider is an endpoint. It comes from the user, never from a project.
type Provider struct {
	Name    string // the part of a model's name before the colon
	BaseURL string // empty: the provider's own
	Headers []Pair // further headers, in the order written
	KeyEnv  string // the environment variable that holds the key; empty: the provider's own
	Dialect string // empty: the provider's own
}

// A Price is what a model costs per million tokens. A nil rate is not known.
type Price struct {
	Model      string   // as in Config.Model, or a glob of it
	Input      *float64 // input that is not cached
	Cached     *float64 // input read from the provider's cache
	CacheWrite *float64 // input written to it
	Output     *float64 // all output
	Source     string   // where the numbers are from
	Date       string   // when they held
}
