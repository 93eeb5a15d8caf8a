package vocab_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/token/internal/vocab"
)

// Find inverts Build, and finds nothing else.
func TestBuildFind(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 256, 5000} {
		var tokens []string
		for i := range n {
			tokens = append(tokens, strings.Repeat("é", i%40)+fmt.Sprint(i))
		}
		data, err := vocab.Build(tokens)
		if err != nil {
			t.Fatal(err)
		}
		table := vocab.Open(string(data))
		if table.Tokens != n {
			t.Errorf("Tokens = %d, want %d", table.Tokens, n)
		}
		for want, s := range tokens {
			if got, ok := table.Find(s); !ok || got != want {
				t.Fatalf("of %d: Find(%q) = %d, %t, want %d", n, s, got, ok, want)
			}
			if id, ok := table.Find(s + "x"); ok {
				t.Fatalf("of %d: Find(%q) = %d", n, s+"x", id)
			}
		}
		seen := 0
		table.All(func(id int, token string) bool {
			if tokens[id] != token {
				t.Fatalf("All: %d is %q, want %q", id, token, tokens[id])
			}
			seen++
			return true
		})
		if seen != n {
			t.Errorf("All: %d tokens, want %d", seen, n)
		}
	}
}

func TestBuildErrors(t *testing.T) {
	for _, tt := range []struct {
		tokens []string
		want   string
	}{
		{[]string{"a", ""}, "vocab: token 1 has 0 bytes"},
		{[]string{strings.Repeat("a", 256)}, "vocab: token 0 has 256 bytes"},
		{[]string{"a", "b", "a"}, "vocab: tokens 0 and 2 are the same"},
		{make([]string, vocab.MaxID+2), "vocab: 262145 tokens are more than 262144"},
	} {
		if _, err := vocab.Build(tt.tokens); err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}
