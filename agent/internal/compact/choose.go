package compact

import (
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// What a cut leaves of a result, and how long one is that is worth it, in bytes.
const (
	cutHead = 1024
	cutTail = 512
	large   = 4096
)

// Prune returns cuts in large results that are older than the latest protect
// tokens, and about how many tokens they save. What a result hands over of
// instructions stays, and what a tool loads once is not cut. Results of the last answer are cut only if protect is
// negative.
func Prune(v session.View, m Meter, protect int) (cuts []session.Cut, saved int) {
	end := v.Settled
	if protect >= 0 {
		end = min(end, newest(v, m, protect))
	}
	for i := range end {
		if v.Places[i].Kind != session.Result {
			continue
		}
		r := v.Messages[i].Parts[0].Result
		own := before(r.Text)
		if own < large && len(r.Images) == 0 || session.IsPruned(r.Text) || loaded(r.Text) {
			continue
		}
		n := r.Text.Len()
		c := session.Cut{Event: v.Places[i].Event, Head: min(cutHead, own), Tail: n - own}
		if own > cutHead {
			c.Tail += min(cutTail, own-cutHead)
		}
		if n > 0 {
			saved += int(int64(m.Tokens(r.Text.String())) * int64(n-c.Head-c.Tail) / int64(n))
		}
		cuts, saved = append(cuts, c), saved+chat.ImageTokens*len(r.Images)
	}
	slices.SortFunc(cuts, func(a, b session.Cut) int { return int(int64(a.Event) - int64(b.Event)) })
	return cuts, saved
}

// loaded reports whether a tool takes the text for one that the model has.
func loaded(t span.Text) bool {
	return slices.ContainsFunc(t, func(s span.Span) bool { return s.From != nil && s.From.Source == tool.LoadedSource })
}

// newest returns where the latest messages of at most so many tokens begin, and
// the last message with what belongs to it in any case.
func newest(v session.View, m Meter, tokens int) int {
	at, sum := len(v.Messages), 0
	for i := len(v.Messages) - 1; i >= 0; i-- {
		if v.Places[i].Head <= v.Through { // what an earlier compaction left
			break
		}
		if v.Places[i].Kind != session.Context {
			sum += m.Message(v.Messages[i])
		}
		if sum > tokens && at < len(v.Messages) {
			break
		}
		if v.Messages[i].Role != chat.Tool && (i < v.Settled || at == len(v.Messages)) {
			at = i
		}
	}
	return min(at, v.Settled)
}

// A Place is where a history is divided.
type Place struct {
	At      int    // the first message that stays
	Through uint64 // the last event whose messages go
	Gain    int    // tokens of the messages that go and were not replaced before
}

// Cut returns where to divide a history so that at most about keep tokens of it
// stay, but the last message and what belongs to it in any case. No gain: there
// is nothing to replace.
func Cut(v session.View, m Meter, keep int) Place {
	at := newest(v, m, keep)
	if at == 0 || at > len(v.Places) {
		return Place{}
	}
	p := Place{At: at, Through: v.Seq}
	if at < len(v.Places) {
		p.Through = v.Places[at].Head - 1
	}
	if p.Through <= v.Through {
		return Place{}
	}
	last := lastInput(v)
	for i, msg := range v.Messages[:at] {
		switch place := v.Places[i]; {
		case place.Head <= v.Through, place.Kind == session.Notice, place.Kind == session.Context, i == last:
		default:
			p.Gain += m.Message(msg)
		}
	}
	return p
}

// lastInput returns the index of the last input; -1: there is none.
func lastInput(v session.View) int {
	for i := len(v.Places) - 1; i >= 0; i-- {
		if v.Places[i].Kind == session.Input {
			return i
		}
	}
	return -1
}
