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
