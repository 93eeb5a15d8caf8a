package openaichat_test

import (
	"fmt"
	"testing"

	"github.com/proemhq/proem/internal/wiretest"
)

func BenchmarkEncode(b *testing.B) { suite.BenchmarkEncode(b, wiretest.Large("openai", "gpt-5")) }

func BenchmarkDecode(b *testing.B) {
	suite.BenchmarkDecode(b, func(i int) string {
		return fmt.Sprintf(`data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"word %d "},"finish_reason":null}]}`+"\n\n", i)
	}, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}
