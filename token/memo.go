package token

import (
	"strings"
	"sync"
	"sync/atomic"
)

// DefaultMemo is the number of bytes of text that a [Memo] keeps where no other is
// given.
const DefaultMemo = 16 << 20

// perText is about what an entry takes beside its text.
const perText = 64

// A Memo is a counter that counts a text once and remembers it by its content:
// a span of a prompt that was there before costs a look into a table. When it
// is full, it forgets what was not asked for lately.
//
// It may be used concurrently. Two calls that meet a new text at the same time may
// both count it.
type Memo struct {
	counter Counter
	limit   int // of the bytes of a generation

	hits atomic.Int64

	mu         sync.RWMutex
	young, old generation
	misses     int64
	counted    int64
}

// A generation holds texts since the one before it was full. Each text is in one.
type generation struct {
	counts map[string]int
	bytes  int
}

func (g *generation) add(text string, n int) {
	if g.counts == nil {
		g.counts = map[string]int{}
	}
	g.counts[text] = n
	g.bytes += len(text) + perText
}

// MemoStats says what a [Memo] has done.
type MemoStats struct {
	Hits    int64 // texts that were remembered
	Misses  int64 // texts that were counted
	Counted int64 // the bytes of these
	Texts   int   // texts that are kept now
	Bytes   int   // what they take, about
}

// NewMemo returns a memo of the counts by c. It keeps at most limit bytes, of
// copies of the texts, so that it keeps nothing else alive; 0 stands for
// [DefaultMemo]. A text of more than half of that is not kept.
func NewMemo(c Counter, limit int) *Memo {
	if limit == 0 {
		limit = DefaultMemo
	}
	return &Memo{counter: c, limit: limit / 2}
}

// Name returns the name of the counter.
func (m *Memo) Name() string { return m.counter.Name() }

// Exact reports whether the counter is exact.
func (m *Memo) Exact() bool { return m.counter.Exact() }

// Count returns the number of tokens of the text. It allocates nothing if the text
// was met lately.
func (m *Memo) Count(text string) int {
	m.mu.RLock()
	n, ok := m.young.counts[text]
	older := false
	if !ok {
		_, older = m.old.counts[text]
	}
	m.mu.RUnlock()
	switch {
	case ok:
		m.hits.Add(1)
		return n
	case older:
		if n, ok := m.revive(text); ok {
			m.hits.Add(1)
			return n
		}
	}
	n = m.counter.Count(text)
	m.learn(text, n)
	return n
}

// revive moves a text to the young generation.
func (m *Memo) revive(text string) (n int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, ok := m.young.counts[text]; ok {
		return n, true
	}
	n, ok = m.old.counts[text]
	if ok {
		text = strings.Clone(text)
		delete(m.old.counts, text)
		m.old.bytes -= len(text) + perText
		m.add(text, n)
	}
	return n, ok
}

// learn notes a text that was counted.
func (m *Memo) learn(text string, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.misses++
	m.counted += int64(len(text))
	if _, ok := m.young.counts[text]; !ok && len(text)+perText <= m.limit {
		m.add(strings.Clone(text), n)
	}
}

// add adds a text to the young generation, which becomes the old one when full.
func (m *Memo) add(text string, n int) {
	if m.young.bytes+len(text)+perText > m.limit {
		m.old, m.young = m.young, generation{}
	}
	m.young.add(text, n)
}

// Stats returns what was done so far.
func (m *Memo) Stats() MemoStats {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return MemoStats{
		Hits: m.hits.Load(), Misses: m.misses, Counted: m.counted,
		Texts: len(m.young.counts) + len(m.old.counts),
		Bytes: m.young.bytes + m.old.bytes,
	}
}
