package reply

import "github.com/proemhq/proem/providertest/internal/request"

// Models returns the list of models, in the form of a protocol.
func Models(p request.Protocol, names []string) []byte {
	data := []any{}
	for _, name := range names {
		if p == request.Messages {
			data = append(data, object{"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"})
		} else {
			data = append(data, object{"id": name, "object": "model", "created": 1767225600, "owned_by": "providertest"})
		}
	}
	if p != request.Messages {
		return encode(object{"object": "list", "data": data})
	}
	o := object{"data": data, "has_more": false, "first_id": nil, "last_id": nil}
	if len(names) > 0 {
		o["first_id"], o["last_id"] = names[0], names[len(names)-1]
	}
	return encode(o)
}
