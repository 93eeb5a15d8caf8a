package config

import (
	"fmt"
	"strings"

	"github.com/proemhq/proem/span"
)

// Names of the layers, the weakest first.
const (
	DefaultLayer     = "default"
	UserLayer        = "user"
	ProjectLayer     = "project"
	ConfigLayer      = "config"
	EnvironmentLayer = "environment"
	SetLayer         = "set"
)

// An Origin says where the value of a key was written.
type Origin struct {
	Path   string // the file, "--set" or the variable; empty for a default
	Line   int    // of the value, from 1; 0 for a default
	Column int    // in bytes from 1
	Layer  string // one of the names above
	// Trust says who wrote it: [span.Workspace] for a project's files, which are
	// only read if the project is trusted, [span.User] for what the user wrote.
	Trust span.Trust
}

// Origin returns where the value of a key stands. Elements of lists and entries
// of maps have keys too: sections[0].text, variables.role. A key that nobody
// wrote has the origin of what it belongs to, as far as there is one: that of
// sections[0].order is the place of sections[0]. All else is a default.
func (c Config) Origin(key string) Origin {
	for key != "" {
		if o, ok := c.origins[key]; ok {
			return o
		}
		key = key[:max(0, strings.LastIndexAny(key, ".["))]
	}
	return Origin{Layer: DefaultLayer}
}

// record notes the origin of every key in a merged tree.
func (c *Config) record(key string, n *node) {
	if key != "" {
		c.origins[key] = n.origin()
	}
	for i, item := range n.items {
		c.record(fmt.Sprintf("%s[%d]", key, i), item)
	}
	for _, e := range n.entries {
		c.record(join(key, e.name), e.value)
	}
}

// join returns the key of an entry.
func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}
