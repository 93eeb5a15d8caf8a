package token_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/token"
)

func TestForModel(t *testing.T) {
	for model, want := range map[string]string{
		"gpt-4o": "o200k_base", "gpt-4o-mini": "o200k_base", "GPT-4o": "o200k_base", "openai/gpt-4o": "o200k_base",
		"openrouter/openai/gpt-5": "o200k_base", "gpt-5.6": "o200k_base", "gpt-5-mini": "o200k_base",
		"gpt-4.1-nano": "o200k_base", "chatgpt-4o-latest": "o200k_base", "o1": "o200k_base", "o3-mini": "o200k_base",
		"o4-mini": "o200k_base", "gpt-oss-120b": "o200k_base", "ft:gpt-4o-mini:acme::x1": "o200k_base",
		"gpt-4": "cl100k_base", "gpt-4-turbo": "cl100k_base", "gpt-3.5-turbo-0125": "cl100k_base",
		"azure/gpt-35-turbo": "cl100k_base", "text-embedding-3-small": "cl100k_base", "ft:gpt-3.5-turbo:a": "cl100k_base",
		"": "estimate", "deepseek-chat": "estimate", "claude-sonnet-4-5": "estimate", "gpt-2": "estimate",
		"gpt-4x": "estimate", "o1x": "estimate", "someone/gpt-4-clone": "estimate", "openai/": "estimate", "/": "estimate",
	} {
		c := token.ForModel(model)
		if c.Name() != want || c.Exact() != (want != "estimate") {
			t.Errorf("ForModel(%q) = %s, exact %t, want %s", model, c.Name(), c.Exact(), want)
		}
	}
}

func TestCut(t *testing.T) {
	lines := strings.Repeat("one two three\n", 5) // four tokens a line
	for _, tt := range []struct {
		text  string
		limit int
		want  string
	}{
		{"", 10, ""},
		{"abc", 0, ""},
		{"abc", -1, ""},
		{lines, 100, lines},
		{lines, 20, lines},
		{lines, 19, lines[:4*14]},
		{lines, 4, lines[:14]},
		{lines, 3, "one two three"},
		{lines, 2, "one two"},
		{"one two three", 2, "one two"},
		{"日本語の文章", 2, "日本語"},
		{"\r\n\r\nx", 1, "\r\n\r\n"},
		{strings.Repeat(" ", 1000), 1, strings.Repeat(" ", 128)},
		{"\xff\xff\xff\xff\xff\xff\xff\xff", 3, "\xff\xff\xff"},
	} {
		if got := token.Cut(token.O200K, tt.text, tt.limit); got != tt.want {
			t.Errorf("Cut(%.30q, %d) = %q, want %q", tt.text, tt.limit, got, tt.want)
		}
	}
}

// Cut agrees with a look at all cuts: it fits, no longer run of lines fits, and if
// the first line does not fit, one character more does not.
func TestCutLongest(t *testing.T) {
	for i, r := range readRecorded(t) {
		if i%7 != 0 || len(r.Text) > 400 {
			continue
		}
		for _, c := range []token.Counter{token.O200K, token.CL100K, token.Estimate} {
			for limit := range c.Count(r.Text) + 1 {
				cutLongest(t, c, r.Text, limit)
			}
		}
	}
}

func cutLongest(t *testing.T, c token.Counter, text string, limit int) {
	t.Helper()
	got := token.Cut(c, text, limit)
	if !strings.HasPrefix(text, got) || c.Count(got) > limit {
		t.Fatalf("%s: Cut(%q, %d) = %q", c.Name(), text, limit, got)
	}
	if got == text || limit == 0 {
		return
	}
	if strings.HasSuffix(got, "\n") {
		next := len(text)
		if i := strings.IndexByte(text[len(got):], '\n'); i >= 0 {
			next = len(got) + i + 1
		}
		if c.Count(text[:next]) <= limit {
			t.Errorf("%s: Cut(%q, %d) = %q, but a line more fits", c.Name(), text, limit, got)
		}
		return
	}
	_, n := utf8.DecodeRuneInString(text[len(got):])
	if c.Count(text[:len(got)+n]) <= limit {
		t.Errorf("%s: Cut(%q, %d) = %q, but a character more fits", c.Name(), text, limit, got)
	}
}

// counted is a counter that notes how many bytes and texts it counted.
type counted struct {
	token.Counter
	bytes, texts *atomic.Int64
}

func newCounted(c token.Counter) counted { return counted{c, new(atomic.Int64), new(atomic.Int64)} }

func (c counted) Count(text string) int {
	c.bytes.Add(int64(len(text)))
	c.texts.Add(1)
	return c.Counter.Count(text)
}

// What is far beyond the limit is not looked at, and a long text not often.
func TestCutWork(t *testing.T) {
	text := strings.Repeat("Check the exit code of every command.\n", 20000)
	for _, limit := range []int{1, 10, 1000, 100000} {
		c := newCounted(token.O200K)
		got := token.Cut(c, text, limit)
		if n := c.bytes.Load(); n > int64(12*(len(got)+1000)) {
			t.Errorf("limit %d: %d bytes were counted for %d", limit, n, len(got))
		}
	}
}

