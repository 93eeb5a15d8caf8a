package exact_test

import (
	"testing"

	"github.com/proemhq/proem/internal/exact"
)

func TestString(t *testing.T) {
	for in, want := range map[string]string{
		"":             `""`,
		"<a&b> \u2028": `"<a&b> \u2028"`,
		"\x00\ufffd":   `"\u0000` + "\ufffd" + `"`,
		"a\xffb":       `{"base64":"Yf9i"}`,
		"\xed\xa0\x80": `{"base64":"7aCA"}`,
	} {
		b, err := exact.Encode(exact.String(in))
		if err != nil || string(b) != want {
			t.Errorf("%q: got %s, %v, want %s", in, b, err, want)
		}
		var got exact.String
		if err := exact.Decode(b, &got); err != nil || string(got) != in {
			t.Errorf("%s read back: got %q, %v", b, got, err)
		}
	}
}

func TestStringRefused(t *testing.T) {
	for _, in := range []string{``, `null`, `1`, `{}`, `["a"]`, `{"base64":null}`, `{"base64":"YQ=="}`, `{"base64":"/x=="}`, `{"base64":"/w==","more":1}`, `"a" "b"`} {
		var got exact.String
		if err := exact.Decode([]byte(in), &got); err == nil {
			t.Errorf("%s: read as %q", in, got)
		}
	}
}

func FuzzString(f *testing.F) {
	f.Add("a\xff")
	f.Add("\u2029<>")
	f.Fuzz(func(t *testing.T, s string) {
		b, err := exact.Encode(exact.String(s))
		if err != nil {
			t.Fatal(err)
		}
		var got exact.String
		if err := exact.Decode(b, &got); err != nil || string(got) != s {
			t.Errorf("%q became %s and then %q, %v", s, b, got, err)
		}
	})
}
