package anthropic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// ids are the ids of the calls of a conversation as they are sent, in order. The
// protocol takes letters, digits, _ and - only, and each id once in a
// conversation; other providers number their calls anew in every turn.
type ids struct {
	sent    []string
	started bool
	work    int             // comparisons so far
	seen    map[string]bool // of sent, once that is cheaper
}

// start keeps the ids of the messages that were copied from the body before.
func (s *ids) start(e *dialect.Encoder, lo int) {
	if s.started {
		return
	}
	n := 0
	for i := range e.Msgs[:lo] {
		if e.Msgs[i].Role == chat.Assistant {
			n += count(&e.Msgs[i], chat.CallPart)
		}
	}
	s.sent, s.started = s.sent[:n:n], true
}

// count returns how many parts of a kind a message has: calls or results.
func count(m *chat.Message, k chat.Kind) int {
	n := 0
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind == k && (p.Call != nil || p.Result != nil) {
			n++
		}
	}
	return n
}

// enough is how many comparisons are made before a map is.
const enough = 4096

// add returns the id under which a call is sent.
func (s *ids) add(id string) string {
	clean := sanitized(id)
	out := clean
	for n := 2; s.has(out); n++ {
		out = clean + "-" + strconv.Itoa(n)
	}
	if s.seen != nil {
		s.seen[out] = true
	}
	s.sent = append(s.sent, out)
	return out
}

func (s *ids) has(id string) bool {
	if s.seen != nil {
		return s.seen[id]
	}
	if s.work += len(s.sent); s.work > enough {
		s.seen = make(map[string]bool, 2*len(s.sent))
		for _, x := range s.sent {
			s.seen[x] = true
		}
	}
	return slices.Contains(s.sent, id)
}

// sanitized replaces what an id must not hold.
func sanitized(id string) string {
	bad := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-')
	}
	if strings.IndexFunc(id, bad) < 0 {
		return id
	}
	return strings.Map(func(r rune) rune {
		if bad(r) {
			return '_'
		}
		return r
	}, id)
}