func TestMemo(t *testing.T) {
	c := newCounted(token.O200K)
	m := token.NewMemo(c, 0)
	if m.Name() != "o200k_base" || !m.Exact() {
		t.Errorf("got %s, exact %t", m.Name(), m.Exact())
	}
	for range 3 {
		for _, text := range []string{"one", "one two", ""} {
			if got, want := m.Count(text), token.O200K.Count(text); got != want {
				t.Errorf("Count(%q) = %d, want %d", text, got, want)
			}
		}
	}
	want := token.MemoStats{Hits: 6, Misses: 3, Counted: 10, Texts: 3, Bytes: 10 + 3*64}
	if d := cmp.Diff(m.Stats(), want); d != "" {
		t.Error(d)
	}
	if n := c.texts.Load(); n != 3 {
		t.Errorf("%d texts were counted, want 3", n)
	}
	if n := testing.AllocsPerRun(100, func() { m.Count("one two") }); n != 0 {
		t.Errorf("a remembered text allocates %v times", n)
	}
}

// The memo stays within its limit and keeps what is asked for again and again.
func TestMemoBounds(t *testing.T) {
	const limit = 100000
	c := newCounted(token.Estimate)
	m := token.NewMemo(c, limit)
	m.Count("often")
	m.Count(strings.Repeat("x", limit))
	for i := range 10000 {
		m.Count(fmt.Sprint("once ", i))
		m.Count("often")
		if s := m.Stats(); s.Bytes > limit {
			t.Fatalf("after %d: %d bytes", i, s.Bytes)
		}
	}
	s := m.Stats()
	if s.Misses != 10002 || s.Hits != 10000 {
		t.Errorf("got %+v", s)
	}
	if s.Texts < 500 || s.Bytes < limit/3 {
		t.Errorf("little is kept: %+v", s)
	}
}

func TestMemoConcurrent(t *testing.T) {
	m := token.NewMemo(token.O200K, 20000)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				text := strings.Repeat("a b", (i*7+g)%60)
				if got, want := m.Count(text), token.O200K.Count(text); got != want {
					t.Errorf("Count(%q) = %d, want %d", text, got, want)
				}
			}
		})
	}
	wg.Wait()
	if s := m.Stats(); s.Hits+s.Misses != 16000 {
		t.Errorf("got %+v", s)
	}
}

// Case C80: after one report of N tokens, the unchanged part counts as N.
func TestCalibrated(t *testing.T) {
	var c token.Calibrated
	if c.Name() != "estimate/calibrated" || c.Exact() {
		t.Errorf("got %s, exact %t", c.Name(), c.Exact())
	}
	system, question, answer := c.Part(strings.Repeat("lorem ", 100)), c.Part("Why?"), c.Part(strings.Repeat("你好世界", 25))
	request := []token.Part{system, question}
	raw := system.Tokens + question.Tokens
	if got := c.CountParts(request); got != raw {
		t.Errorf("before a report: got %d, want %d", got, raw)
	}
	c.Report(request, 2*raw)
	for _, tt := range []struct {
		name  string
		parts []token.Part
		want  int
	}{
		{"the same", request, 2 * raw},
		{"longer", []token.Part{system, question, answer}, 2*raw + 2*answer.Tokens},
		{"shorter", []token.Part{system}, 2 * system.Tokens},
		{"other order", []token.Part{question, system}, 2 * raw},
		{"other", []token.Part{answer}, 2 * answer.Tokens},
		{"none", nil, 0},
	} {
		if got := c.CountParts(tt.parts); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
	c.Report([]token.Part{system, question, answer}, 777)
	c.Report(nil, 5)
	c.Report(request[:1], 0)
	if got := c.CountParts([]token.Part{system, question, answer}); got != 777 {
		t.Errorf("after a second report: got %d, want 777", got)
	}
	if got := c.CountParts(request); got != 2*raw {
		t.Errorf("after a second report: got %d, want %d", got, 2*raw)
	}
	c.Report([]token.Part{c.Part("hello")}, 9)
	if got := c.Count("hello"); got != 9 {
		t.Errorf("a text that was reported: got %d, want 9", got)
	}
}

func TestCalibratedBounds(t *testing.T) {
	var c token.Calibrated
	request := func(i int) []token.Part { return []token.Part{{Hash: uint64(i), Tokens: 10}} }
	for i := range 3 * token.CalibratedReports {
		c.Report(request(i), 100+i)
	}
	last := 3*token.CalibratedReports - 1
	if got := c.CountParts(request(last - token.CalibratedReports + 1)); got != 101+last-token.CalibratedReports {
		t.Errorf("the oldest that is kept: got %d", got)
	}
	if got := c.CountParts(request(0)); got != 100+last {
		t.Errorf("one that is not kept: got %d, want the proportion of the last, %d", got, 100+last)
	}
}

func ExampleCut() {
	text := "Use tabs.\nRun the tests before you push.\n"
	fmt.Printf("%q\n", token.Cut(token.O200K, text, 8))
	// Output: "Use tabs.\n"
}

func ExampleForModel() {
	c := token.ForModel("gpt-4o-mini")
	fmt.Println(c.Name(), c.Exact(), c.Count("Use tabs."))
	// Output: o200k_base true 3
}

func ExampleMemo() {
	m := token.NewMemo(token.O200K, 0)
	for range 3 {
		m.Count("Use tabs.")
	}
	fmt.Println(m.Stats().Hits, m.Stats().Misses)
	// Output: 2 1
}

func ExampleCalibrated() {
	var c token.Calibrated
	request := []token.Part{c.Part("Use tabs."), c.Part("Which file is wrong?")}
	c.Report(request, 21) // what the provider counted
	request = append(request, c.Part("None."))
	fmt.Println(c.CountParts(request[:2]), c.CountParts(request) > 21)
	// Output: 21 true
}
