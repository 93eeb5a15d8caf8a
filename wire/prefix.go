package wire

import (
	"encoding/json"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
)

// Prefix returns the part of a prompt that should stay the same from request to
// request, free of any dialect: the canonical tools, a NUL, and the text of the
// system and instructions channels up to the end of the last section before the
// first one of class turn. The length of the tools comes second.
func Prefix(system, instructions []prompt.Part, tools []chat.ToolSpec) (prefix []byte, toolBytes int) {
	type spec struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}
	specs := make([]spec, len(tools))
	for i, t := range tools {
		specs[i] = spec{t.Name, t.Description, t.Parameters}
	}
	out, err := json.Marshal(specs)
	if err == nil {
		out, err = CanonicalJSON(out)
	}
	if err != nil { // a schema that is not JSON; encoding reports it
		out = nil
	}
	toolBytes = len(out)
	out = append(out, 0)
	for _, parts := range [][]prompt.Part{system, instructions} {
		for _, p := range parts {
			if p.Class == prompt.Turn {
				return out, toolBytes
			}
			out = append(out, p.Sep...)
			out = p.Text.AppendTo(out)
		}
	}
	return out, toolBytes
}
