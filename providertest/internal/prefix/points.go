package prefix

import (
	"crypto/sha256"
	"time"
)

// lookback is how many blocks are compared for a breakpoint, its own included.
const lookback = 20

// entry is a prefix that was written.
type entry struct {
	until time.Time
	ttl   time.Duration
}

func lifetime(mark string) time.Duration {
	if mark == "1h" {
		return time.Hour
	}
	return 5 * time.Minute
}

// breakpoints finds the longest prefix that was written, looking back from each
// breakpoint, and writes those that end at one.
func (s *Store) breakpoints(blocks []Block, sums []int, now time.Time, hit *Hit) {
	keys := chain(blocks)
	found := -1
	for i := range blocks {
		if blocks[i].Mark == "" {
			continue
		}
		for j := i; j >= 0 && j > i-lookback && j > found; j-- {
			if e, ok := s.entries[keys[j]]; ok && now.Before(e.until) {
				found = j
				e.until = now.Add(e.ttl)
				s.entries[keys[j]] = e
			}
		}
	}
	hit.Cached = sums[found+1]
	end, long := hit.Cached, hit.Cached
	for i := range blocks {
		n := sums[i+1]
		if blocks[i].Mark == "" || n < s.least {
			continue
		}
		ttl := lifetime(blocks[i].Mark)
		s.entries[keys[i]] = entry{until: now.Add(ttl), ttl: ttl}
		end = max(end, n)
		if ttl == time.Hour {
			long = max(long, n)
		}
	}
	hit.Written, hit.WrittenLong = end-hit.Cached, long-hit.Cached
}

// chain returns what identifies the prompt up to and including each block.
func chain(blocks []Block) [][32]byte {
	out := make([][32]byte, len(blocks))
	var before [32]byte
	for i := range blocks {
		h := sha256.New()
		h.Write(before[:])
		h.Write([]byte(blocks[i].key()))
		h.Sum(out[i][:0])
		before = out[i]
	}
	return out
}
