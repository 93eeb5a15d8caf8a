package explain_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/proemhq/proem/inspect/explain/page"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/wire/openaichat"
)

// A page is the same for the same report, holds no credential, and text of files
// cannot become markup or script.
func TestPage(t *testing.T) {
	hostile := map[string]string{".git/HEAD": "", "AGENTS.md": "</pre></script><script>alert(1)</script><img src=x onerror=alert(2)>\u202e" +
		"\nkey " + secret + " and </SCRIPT <!-- --> \u2028 \u200f\n", "svc/AGENTS.md": "plain\n"}
	r := newWorld(t, hostile).report(openaichat.Dialect)
	var a, b bytes.Buffer
	filetest.Must(t, page.Page{Report: r}.Write(&a))
	filetest.Must(t, page.Page{Report: r}.Write(&b))
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two pages of one report differ")
	}
	html := a.String()
	if strings.Contains(html, "sk-test") || !strings.Contains(html, "sk-…[redacted 48]") {
		t.Error("the page shows a credential")
	}
	if n := strings.Count(html, "<script"); n != 2 {
		t.Errorf("the page has %d scripts", n)
	}
	for _, bad := range []string{"<img", "alert(1)</script>", "\u202e", "\u2028", "<!--", "\u200f", "http:", "https:", "src=x onerror=alert(2)>"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if !strings.Contains(html, `<b class="esc" data-n="3">\u{200f}</b>`) || !strings.Contains(html, `<b class="esc" data-n="3">\u{2028}</b>`) {
		t.Error("what cannot be seen is not marked")
	}
}
