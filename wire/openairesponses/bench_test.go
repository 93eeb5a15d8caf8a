package openairesponses_test

import (
	"fmt"
	"testing"

	"github.com/proemhq/proem/internal/wiretest"
)

func BenchmarkEncode(b *testing.B) { suite.BenchmarkEncode(b, wiretest.Large("openai", "gpt-5")) }

const benchEnd = `data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}` + "\n\n"

func BenchmarkDecode(b *testing.B) {
	suite.BenchmarkDecode(b, func(i int) string {
		return fmt.Sprintf("event: response.output_text.delta\n"+
			`data: {"type":"response.output_text.delta","sequence_number":%d,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"word %d ","logprobs":[],"obfuscation":"x7Qe"}`+"\n\n", i, i)
	}, benchEnd)
}

// BenchmarkDecodeCalls is a stream of arguments, which takes the general way.
func BenchmarkDecodeCalls(b *testing.B) {
	suite.BenchmarkDecode(b, func(i int) string {
		return fmt.Sprintf("event: response.function_call_arguments.delta\n"+
			`data: {"type":"response.function_call_arguments.delta","sequence_number":%d,"item_id":"fc_1","output_index":0,"delta":"word %d ","obfuscation":"x7Qe"}`+"\n\n", i, i)
	}, benchEnd)
}
