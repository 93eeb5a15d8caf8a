package textnorm_test

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/internal/textnorm"
)

type piece = textnorm.Piece

func TestBytes(t *testing.T) {
	tests := []struct {
		name   string
		in     string
		text   string
		pieces []piece
	}{
		{"empty", "", "", nil},
		{"ascii", "one\n", "one\n", []piece{{0, 4, 0, false}}},
		{"unicode", "käse 中 👩‍👧\n", "käse 中 👩‍👧\n", []piece{{0, 22, 0, false}}},
		{"byte order mark", "\xef\xbb\xbfx", "x", []piece{{0, 1, 3, false}}},
		{"two marks", "\xef\xbb\xbf\xef\xbb\xbfx", "\ufeffx", []piece{{0, 4, 3, false}}},
		{"CR LF", "a\r\nb\r\n", "a\nb\n", []piece{{0, 1, 0, false}, {1, 3, 2, false}, {3, 4, 5, false}}},
		{"lone CR", "a\rb", "a\nb", []piece{{0, 1, 0, false}, {1, 2, 1, true}, {2, 3, 2, false}}},
		{"two CR and LF", "\r\r\n", "\n\n", []piece{{0, 1, 0, true}, {1, 2, 2, false}}},
		{"invalid", "caf\xe9 x", "caf\ufffd x", []piece{{0, 3, 0, false}, {3, 6, 3, true}, {6, 8, 4, false}}},
		{"invalid run", "\xff\xff", "\ufffd\ufffd", []piece{{0, 6, 0, true}}},
		{"written U+FFFD", "a\ufffdb", "a\ufffdb", []piece{{0, 5, 0, false}}},
		{"NUL", "a\x00b", "a", []piece{{0, 1, 0, false}}},
		{"zero width", "a\u200bb", "ab", []piece{{0, 1, 0, false}, {1, 2, 4, false}}},
		{"kept controls", "a\u200c\u200d\u200e\u200fb", "a\u200c\u200d\u200e\u200fb", []piece{{0, 14, 0, false}}},
		{"removed controls", "\u2060\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "", nil},
		{"neighbours kept", "\u200a\u2028\u2029\u202f\u2065\u206a", "\u200a\u2028\u2029\u202f\u2065\u206a", []piece{{0, 18, 0, false}}},
		{"tags", "x\U000E0049\U000E0047", "x", []piece{{0, 1, 0, false}}},
		{"flag", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", []piece{{0, 28, 0, false}}},
		{"flag without end", "🏴\U000E0067\U000E0062\U000E0073", "🏴", []piece{{0, 4, 0, false}}},
		{"flag too short", "🏴\U000E0067\U000E0062\U000E007F", "🏴", []piece{{0, 4, 0, false}}},
		{"flag with capitals", "🏴\U000E0047\U000E0042\U000E0053\U000E007F", "🏴", []piece{{0, 4, 0, false}}},
		{"flag too long", "🏴" + strings.Repeat("\U000E0061", 7) + "\U000E007F", "🏴", []piece{{0, 4, 0, false}}},
		{"flag broken by another", "🏴\U000E0067\u200b\U000E0062\U000E0073\U000E007F", "🏴", []piece{{0, 4, 0, false}}},
		{"UTF-16 LE", "\xff\xfea\x00\r\x00\n\x00-N", "a\n中", []piece{{0, 2, 2, true}, {2, 5, 8, true}}},
		{"UTF-16 BE", "\xfe\xff\x00a\xd8\x3d\xdc\x69", "a👩", []piece{{0, 5, 2, true}}},
		{"UTF-16 half a pair", "\xfe\xff\xd8\x3d\x00a", "\ufffda", []piece{{0, 4, 2, true}}},
		{"UTF-16 odd byte", "\xff\xfea\x00b", "a\ufffd", []piece{{0, 4, 2, true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := textnorm.Bytes([]byte(tt.in), false)
			if diff := cmp.Diff(got.Text, tt.text); diff != "" {
				t.Errorf("text (-got +want):\n%s", diff)
			}
			if diff := cmp.Diff(got.Pieces, tt.pieces); diff != "" {
				t.Errorf("pieces (-got +want):\n%s", diff)
			}
			if !strings.HasPrefix(tt.in, "\xff") && !strings.HasPrefix(tt.in, "\xfe") && !strings.HasPrefix(tt.in, "\xef\xbb\xbf") {
				if diff := cmp.Diff(textnorm.String(tt.in), tt.text); diff != "" {
					t.Errorf("String (-got +want):\n%s", diff)
				}
			}
		})
	}
}

func TestPartial(t *testing.T) {
	for in, want := range map[string]string{
		"a中":                "a中",
		"a\xe4\xb8":         "a",
		"a\xff":             "a\ufffd",
		"a\r":               "a",
		"a\xe4\xb8b":        "a\ufffd\ufffdb",
		"\xff\xfea\x00\x3d": "a",
	} {
		got := textnorm.Bytes([]byte(in), true)
		if got.Text != want {
			t.Errorf("Bytes(%q, true) = %q, want %q", in, got.Text, want)
		}
		if bad := strings.Contains(want, "\ufffd"); bad != (len(got.Findings) > 0) {
			t.Errorf("Bytes(%q, true) found %v", in, got.Findings)
		}
	}
}

func TestFindings(t *testing.T) {
	tag := func(s string) string {
		var b strings.Builder
		for _, r := range s {
			b.WriteRune(0xE0000 + r)
		}
		return b.String()
	}
	tests := []struct {
		name, in string
		want     []textnorm.Finding
	}{
		{"invalid", "ok\ncaf\xe9\xe9", []textnorm.Finding{
			{textnorm.Invalid, 6, 2, 4, 2, "not valid UTF-8 at byte 6; 2 places replaced with U+FFFD"}}},
		{"binary", "HEAD\n\x00\x00", []textnorm.Finding{
			{textnorm.Binary, 5, 2, 1, 1, "NUL at byte 5; the text ends before it"}}},
		{"tags and more", "x" + tag("IGNORE") + "\nzero\u200bwidth \u202ertl", []textnorm.Finding{
			{textnorm.Invisible, 1, 1, 2, 8, `removed invisible characters: 6 tag characters that spell "IGNORE" at byte 1; U+200B at byte 30; U+202E at byte 39`}}},
		{"inner mark", "a\ufeffb", []textnorm.Finding{
			{textnorm.Invisible, 1, 1, 2, 1, "kept U+FEFF inside the text at byte 1, 1 place"}}},
		{"secret after CR LF", "a\r\ntoken: sk-test-" + strings.Repeat("0", 40), []textnorm.Finding{
			{textnorm.Secret, 10, 2, 8, 1, "looks like a secret: sk-…[redacted 48]"}}},
		{"secret in tags", tag("sk-" + strings.Repeat("a1", 20)), []textnorm.Finding{
			{textnorm.Invisible, 0, 1, 1, 43, `removed invisible characters: 43 tag characters that spell "sk-…[redacted 43]" at byte 0`}}},
		{"many", strings.Repeat("\u200b", 14), []textnorm.Finding{
			{textnorm.Invisible, 0, 1, 1, 14, "removed invisible characters: " + strings.Join([]string{
				"U+200B at byte 0", "U+200B at byte 3", "U+200B at byte 6", "U+200B at byte 9", "U+200B at byte 12", "U+200B at byte 15",
				"U+200B at byte 18", "U+200B at byte 21", "U+200B at byte 24", "U+200B at byte 27", "U+200B at byte 30", "U+200B at byte 33", "2 more"}, "; ")}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(textnorm.Bytes([]byte(tt.in), false).Findings, tt.want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		})
	}
}

func FuzzBytes(f *testing.F) {
	for _, s := range []string{"", "a\r\nb\rc", "\xef\xbb\xbfx\xff", "\xff\xfea\x00\r\x00\n\x00", "🏴\U000E0067\U000E0062\U000E0073\U000E007F\u200b", "a\x00b", "sk-aaaaaaaaaaaaaaaaaaaaaaaa1\r\n"} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, partial bool) {
		for _, r := range []textnorm.Result{textnorm.Bytes(b, partial), textnorm.Rest(b, partial)} {
			check(t, b, r)
		}
	})
}

func check(t *testing.T, b []byte, r textnorm.Result) {
	t.Helper()
	if !utf8.ValidString(r.Text) || strings.ContainsAny(r.Text, "\r\x00") {
		t.Errorf("text %q is not normalised", r.Text)
	}
	at, off := 0, -1
	for _, p := range r.Pieces {
		if p.Lo != at || p.Hi <= p.Lo || p.Off <= off || p.Off >= len(b) {
			t.Fatalf("piece %v after text byte %d and input byte %d", p, at, off)
		}
		if s := r.Text[p.Lo:p.Hi]; !utf8.ValidString(s) {
			t.Errorf("piece %q is cut inside a character", s)
		} else if !p.Rewritten && string(b[p.Off:p.Off+len(s)]) != s {
			t.Errorf("piece %v reads %q, the input %q", p, s, b[p.Off:p.Off+len(s)])
		}
		at, off = p.Hi, p.Off
		if !p.Rewritten {
			off += p.Hi - p.Lo - 1
		}
	}
	if at != len(r.Text) {
		t.Errorf("pieces end at %d of %d", at, len(r.Text))
	}
	for _, f := range r.Findings {
		if f.Off < 0 || f.Off >= len(b) || f.Line < 1 || f.Column < 1 || f.Count < 1 {
			t.Errorf("finding %+v has no place", f)
		}
	}
	if again := textnorm.Rest([]byte(r.Text), false); again.Text != r.Text {
		t.Errorf("%q is not normal: %q", r.Text, again.Text)
	}
}

func FuzzUTF16(f *testing.F) {
	f.Add("a\r\nb👩")
	f.Fuzz(func(t *testing.T, s string) {
		in := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(s)) {
			in = append(in, byte(u), byte(u>>8))
		}
		want := textnorm.Rest([]byte(string([]rune(s))), false).Text
		if got := textnorm.Bytes(in, false).Text; got != want {
			t.Errorf("UTF-16 of %q reads %q, want %q", s, got, want)
		}
	})
}

func BenchmarkBytes(b *testing.B) {
	for _, bb := range []struct{ name, line string }{
		{"ascii", "Run the tests before every commit and keep lines short.\n"},
		{"cjk", "提交之前请先运行测试，并保持每一行简短。\n"},
		{"crlf", "Run the tests before every commit and keep lines short.\r\n"},
	} {
		in := []byte(strings.Repeat(bb.line, 600))
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				textnorm.Bytes(in, false)
			}
		})
	}
}
