package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
)

// A breaker counts calls that had the same arguments and the same result. A call
// that the turn has not seen yet is news, and the count begins again: a test that
// is run after each of several edits is no loop.
type breaker struct {
	limit int // negative: none
	seen  map[[sha256.Size]byte]bool
	again map[[sha256.Size]byte]*repeat // since the last news
}

// A repeat is a call that was made again.
type repeat struct {
	label string
	n     int
}

// add counts a call with its result.
func (b *breaker) add(call chat.ToolCall, text string, isError bool) {
	if b.limit < 0 {
		return
	}
	args := canonical(call.Args)
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %t\n", call.Name, args, isError)
	h.Write([]byte(text))
	key := [sha256.Size]byte(h.Sum(nil))
	if b.seen == nil {
		b.seen, b.again = map[[sha256.Size]byte]bool{}, map[[sha256.Size]byte]*repeat{}
	}
	if !b.seen[key] {
		b.seen[key] = true
		clear(b.again)
	}
	if b.again[key] == nil {
		b.again[key] = &repeat{label: call.Name + " " + shortened(args)}
	}
	b.again[key].n++
}

// stop returns the stop of a turn that gets nowhere, or nil.
func (b *breaker) stop() *session.Stop {
	most := 0
	for _, r := range b.again {
		most = max(most, r.n)
	}
	if b.limit < 0 || most < b.limit {
		return nil
	}
	var names []string
	for _, r := range slices.SortedFunc(maps.Values(b.again), func(x, y *repeat) int { return strings.Compare(x.label, y.label) }) {
		names = append(names, r.label)
	}
	return &session.Stop{Reason: StopLoop,
		Message: fmt.Sprintf("the model made the same calls with the same results, up to %d times: %s", most, strings.Join(names, "; "))}
}

// canonical returns arguments in one form: members sorted, without white space.
// What is no JSON stays as it is.
func canonical(args json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return string(args)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(args)
	}
	return string(out)
}

// shortened returns a text that fits into a sentence.
func shortened(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
