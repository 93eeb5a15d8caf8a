package anthropic_test

import (
	"fmt"
	"testing"

	"github.com/proemhq/proem/internal/wiretest"
)

func BenchmarkEncode(b *testing.B) {
	suite.BenchmarkEncode(b, wiretest.Large("anthropic", "claude-sonnet-4-5"))
}

const benchEnd = `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"

// benchDelta writes the only block of a stream, a delta at a time.
func benchDelta(b *testing.B, block, delta string) {
	suite.BenchmarkDecode(b, func(i int) string {
		begin := ""
		if i == 0 {
			begin = `data: {"type":"content_block_start","index":0,"content_block":{` + block + "}}\n\n"
		}
		return begin + fmt.Sprintf("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{"+delta+"}}\n\n", i)
	}, benchEnd)
}

func BenchmarkDecode(b *testing.B) {
	benchDelta(b, `"type":"text","text":""`, `"type":"text_delta","text":"word %d "`)
}

// BenchmarkDecodeCalls is a stream of arguments, with escapes in each delta.
func BenchmarkDecodeCalls(b *testing.B) {
	benchDelta(b, `"type":"tool_use","id":"i","name":"n","input":{}`, `"type":"input_json_delta","partial_json":"\"word %d\","`)
}

// BenchmarkDecodeOther is a stream of deltas that take the general way.
func BenchmarkDecodeOther(b *testing.B) {
	benchDelta(b, `"type":"text","text":""`, `"text":"word %d ","type":"text_delta"`)
}
