package visible_test

import (
	"testing"
	"unicode/utf8"

	"github.com/proemhq/proem/internal/visible"
)

func TestText(t *testing.T) {
	for _, tt := range []struct{ in, text, line string }{
		{"plain\n\tx", "plain\n\tx", "plain\\u{a}\tx"},
		{"a\u202eb\u200bc", `a\u{202e}b\u{200b}c`, `a\u{202e}b\u{200b}c`},
		{"\x1b[31m\r", `\u{1b}[31m\u{d}`, `\u{1b}[31m\u{d}`},
		{"\xff\u00e9", `\xff` + "\u00e9", `\xff` + "\u00e9"},
		{"\U000e0049", `\u{e0049}`, `\u{e0049}`},
	} {
		if got := visible.Text(tt.in); got != tt.text {
			t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.text)
		}
		if got := visible.Line(tt.in); got != tt.line {
			t.Errorf("Line(%q) = %q, want %q", tt.in, got, tt.line)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\u202e\xff\x1b")
	f.Fuzz(func(t *testing.T, s string) {
		got := visible.Text(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is no text", got)
		}
		for _, r := range got {
			if !visible.Is(r) {
				t.Fatalf("%q holds %U", got, r)
			}
		}
	})
}
