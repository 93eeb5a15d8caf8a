package attach_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/attach"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/session"
	toolfs "github.com/proemhq/proem/tool/fs"
)

func hook(t testing.TB, files map[string]string) attach.Paths {
	t.Helper()
	dir := t.TempDir()
	filetest.Write(t, dir, files)
	return attach.Paths{Read: toolfs.ReadFile(toolfs.Config{Roots: []string{dir}}), Home: dir}
}

func attached(t testing.TB, h attach.Paths, in agent.Input) string {
	t.Helper()
	out, err := h.InterceptInput(t.Context(), agent.At{Session: "s"}, in)
	filetest.Must(t, err)
	return strings.TrimPrefix(out.Text, in.Text)
}

func block(path, text string) string {
	return "\n\n<attached_file path=\"" + path + "\">\n" + text + "\n</attached_file>"
}

func TestPaths(t *testing.T) {
	h := hook(t, map[string]string{"d/a.txt": "A\n", "d/b.txt": "B", "d/a&\"b.txt": "odd", "d/empty": "", "d/中.txt": "好"})
	for text, want := range map[string]string{
		"":                            "",
		"no file":                     "",
		"@":                           "",
		"@/":                          "",
		"@d/a.txt":                    block("d/a.txt", "A"),
		"x@d/a.txt":                   "",
		"(@d/a.txt)":                  "",
		"a\n@d/a.txt.\t@./d/b.txt?!)": block("d/a.txt", "A") + block("./d/b.txt", "B"),
		"@d/b.txt @d//b.txt @./d/b.txt @d/x/../b.txt": block("d/b.txt", "B"),
		"@~/d/a.txt":     block("~/d/a.txt", "A"),
		"@d/a&\"b.txt":   block("d/a&amp;&quot;b.txt", "odd"),
		"@d/中.txt":       block("d/中.txt", "好"),
		"@d/empty":       block("d/empty", "[the file is empty]"),
		"@d/\x00a.txt":   "",
		"@d/\xff":        "",
		"@../d/a.txt":    "",
		"@/etc/hostname": "",
		"@" + strings.Repeat("d/../", 1000) + "d/a.txt": "",
	} {
		if d := cmp.Diff(attached(t, h, agent.Text(text)), want); d != "" {
			t.Errorf("%.80q (-got +want):\n%s", text, d)
		}
	}
	h.Home = ""
	if got := attached(t, h, agent.Text("@~/d/a.txt")); got != "" {
		t.Errorf("without a home: %q", got)
	}
	if got := attached(t, attach.Paths{}, agent.Text("@d/a.txt")); got != "" {
		t.Errorf("without a tool: %q", got)
	}
	if got := attached(t, h, agent.Input{Text: "@d/a.txt", Parent: &session.Parent{}}); got != "" {
		t.Errorf("a task that a model wrote: %q", got)
	}
}

func TestLimits(t *testing.T) {
	files := map[string]string{}
	var text strings.Builder
	for i := range 25 {
		files[fmt.Sprintf("d/%d.txt", i)] = "text"
		fmt.Fprintf(&text, "@d/%d.txt ", i)
	}
	h := hook(t, files)
	got := attached(t, h, agent.Text(text.String()))
	if n := strings.Count(got, "</attached_file>"); n != attach.MaxFiles || !strings.HasSuffix(got, "\n\n[5 more files are named and not attached; 20 are attached at most]") {
		t.Errorf("%d files: %s", n, got)
	}
	if got := attached(t, h, agent.Text(nobody(1000)+" @d/1.txt")); got != "" {
		t.Errorf("behind too many paths: %s", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.InterceptInput(ctx, agent.At{}, agent.Text("@d/1.txt")); err == nil {
		t.Error("a cancelled input has no error")
	}
}

func nobody(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " @no/%d", i)
	}
	return b.String()
}
