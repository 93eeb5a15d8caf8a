package token_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/proemhq/proem/token"
)

// recorded is a text with its ids by the reference implementation.
type recorded struct {
	Text   string `json:"text"`
	O200K  []int  `json:"o200k"`
	CL100K []int  `json:"cl100k"`
}

// readRecorded reads testdata/ids.jsonl: prose of ten scripts, code, emoji, white
// space, and random strings, with the ids by tiktoken 0.14, which reads the same
// rank files.
func readRecorded(tb testing.TB) (all []recorded) {
	tb.Helper()
	f, err := os.Open(filepath.Join("testdata", "ids.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			tb.Fatal(err)
		}
		all = append(all, r)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return all
}

func TestRecorded(t *testing.T) {
	all := readRecorded(t)
	if len(all) < 3000 {
		t.Fatalf("%d texts are recorded", len(all))
	}
	for _, r := range all {
		check(t, token.O200K, r.Text, r.O200K)
		check(t, token.CL100K, r.Text, r.CL100K)
	}
}

func check(t *testing.T, e *token.Encoding, text string, want []int) {
	t.Helper()
	if got := e.Encode(nil, text); !slices.Equal(got, want) {
		t.Errorf("%s: Encode(%q)\n got %v\nwant %v", e.Name(), text, got, want)
	}
	if got := e.Count(text); got != len(want) {
		t.Errorf("%s: Count(%q) = %d, want %d", e.Name(), text, got, len(want))
	}
}
