package redact_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"mime/quotedprintable"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/internal/redact"
)

func TestPatterns(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"nothing to hide: 12 input_tokens=7, max_tokens: 3", "nothing to hide: 12 input_tokens=7, max_tokens: 3"},
		{"the token of a session", "the token of a session"},
		{"Authorization: Bearer abcdefgh12", "Authorization: [redacted]"},
		{"-H 'authorization: Basic dTpw' http://h", "-H 'authorization: [redacted]' http://h"},
		{"Cookie: a=b; c=d\nHost: h", "Cookie: [redacted]\nHost: h"},
		{`{"Authorization":"Bearer x y","a":"b"}`, `{"Authorization":"[redacted]","a":"b"}`},
		{"X-Api-Key: one two", "X-Api-Key: [redacted] two"},
		{`{"api_key":"a\"b","n":1}`, `{"api_key":"[redacted]","n":1}`},
		{`{"password": "hunter2", "user": "u"}`, `{"password": "[redacted]", "user": "u"}`},
		{`"{\"token\":\"abc\",\"x\":1}"`, `"{\"token\":\"[redacted]\",\"x\":1}"`},
		{"OPENAI_API_KEY=abc go test", "OPENAI_API_KEY=[redacted] go test"},
		{"AWS_SECRET_ACCESS_KEY=abc, x", "AWS_SECRET_ACCESS_KEY=[redacted], x"},
		{"https://me:pw@host/p?q=1", "https://[redacted]@host/p?q=1"},
		{"GET /v1?key=abc&x=1", "GET /v1?key=[redacted]&x=1"},
		{"sent bearer abcdefghi to it", "sent bearer [redacted] to it"},
	} {
		if d := cmp.Diff(redact.Patterns(tt.in), tt.want); d != "" {
			t.Errorf("%q (-got +want):\n%s", tt.in, d)
		}
	}
}

func TestName(t *testing.T) {
	for name, want := range map[string]bool{
		"authorization": true, "http.request.header.authorization": true, "http.request.header.x-api-key": true, "X-Goog-Api-Key": true,
		"Set-Cookie": true, "GITHUB_TOKEN": true, "DB_PASSWORD": true, "OPENAI_API_KEY": true, "SSH_KEY": true, "AWS_SECRET_ACCESS_KEY": true,
		"gen_ai.usage.input_tokens": false, "proem.step": false, "gen_ai.request.model": false, "PATH": false, "MONKEY": false, "content-type": false,
	} {
		if got := redact.Name(name); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

const canary = "Canary-9f3/Zq+T7w=pLx_2v"

type encoding struct {
	name string
	f    func(string) string
}

// encodings are what a text may pass through on its way to a log.
func encodings() []encoding {
	each := func(format, sep string) func(string) string {
		return func(s string) string {
			var parts []string
			for _, c := range []byte(s) {
				parts = append(parts, fmt.Sprintf(format, c))
			}
			return strings.Join(parts, sep)
		}
	}
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	packed := func(s string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(s))
		w.Close()
		return base64.StdEncoding.EncodeToString(b.Bytes())
	}
	deflated := func(s string) string {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		w.Write([]byte(s))
		w.Close()
		return hex.EncodeToString(b.Bytes())
	}
	wide := func(s string) string {
		var b []byte
		for _, u := range utf16.Encode([]rune(s)) {
			b = append(b, byte(u), byte(u>>8))
		}
		return base64.StdEncoding.EncodeToString(b)
	}
	return []encoding{
		{"plain", func(s string) string { return s }},
		{"json", quoted},
		{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
		{"base64 url", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }},
		{"base64 behind 1", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(":" + s + ":")) }},
		{"base64 behind 2", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("me" + s + "me")) }},
		{"hex", func(s string) string { return hex.EncodeToString([]byte(s)) }},
		{"HEX", func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
		{"hex with colons", each("%02x", ":")},
		{"hex with spaces", each("%02x", " ")},
		{"hex with 0x", each("0x%02x", ", ")},
		{"base32", func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) }},
		{"base32 hex", func(s string) string { return base32.HexEncoding.EncodeToString([]byte(s)) }},
		{"query", url.QueryEscape},
		{"percent", each("%%%02X", "")},
		{"\\x", each(`\x%02x`, "")},
		{"\\u", each(`\u%04x`, "")},
		{"octal", each(`\%03o`, "")},
		{"html", html.EscapeString},
		{"&#d;", each("&#%d;", "")},
		{"&#x;", each("&#x%x;", "")},
		{"codes", each("%d", ",")},
		{"utf-16", wide},
		{"gzip", packed},
		{"zlib", deflated},
		{"quoted-printable", func(s string) string {
			var b bytes.Buffer
			w := quotedprintable.NewWriter(&b)
			w.Write([]byte(s))
			w.Close()
			return b.String()
		}},
	}
}

