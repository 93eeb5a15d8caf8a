package token

import (
	"sync"

	"github.com/proemhq/proem/token/internal/vocab"
)

// A Part is a piece of a request whose text does not change: a section, a tool, a
// message. Whoever keeps the text can keep the part, so that nothing is hashed or
// counted twice.
type Part struct {
	Hash   uint64 // of the content; parts with equal hashes are taken for equal
	Tokens int    // by the base counter
}

// A Calibrated is an estimate that usage reports correct. What a provider reports
// for a request holds for every later request that begins with the same parts;
// what follows them, and requests that begin otherwise, are estimated in the
// proportion of the last report to the estimate for it.
//
//	var c token.Calibrated
//	parts := []token.Part{c.Part(system), c.Part(question)}
//	c.Report(parts, usage.InputTokens)
//	parts = append(parts, c.Part(answer))
//	c.CountParts(parts) // the reported tokens, and an estimate of the answer
//
// It never says that it is exact, as a report also covers what a provider adds to
// the parts. The zero value is ready, and it may be used concurrently; it must not
// be copied. It keeps the last [CalibratedReports] reports.
type Calibrated struct {
	// Base is what is corrected; nil is [Estimate]. It must not change.
	Base Counter

	mu       sync.Mutex
	reports  map[uint64]int // tokens by the hash of all parts
	order    []uint64       // the keys, a ring with the oldest at next
	next     int
	reported int // of the last report: its tokens,
	guessed  int // and those by the base counter; 0 before the first
}

// CalibratedReports is the number of reports that a [Calibrated] keeps.
const CalibratedReports = 1024

func (c *Calibrated) base() Counter {
	if c.Base == nil {
		return Estimate
	}
	return c.Base
}

// Name returns the name of the base counter and "/calibrated".
func (c *Calibrated) Name() string { return c.base().Name() + "/calibrated" }

// Exact returns false.
func (c *Calibrated) Exact() bool { return false }

// Count estimates the tokens of a text, as [Calibrated.CountParts] does for a
// request of this text alone.
func (c *Calibrated) Count(text string) int {
	part := [1]Part{c.Part(text)}
	return c.CountParts(part[:])
}

// Part returns the part for a text.
func (c *Calibrated) Part(text string) Part {
	return Part{Hash: vocab.Hash(text), Tokens: c.base().Count(text)}
}

// CountParts estimates the tokens of a request of these parts, in this order. It
// equals what was reported for the most parts at the beginning, and adds an
// estimate of the others.
func (c *Calibrated) CountParts(parts []Part) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, rest := 0, 0
	h := uint64(0)
	for _, p := range parts {
		h = chain(h, p)
		rest += p.Tokens
		if n, ok := c.reports[h]; ok {
			known, rest = n, 0
		}
	}
	if c.guessed > 0 {
		rest = (rest*c.reported + c.guessed/2) / c.guessed
	}
	return known + rest
}

// Report notes how many tokens the provider counted for a request of these parts:
// all input tokens, those read from a cache and written to it included. A report
// of none is ignored.
func (c *Calibrated) Report(parts []Part, tokens int) {
	if tokens <= 0 || len(parts) == 0 {
		return
	}
	h, guessed := uint64(0), 0
	for _, p := range parts {
		h = chain(h, p)
		guessed += p.Tokens
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if guessed > 0 {
		c.reported, c.guessed = tokens, guessed
	}
	if c.reports == nil {
		c.reports = map[uint64]int{}
	}
	if _, ok := c.reports[h]; !ok {
		if len(c.order) < CalibratedReports {
			c.order = append(c.order, h)
		} else {
			delete(c.reports, c.order[c.next])
			c.order[c.next] = h
			c.next = (c.next + 1) % CalibratedReports
		}
	}
	c.reports[h] = tokens
}

// chain returns the hash of the parts that h stands for, and one more.
func chain(h uint64, p Part) uint64 {
	h = (h ^ p.Hash) * 0x9e3779b97f4a7c15
	return h ^ h>>29 ^ 1
}
