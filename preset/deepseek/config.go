package deepseek

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/proemhq/proem/stage"
)

// DefaultIdentity is the sentence of the section harness:identity.
const DefaultIdentity = "You are an agent run by proem."

// DefaultContextHeading stands above the rendered contexts.
const DefaultContextHeading = "Runtime context as of this step. It replaces every earlier runtime context."

// Config holds the options of the preset. The zero value is the original's
// default: identity sentence on, empty persona, contexts on, tools by name.
type Config struct {
	NoIdentity       bool     // leave out the section harness:identity
	Identity         string   // its sentence; empty: DefaultIdentity
	NoRuntimeContext bool     // mute the contexts for everybody
	PersonaPrefix    string   // a template; the section deployment:persona-prefix
	PersonaSuffix    string   // a template; the section deployment:persona-suffix
	ContextHeading   string   // empty: DefaultContextHeading
	ToolOrder        []string // names and the marker stage.Unlisted; empty: by name
}

// ConfigError is a fault of a configuration.
type ConfigError struct {
	Kind    string // "config-invalid", "tool-order-duplicate" or "tool-order-missing-rest"
	Key     string // the option at fault
	Message string
}

// Error returns the option and what is wrong with it.
func (e *ConfigError) Error() string { return "deepseek: " + e.Key + ": " + e.Message }

func (c Config) check() error {
	if len(c.ToolOrder) == 0 {
		return nil
	}
	for i, n := range c.ToolOrder {
		if slices.Index(c.ToolOrder, n) != i {
			return &ConfigError{"tool-order-duplicate", "toolOrder", fmt.Sprintf("%q is listed twice", n)}
		}
	}
	if !slices.Contains(c.ToolOrder, stage.Unlisted) {
		return &ConfigError{"tool-order-missing-rest", "toolOrder", fmt.Sprintf("add %q where the tools that are not listed go", stage.Unlisted)}
	}
	return nil
}

// LoadConfig reads the options under the original's own names from a JSON
// object: includeHarnessIdentity, includeRuntimeContext, personaPrefix,
// personaSuffix, toolOrder. As in the original, unknown keys pass and wrong
// types are refused.
func LoadConfig(data []byte) (Config, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return Config{}, &ConfigError{"config-invalid", "config", "is not a JSON object: " + err.Error()}
	}
	if raw == nil {
		return Config{}, &ConfigError{"config-invalid", "config", "is null; it must be a JSON object"}
	}
	var c Config
	identity, runtime, order := true, true, []*string(nil)
	for _, o := range []struct {
		key  string
		to   any
		want string
	}{
		{"includeHarnessIdentity", &identity, "true or false"},
		{"includeRuntimeContext", &runtime, "true or false"},
		{"personaPrefix", &c.PersonaPrefix, "a string"},
		{"personaSuffix", &c.PersonaSuffix, "a string"},
		{"toolOrder", &order, "a list of strings"},
	} {
		v, ok := raw[o.key]
		if !ok {
			continue
		}
		if err := json.Unmarshal(v, o.to); err != nil || bytes.Equal(v, []byte("null")) {
			return Config{}, &ConfigError{"config-invalid", o.key, fmt.Sprintf("is %s; it must be %s", v, o.want)}
		}
	}
	for _, n := range order {
		if n == nil {
			return Config{}, &ConfigError{"config-invalid", "toolOrder", "holds null; it must be a list of strings"}
		}
		c.ToolOrder = append(c.ToolOrder, *n)
	}
	if _, ok := raw["toolOrder"]; ok && len(c.ToolOrder) == 0 {
		return Config{}, &ConfigError{"tool-order-missing-rest", "toolOrder", fmt.Sprintf("is empty; add %q", stage.Unlisted)}
	}
	c.NoIdentity, c.NoRuntimeContext = !identity, !runtime
	return c, c.check()
}
