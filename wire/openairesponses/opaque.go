package openairesponses

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire"
)

// The types of opaque values besides those of the provider's items.
const (
	typeReasoning = "reasoning"
	// typePhase is the phase of the message that comes next: a JSON string.
	typePhase = "message.phase"
)

// opaque writes an item that came from the provider, byte for byte. The id of an
// item that is not stored means nothing to the provider and is taken out.
func (a *answer) opaque(o *chat.Opaque) {
	if o.Type == typePhase {
		var phase string
		if json.Unmarshal(o.JSON, &phase) == nil {
			a.phase = string(o.JSON)
		}
		return
	}
	raw := bytes.TrimSpace(o.JSON)
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		a.leave(o, "it is not a JSON object")
		return
	}
	if o.Type == typeReasoning && !a.Cap.SealedReasoning {
		a.leave(o, "this model is not known to take it back")
		return
	}
	if !a.stored() {
		var sealed bool
		if raw, sealed = withoutID(raw); o.Type == typeReasoning && !sealed {
			a.leave(o, "it is neither stored nor encrypted")
			return
		}
	}
	a.close()
	a.Next()
	a.Value(raw, o.From)
}

func (a *answer) leave(o *chat.Opaque, why string) {
	a.Lose(prompt.Info, wire.CodeDropped, fmt.Sprintf("a %s item is not sent: %s", o.Type, why), o.From)
}

// withoutID takes the member id out of a valid JSON object and leaves all other
// bytes as they are. Sealed reports whether the object has encrypted content.
func withoutID(raw []byte) (out []byte, sealed bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return raw, false
	}
	out = append(make([]byte, 0, len(raw)), '{')
	end := int64(1)
	for d.More() {
		start := end
		key, err := d.Token()
		if err != nil {
			return raw, false
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return raw, false
		}
		end = d.InputOffset()
		if key == "encrypted_content" && len(value) > 2 && value[0] == '"' {
			sealed = true
		}
		if key == "id" {
			continue
		}
		piece := raw[start:end]
		if len(out) == 1 {
			piece = bytes.TrimLeft(piece, ", \t\r\n")
		}
		out = append(out, piece...)
	}
	return append(out, raw[end:]...), sealed
}
