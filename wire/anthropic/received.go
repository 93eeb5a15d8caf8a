package anthropic

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/wire"
)

// received is a content block of a response in the making.
type received struct {
	index  int
	kind   string
	raw    []byte // as the block began
	start  content
	closed bool
	bare   bool // a call that no arguments came for
	call   int  // the number of a call

	thinking, signature, input []byte // what deltas added
}

func newBlock(index int, raw []byte) (*received, error) {
	b := &received{index: index, raw: slices.Clone(raw)}
	if err := json.Unmarshal(raw, &b.start); err != nil {
		return nil, err
	}
	if b.kind = b.start.Type; b.kind == "" {
		return nil, errors.New("it has no type")
	}
	return b, nil
}

// fill takes the arguments of a call that came at once. It reports whether there
// are any.
func (b *received) fill() bool {
	if in := string(b.start.Input); in == "" || in == "null" || in == "{}" {
		b.input, b.bare = []byte("{}"), true
		return false
	}
	b.input = b.start.Input
	return true
}

// cutShort takes the empty object away that stands for no arguments: the answer
// ended in this block, perhaps before the first of them.
func (b *received) cutShort() {
	if b.bare {
		b.input = nil
	}
}

func (b *received) toolCall() *chat.ToolCall {
	return &chat.ToolCall{ID: b.start.ID, Name: b.start.Name, Args: json.RawMessage(b.input)}
}

// opaque returns the block as it is to be sent back: what it began with, and
// what deltas added.
func (b *received) opaque() *chat.Opaque {
	o := &chat.Opaque{Provider: Name, Type: b.kind, JSON: b.raw}
	if len(b.thinking)+len(b.signature)+len(b.input) == 0 {
		return o
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(b.raw, &members) != nil {
		return o
	}
	add := func(name string, more []byte) {
		if len(more) > 0 {
			var had string
			_ = json.Unmarshal(members[name], &had) // absent or no string: nothing was there
			members[name] = append(wire.AppendEscaped([]byte{'"'}, had+string(more)), '"')
		}
	}
	add("thinking", b.thinking)
	add("signature", b.signature)
	if json.Valid(b.input) {
		members["input"] = b.input
	}
	o.JSON = object(members)
	return o
}

// leading are the members that are written first, in this order, as the
// provider does.
var leading = []string{"type", "thinking", "signature", "id", "name", "input"}

// object writes members, those that are not leading in ascending order.
func object(members map[string]json.RawMessage) []byte {
	out := []byte{'{'}
	add := func(name string) {
		if v, ok := members[name]; ok {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(wire.AppendEscaped(append(out, '"'), name), `":`...)
			out = append(out, v...)
		}
	}
	for _, name := range leading {
		add(name)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(leading, name) {
			add(name)
		}
	}
	return append(out, '}')
}
