package wire_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/wire"
)

func TestAppendEscaped(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		"plain":                       "plain",
		`a"b\c/`:                      `a\"b\\c/`,
		"\n\t\r\b\f":                  `\n\t\r\b\f`,
		"\x00\x01\x1f\x7f":            "\\u0000\\u0001\\u001f\x7f",
		"<b>&amp;</b>":                "<b>&amp;</b>",
		"\u2028\u2029":                "\u2028\u2029",
		"日本語 text":                    "日本語 text",
		"cut \xe6\x97 rune":           `cut \ufffd\ufffd rune`,
		"\xff":                        `\ufffd`,
		"\xed\xa0\x80":                `\ufffd\ufffd\ufffd`,
		"kept \ufffd":                 "kept \ufffd",
		"12345678\"90":                `12345678\"90`,
		strings.Repeat("x", 9) + "\\": strings.Repeat("x", 9) + `\\`,
	} {
		if diff := cmp.Diff(string(wire.AppendEscaped(nil, in)), want); diff != "" {
			t.Errorf("%q: (-got +want)\n%s", in, diff)
		}
	}
}

func FuzzAppendEscaped(f *testing.F) {
	f.Add("a\"\\\n\x00\xff日本語 \u2028")
	f.Fuzz(func(t *testing.T, s string) {
		out := wire.AppendEscaped([]byte(`"`), s)
		if !utf8.Valid(out) {
			t.Fatalf("%q: not valid UTF-8: %q", s, out)
		}
		var got string
		if err := json.Unmarshal(append(out, '"'), &got); err != nil {
			t.Fatalf("%q: %v in %q", s, err, out)
		}
		if want := string([]rune(s)); got != want {
			t.Fatalf("%q: got %q, want %q", s, got, want)
		}
	})
}
