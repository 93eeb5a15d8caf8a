package token_test

import (
	"os"
	"strings"
	"testing"

	"github.com/proemhq/proem/token"
)

// texts are what the benchmarks count: a megabyte each, of prose and code that
// does not repeat too soon.
func texts(tb testing.TB) (mixed, cjk string) {
	code, err := os.ReadFile("token.go")
	if err != nil {
		tb.Fatal(err)
	}
	for _, r := range readRecorded(tb)[:14] { // whole texts, before the fragments
		mixed += r.Text + "\n"
	}
	mixed += string(code)
	cjk = "每个命令执行之后都要检查退出码。如果测试失败，请先阅读日志，再修改代码。系统提示词保持不变，缓存才能命中。" +
		"各コマンドの終了コードを確認してください。テストが失敗した場合は、ログを読んでからコードを修正します。" +
		"모든명령의종료코드를확인하세요。테스트가실패하면먼저기록을읽고코드를고칩니다。"
	return fill(mixed), fill(cjk)
}

func fill(s string) string { return strings.Repeat(s, 1<<20/len(s)+1) }

func BenchmarkCount(b *testing.B) {
	mixed, cjk := texts(b)
	for _, bb := range []struct{ name, text string }{
		{"mixed", mixed}, {"cjk", cjk}, {"letter", strings.Repeat("a", 1<<20)},
		{"small", "Use tabs, not spaces."},
	} {
		for _, c := range []token.Counter{token.O200K, token.CL100K, token.Estimate} {
			b.Run(bb.name+"/"+c.Name(), func(b *testing.B) {
				b.SetBytes(int64(len(bb.text)))
				b.ReportAllocs()
				for b.Loop() {
					c.Count(bb.text)
				}
			})
		}
	}
}

func BenchmarkMemo(b *testing.B) {
	text := strings.Repeat("Check the exit code of every command.\n", 5000)
	m := token.NewMemo(token.O200K, 64<<20)
	for i := range 100 { // so that the table is not too small to hash
		m.Count(text[i:])
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		m.Count(text)
	}
}

func BenchmarkCut(b *testing.B) {
	mixed, _ := texts(b)
	b.SetBytes(int64(len(token.Cut(token.O200K, mixed, 50000))))
	b.ReportAllocs()
	for b.Loop() {
		token.Cut(token.O200K, mixed, 50000)
	}
}

func BenchmarkCalibrated(b *testing.B) {
	var c token.Calibrated
	var parts []token.Part
	for i := range 1000 {
		parts = append(parts, token.Part{Hash: uint64(i), Tokens: i})
	}
	c.Report(parts[:900], 500000)
	b.ReportAllocs()
	for b.Loop() {
		c.CountParts(parts)
	}
}
