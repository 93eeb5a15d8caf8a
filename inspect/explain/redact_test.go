package explain_test

import (
	"strings"
	"testing"

	"github.com/proemhq/proem/inspect/explain"
	"github.com/proemhq/proem/internal/textnorm"
)

func TestPieces(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----"
	for _, tt := range []struct {
		name, text string
		cut        int // where the second range begins
		want       string
	}{
		{"system", "a " + secret + " b", 10, "a sk-…[redacted 48]| b"},
		{"system", "a " + secret, 2, "a |sk-…[redacted 48]"},
		{"system", secret, len(secret), "sk-…[redacted 48]|"},
		{"tools", `{"a":"x\n` + secret + `"}`, 3, `{"a|":"x\nsk-…[redacted 48]"}`},
		{"body x", strings.ReplaceAll(key, "\n", `\n`) + `\nrest`, 5, `private key…[redacted 59]|\nrest`},
		{"message 1 (tool)", `\u000a` + secret, 6, `\u000a|sk-…[redacted 48]`},
		{"system", "none", 2, "no|ne"},
	} {
		text := explain.Text{Name: tt.name, Text: tt.text, Ranges: []explain.Range{{End: tt.cut}, {Start: tt.cut, End: len(tt.text)}}}
		var parts []string
		for _, pieces := range text.Pieces() {
			s := ""
			for _, p := range pieces {
				s += p.Text
			}
			parts = append(parts, s)
		}
		if got := strings.Join(parts, "|"); got != tt.want {
			t.Errorf("%s %q: got %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}

// However a text is cut into ranges, what is shown of it holds no credential, and
// what is no label is the text.
func FuzzPieces(f *testing.F) {
	f.Add("a "+secret+" b", uint8(10), uint8(30))
	f.Add(`\n`+secret, uint8(1), uint8(3))
	f.Fuzz(func(t *testing.T, s string, a, b uint8) {
		x, y := min(int(a), len(s)), min(int(b), len(s))
		text := explain.Text{Name: "system", Text: s, Ranges: []explain.Range{{End: min(x, y)}, {Start: min(x, y), End: max(x, y)}, {Start: max(x, y), End: len(s)}}}
		at := 0
		for i, pieces := range text.Pieces() {
			for _, p := range pieces {
				if p.Lo < at || p.Hi > text.Ranges[i].End || !p.Label && p.Text != s[p.Lo:p.Hi] {
					t.Fatalf("piece %+v after byte %d", p, at)
				}
				at = p.Hi
			}
		}
		for _, r := range textnorm.Secrets(s) {
			for _, pieces := range text.Pieces() {
				for _, p := range pieces {
					if !p.Label && p.Lo < r.Hi && r.Lo < p.Hi {
						t.Fatalf("%q is shown, which lies in the credential %q", p.Text, s[r.Lo:r.Hi])
					}
				}
			}
		}
	})
}
