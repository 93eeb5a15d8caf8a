package token_test

import (
	"strings"
	"testing"

	"github.com/proemhq/proem/token"
)

// Case C80: scripts without spaces are not a quarter of their bytes.
func TestEstimateBounds(t *testing.T) {
	for _, tt := range []struct {
		text      string
		low, high int
	}{
		{"", 0, 0},
		{strings.Repeat("你好世界", 25), 60, 200},
		{strings.Repeat("このテスト", 20), 60, 200},
		{strings.Repeat("안녕하세요", 20), 60, 200},
		{strings.Repeat("lorem ", 100), 90, 250},
		{"func main() {\n\tfmt.Println(\"hi\")\n}\n", 10, 25},
	} {
		if got := token.Estimate.Count(tt.text); got < tt.low || got > tt.high {
			t.Errorf("Count(%.20q…) = %d, want %d to %d", tt.text, got, tt.low, tt.high)
		}
	}
	if token.Estimate.Exact() {
		t.Error("an estimate says that it is exact")
	}
}

func BenchmarkEstimate(b *testing.B) {
	text := strings.Repeat("Check the exit code of every command. 检查每个命令的退出码。\n", 1000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		token.Estimate.Count(text)
	}
}
