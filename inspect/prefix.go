package inspect

import (
	"encoding/json"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire"
)

// NewPrefix returns the prefix of an assembly, which does not depend on a
// dialect. Bytes counts what the hash covers; tokens those of tools and texts.
func NewPrefix(a prompt.Assembly, count func(string) int) Prefix {
	type spec struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}
	specs := make([]spec, len(a.Tools))
	for i, t := range a.Tools {
		specs[i] = spec{t.Name, t.Description, t.Parameters}
	}
	tools, err := json.Marshal(specs)
	if err == nil {
		tools, err = wire.CanonicalJSON(tools)
	}
	if err != nil { // a schema that is not JSON; encoding reports it
		tools = nil
	}
	text := stable(a)
	return Prefix{SHA256: sum([]byte(string(tools) + "\x00" + text)), Bytes: len(tools) + 1 + len(text),
		Tokens: count(string(tools)) + count(text)}
}

// stable returns the system text and the instructions text up to the first
// section of class turn.
func stable(a prompt.Assembly) string {
	var b strings.Builder
	for _, ch := range []prompt.Channel{prompt.System, prompt.Instructions} {
		for _, p := range a.Parts(ch) {
			if p.Class == prompt.Turn {
				return b.String()
			}
			b.WriteString(p.Sep)
			b.WriteString(p.Text.String())
		}
	}
	return b.String()
}
