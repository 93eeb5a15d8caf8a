package token_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

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

// What is encoded decodes to the text.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("SHARED_DIR")
	if dir == "" {
		t.Skip("SHARED_DIR is not set: the corpus is not at hand")
	}
	files := 0
	err := filepath.WalkDir(filepath.Join(dir, "corpus"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		decode(t, token.O200K, string(text))
		decode(t, token.CL100K, string(text))
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files: %v", files, err)
	}
}

// decode fails unless the ids of the text stand for it and are as many as are
// counted.
func decode(t *testing.T, e *token.Encoding, text string) {
	t.Helper()
	ids := e.Encode(nil, text)
	var back strings.Builder
	for _, id := range ids {
		back.WriteString(tokens[e][id])
	}
	if back.String() != text {
		t.Errorf("%s: Encode(%.200q) = %.20v decodes to %.200q", e.Name(), text, ids, back.String())
	}
	if n := e.Count(text); n != len(ids) {
		t.Errorf("%s: Count(%.200q) = %d, but there are %d ids", e.Name(), text, n, len(ids))
	}
}

var tokens = map[*token.Encoding][]string{
	token.O200K:  token.O200K.Tokens(),
	token.CL100K: token.CL100K.Tokens(),
}

// Each token is found under its own id.
func TestVocabulary(t *testing.T) {
	for e, want := range map[*token.Encoding]int{token.O200K: 199998, token.CL100K: 100256} {
		got := len(tokens[e])
		if got != want || slices.Contains(tokens[e], "") {
			t.Errorf("%s: %d tokens, want %d", e.Name(), got, want)
		}
		if !e.Exact() {
			t.Errorf("%s is not exact", e.Name())
		}
	}
}

// The categories of all characters are those of the regular expressions of the
// reference implementation.
func TestClasses(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "classes.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := make([]string, unicode.MaxRune+1)
	for line := range strings.Lines(string(data)) {
		var class string
		var lo, hi int
		if _, err := fmt.Sscanf(line, "%s %X %X", &class, &lo, &hi); err != nil {
			t.Fatal(err)
		}
		for r := lo; r <= hi; r++ {
			want[r] = class
		}
	}
	for r, want := range want {
		if got := token.ClassOf(rune(r)); got != want {
			t.Errorf("%U: got %q, want %q", r, got, want)
		}
	}
}

// The work for a text is bounded by its length, whatever it is.
func TestSteps(t *testing.T) {
	const size = 1 << 16
	random := rand.New(rand.NewPCG(80, 80))
	letters := make([]byte, size)
	for i := range letters {
		letters[i] = 'a' + byte(random.IntN(26))
	}
	texts := map[string]string{"random": string(letters)}
	for _, unit := range []string{
		"a", "A", "ab", "aA", " ", "\n", " \n", "\n ", "\t", "-", "_", "/", "'", "'s", "1", "的", "啊", "漢A",
		"ªA", "ª", "\u0301", "\u0301A", "👍", "\xff", "\xe7\x9a", "\u3000", "\u00a0", "abcdefghijklmnopqrstuvwxyz",
	} {
		texts[unit] = strings.Repeat(unit, size/len(unit))
	}
	for _, tail := range []string{"x", "\n", "ª", "1", "\u0301", "'s"} {
		texts["spaces and "+tail] = strings.Repeat(" ", size) + tail
		texts["capitals and "+tail] = "ª" + strings.Repeat("A", size) + tail
	}
	for name, text := range texts {
		for _, e := range []*token.Encoding{token.O200K, token.CL100K} {
			_, steps := e.Steps(text)
			if limit := len(text) * bits.Len(uint(len(text))); steps > limit {
				t.Errorf("%s: %d bytes of %q took %d steps, more than %d", e.Name(), len(text), name, steps, limit)
			}
		}
	}
}

// Pieces of all lengths near the one from which they are merged in another way.
func TestLongPieces(t *testing.T) {
	for _, unit := range []string{"a", "ab", "的", "ACGT", "xyzzy", "\xff"} {
		for n := range 300 {
			text := strings.Repeat(unit, n)
			decode(t, token.O200K, text)
			decode(t, token.CL100K, text)
		}
	}
}

func TestCountAllocates(t *testing.T) {
	for _, text := range []string{"", "a", "Use tabs, not spaces.", strings.Repeat("检查退出码。Check it. ", 100)} {
		for _, e := range []*token.Encoding{token.O200K, token.CL100K} {
			if n := testing.AllocsPerRun(100, func() { e.Count(text) }); n != 0 {
				t.Errorf("%s: Count(%.20q) allocates %v times", e.Name(), text, n)
			}
		}
	}
}

func FuzzCount(f *testing.F) {
	for i, r := range readRecorded(f) {
		if i%20 == 0 {
			f.Add(r.Text)
		}
	}
	f.Add("\xff\xfe \xe7\x9a' \xc5")
	f.Add(strings.Repeat("aaab", 100))
	f.Fuzz(func(t *testing.T, text string) {
		decode(t, token.O200K, text)
		decode(t, token.CL100K, text)
	})
}

func ExampleEncoding_Encode() {
	fmt.Println(token.O200K.Encode(nil, "Use tabs."), token.O200K.Count("Use tabs."))
	// Output: [8470 38191 13] 3
}
