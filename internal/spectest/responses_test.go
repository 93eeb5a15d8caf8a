package spectest_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openairesponses"
)

const responses = "openai-responses.schema.json"

// checkResponses checks a body of a request. The schema demands an id of every
// reasoning item; the provider itself takes items without one, and refuses the
// id of an item that it did not store. An id is therefore put in for the schema.
func checkResponses(t *testing.T, s *jsonschema.Schema, body []byte) {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	for _, item := range doc["input"].([]any) {
		if m := item.(map[string]any); m["type"] == "reasoning" && m["id"] == nil {
			m["id"] = "rs_0"
		}
	}
	amended, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	check(t, s, amended)
}

// Every golden body is valid.
func TestResponsesBodies(t *testing.T) {
	s := schema(t, responses, "CreateResponse")
	golden(t, "../../wire/openairesponses/testdata/encode", "body", func(t *testing.T, body []byte) {
		checkResponses(t, s, body)
	})
}

// A body with everything at once is valid, by itself and in a chain.
func TestResponsesFull(t *testing.T) {
	s := schema(t, responses, "CreateResponse")
	for _, chain := range []wire.Chain{{}, {Begin: true}, {ID: "resp_1", Messages: 2}} {
		o := options()
		o.Chain = chain
		b, err := openairesponses.Dialect.Encode(nil, full(o))
		if err != nil {
			t.Fatal(err)
		}
		checkResponses(t, s, b.JSON)
	}
}

// invented are streams of hosts that keep to the schema less than OpenAI does,
// and of events that it does not know.
var invented = []string{"unnamed", "other-events", "error-nested", "error-malformed", "error-done", "object-error"}

// The golden streams that speak for OpenAI consist of valid events.
func TestResponsesStreams(t *testing.T) {
	event, object := schema(t, responses, "ResponseStreamEvent"), schema(t, responses, "Response")
	golden(t, "../../wire/openairesponses/testdata/decode", "stream", func(t *testing.T, stream []byte) {
		for _, name := range invented {
			if strings.HasSuffix(t.Name(), "/"+name+".txtar") {
				return
			}
		}
		for line := range bytes.Lines(stream) {
			s, data := object, bytes.TrimSpace(line)
			if rest, ok := bytes.CutPrefix(data, []byte("data: ")); ok {
				s, data = event, rest
			}
			if len(data) == 0 || data[0] != '{' {
				continue
			}
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(v); err != nil {
				t.Errorf("%v\n%s", err, data)
			}
		}
	})
}