// alone are encodings that nothing is put upon.
func alone() []encoding {
	apart := func(sep string) func(string) string {
		return func(s string) string { return strings.Join(strings.Split(s, ""), sep) }
	}
	return []encoding{
		{"upper", strings.ToUpper}, {"lower", strings.ToLower},
		{"spaced", apart(" ")}, {"dashed", apart("-")}, {"zero width", apart("\u200b")}, {"lines", apart("\n")},
		{"reversed", func(s string) string {
			r := []rune(s)
			for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
				r[i], r[j] = r[j], r[i]
			}
			return string(r)
		}},
		{"rot13", func(s string) string {
			return strings.Map(func(r rune) rune {
				switch {
				case r >= 'a' && r <= 'z':
					return 'a' + (r-'a'+13)%26
				case r >= 'A' && r <= 'Z':
					return 'A' + (r-'A'+13)%26
				}
				return r
			}, s)
		}},
		{"wide letters", func(s string) string {
			return strings.Map(func(r rune) rune { return r + 0xfee0 }, s)
		}},
		{"wrapped base64", func(s string) string {
			b := base64.StdEncoding.EncodeToString([]byte(s))
			return b[:10] + "\n" + b[10:]
		}},
	}
}

// TestEncodings puts a credential behind every pair of encodings, in the middle of
// a sentence: nothing of what comes out holds it.
func TestEncodings(t *testing.T) {
	set := redact.New("other-value", canary)
	n := 0
	check := func(name, form string) {
		n++
		got := set.Values("before " + form + " after")
		if strings.Contains(got, form) || !strings.Contains(got, redact.Mark) {
			t.Errorf("%s: %q stays %q", name, form, got)
		}
	}
	for _, a := range encodings() {
		check(a.name, a.f(canary))
		for _, b := range encodings()[1:] {
			if a.name != "plain" {
				check(a.name+" in "+b.name, b.f(a.f(canary)))
			}
		}
	}
	for _, a := range alone() {
		check(a.name, a.f(canary))
	}
	if n < 200 {
		t.Errorf("only %d encodings", n)
	}
}

// TestHarmless checks that texts which only resemble the encodings stay.
func TestHarmless(t *testing.T) {
	set := redact.New(canary)
	for _, s := range []string{
		"", "The answer is 42.", `{"path":"a/b.go","line":12}`, strings.Repeat("deadbeef", 40), "%41%42 \\u0041 &amp;",
		base64.StdEncoding.EncodeToString([]byte("a harmless text of some length")), "Canary-9f3", "1, 2, 3, 4, 5, 6, 7, 8",
	} {
		if got := set.Text(s); got != s {
			t.Errorf("%q becomes %q", s, got)
		}
	}
	if got := redact.New("short").Values("short"); got != "short" {
		t.Errorf("a value that is too short: %q", got)
	}
	if got := (*redact.Set)(nil).Values("x"); got != "x" {
		t.Errorf("nil: %q", got)
	}
}

// TestCut checks that a text which is cut shows no half of a credential.
func TestCut(t *testing.T) {
	for _, before := range []int{64<<10 - 10, 64<<10 - 2} {
		got := redact.New(canary).Text(strings.Repeat("a ", before/2) + canary + " b")
		if strings.Contains(got, canary[:2]) || !strings.HasSuffix(got, "[cut]") {
			t.Errorf("%d: ends with %q", before, got[len(got)-40:])
		}
	}
}

// TestTime looks through long texts of the worst kind.
func TestTime(t *testing.T) {
	set := redact.New(canary)
	for _, s := range []string{"ab", "41", "%41", `\u0041`, "Zm9v", "12,", "authorization: ", "a=b&key=", "://", "\\"} {
		begin := time.Now()
		set.Text(strings.Repeat(s, (64<<10)/len(s)))
		if d := time.Since(begin); d > 30*time.Second {
			t.Errorf("%q took %v", s, d)
		} else {
			t.Logf("%q took %v", s, d)
		}
	}
}
