package redact_test

import (
	"strings"
	"testing"

	"github.com/proemhq/proem/internal/redact"
)

func BenchmarkText(b *testing.B) {
	set := redact.New(canary)
	text := strings.Repeat("The quick brown fox reads internal/redact/decode.go, line 12: \"a token\" and {\"path\":\"docs/traces.md\"}.\n", 160)
	b.SetBytes(int64(len(text)))
	b.Run("values", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			set.Values(text)
		}
	})
	b.Run("patterns", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			redact.Patterns(text)
		}
	})
}
