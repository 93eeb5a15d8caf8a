package env

import (
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"strings"
	"sync"
)

// systemIDs makes unguessable ids of 128 bits. They are lower case, so that two
// of them are two files on every file system.
type systemIDs struct{}

func (systemIDs) New(prefix string) string { return withPrefix(prefix, strings.ToLower(rand.Text())) }

// A Sequence makes the ids prefix_000001, prefix_000002 and so on, counted for
// each prefix. The zero value is ready for use, also concurrently.
type Sequence struct {
	mu   sync.Mutex
	last map[string]int
}

// New returns the next id.
func (s *Sequence) New(prefix string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = map[string]int{}
	}
	s.last[prefix]++
	return withPrefix(prefix, fmt.Sprintf("%06d", s.last[prefix]))
}

func withPrefix(prefix, id string) string {
	if prefix == "" {
		return id
	}
	return prefix + "_" + id
}

// systemRand is the runtime's generator.
type systemRand struct{}

func (systemRand) Float64() float64 { return mathrand.Float64() }

// FixedRand always returns the same number.
type FixedRand float64

// Float64 returns the number.
func (r FixedRand) Float64() float64 { return float64(r) }
