package textnorm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/internal/textnorm"
)

func TestRedact(t *testing.T) {
	fill := func(prefix, s string, n int) string { return prefix + strings.Repeat(s, n) }
	tests := []struct{ in, want string }{
		{"", ""},
		{"nothing here", "nothing here"},
		{"token: " + fill("sk-test-", "0", 40) + "\n", "token: sk-…[redacted 48]\n"},
		{"(" + fill("ghp_", "aB3", 12) + ")", "(ghp_…[redacted 40])"},
		{"AKIAIOSFODNN7EXAMPLE,", "AKIA…[redacted 20],"},
		{"a risk-" + strings.Repeat("a1", 20), "a risk-" + strings.Repeat("a1", 20)},
		{"sk-a-long-name-made-of-words-only", "sk-a-long-name-made-of-words-only"},
		{"sk-short1", "sk-short1"},
		{"x -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\ny", "x private key…[redacted 65]\ny"},
		{"-----BEGIN PRIVATE KEY-----\nabc", "private key…[redacted 31]"},
		{"-----BEGIN CERTIFICATE-----\nabc", "-----BEGIN CERTIFICATE-----\nabc"},
		{fill("sk-", "a1", 20) + " " + fill("hf_", "x", 34), "sk-…[redacted 43] hf_…[redacted 37]"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(textnorm.Redact(tt.in), tt.want); diff != "" {
			t.Errorf("Redact(%q) (-got +want):\n%s", tt.in, diff)
		}
	}
}

// TestSecretsOfLongTokens looks through texts in which a prefix occurs again and
// again inside one token or line.
func TestSecretsOfLongTokens(t *testing.T) {
	const n = 1 << 20
	for _, tt := range []struct {
		in   string
		want int
	}{
		{strings.Repeat("sk-", n), 0},
		{strings.Repeat("AKIA", n), 1},
		{strings.Repeat("eyJ", n) + "1", 1},
		{strings.Repeat("-----BEGIN ", n), 0},
		{strings.Repeat("-----BEGIN ", n) + "PRIVATE KEY-----", 1},
	} {
		start := time.Now()
		if got := len(textnorm.Secrets(tt.in)); got != tt.want {
			t.Errorf("%.20q: %d secrets, want %d", tt.in, got, tt.want)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%.20q took %v", tt.in, d)
		}
	}
}

func FuzzSecrets(f *testing.F) {
	f.Add("sk-aaaaaaaaaaaaaaaaaaaaaaaa1 -----BEGIN PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, s string) {
		at := 0
		for _, r := range textnorm.Secrets(s) {
			if r.Lo < at || r.Hi <= r.Lo || r.Hi > len(s) {
				t.Fatalf("range %v after %d of %d", r, at, len(s))
			}
			at = r.Hi
		}
		if got := textnorm.Redact(s); len(textnorm.Secrets(got)) > 0 {
			t.Errorf("%q still looks like a secret", got)
		}
	})
}
