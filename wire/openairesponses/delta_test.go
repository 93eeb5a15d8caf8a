package openairesponses

import (
	"encoding/json"
	"testing"
)

var deltas = []string{
	`{"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_1","output_index":2,"content_index":0,"delta":"Hel\"\n\u00e9lo","logprobs":[],"obfuscation":"x"}`,
	`{"type":"response.output_text.delta","delta":"é"}`,
	"{\"type\":\"response.output_text.delta\",\"delta\":\"bad \xff\"}",
	`{"delta":"a","delta":"b","type":"response.output_text.delta"}`,
	`{"type":"response.output_text.delta","delta":"a","Delta":"b"}`,
	`{"type":"response.output_text.delta","output_index":00,"delta":"a"}`,
	`{"type":"response.output_text.delta","output_index":1e1,"delta":"a"}`,
	`{"type":"response.output_text.delta","delta":"a"} `,
	`{"type":"response.output_text.delta","delta":"a"`,
	`{"type":"response.refusal.delta","delta":"a"}`,
	`{"type":"x","type":"response.output_text.delta","delta":"a"}`,
	`{}`,
}

// The fast reading is taken for what the provider sends, and never says anything
// else than the general one.
func FuzzTextDelta(f *testing.F) {
	for _, s := range deltas {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		index, text, ok := textDelta(data)
		if !ok {
			return
		}
		var e event
		if err := json.Unmarshal(data, &e); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if e.Type != "response.output_text.delta" || e.Index != index || e.Delta != text || e.Response != nil || e.Error != nil {
			t.Fatalf("%q: got %d %q, want %+v", data, index, text, e)
		}
	})
}

func TestTextDeltaTaken(t *testing.T) {
	for i, s := range deltas {
		if _, _, ok := textDelta([]byte(s)); ok != (i < 4) {
			t.Errorf("%s: taken: %t", s, ok)
		}
	}
}
