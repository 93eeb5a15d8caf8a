package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
)

// A Compaction makes the history shorter: other messages take the place of its
// beginning. The log keeps all events; only what is sent from here on is less.
//
// Three things survive whatever the event says. The last input stays, word for
// word, and so do notices. A call stays with its results, because a message is
// replaced with everything that stays with it. Context messages go, also those
// behind Through: nothing is known to the model of dynamic facts any more, and the
// next request carries what holds.
type Compaction struct {
	Through uint64 `json:"through"` // the last event whose messages are replaced
	// Messages take their place: a summary, and instructions that were handed over
	// with results. They are messages of the user's role with a name.
	Messages []chat.Message `json:"messages,omitempty"`
	// Before and After are the tokens of a request, counted or estimated; 0: not
	// known.
	Before int `json:"before,omitempty"`
	After  int `json:"after,omitempty"`
}

func (c *Compaction) check() error {
	if c.Through == 0 {
		return fmt.Errorf("a compaction through no event")
	}
	for _, m := range c.Messages {
		if m.Role != chat.User || m.Name == "" || len(m.Results()) > 0 || len(m.Calls()) > 0 {
			return fmt.Errorf("a message of a compaction must be the user's, with a name and without calls and results")
		}
	}
	return nil
}

// A Cut leaves out the middle of a result's text, and its images.
type Cut struct {
	Event uint64 `json:"event"`          // of the result
	Head  int    `json:"head,omitempty"` // bytes that stay at the beginning
	Tail  int    `json:"tail,omitempty"` // bytes that stay at the end
}

// maxCut is more than any result has bytes.
const maxCut = 1 << 40

func checkCuts(cuts []Cut) error {
	last := uint64(0)
	for _, c := range cuts {
		if c.Event <= last {
			return fmt.Errorf("cuts are not in ascending order of events")
		}
		if c.Head < 0 || c.Tail < 0 || c.Head > maxCut || c.Tail > maxCut {
			return fmt.Errorf("a cut that keeps %d and %d bytes", c.Head, c.Tail)
		}
		last = c.Event
	}
	return nil
}

// prunedSource is the source of the line that stands for what a cut left out.
const prunedSource = "generated:pruned"

var prunedOrigin = &span.Origin{Source: prunedSource}

// IsPruned reports whether a cut was made in a result's text.
func IsPruned(t span.Text) bool {
	return slices.ContainsFunc(t, func(s span.Span) bool { return s.From != nil && s.From.Source == prunedSource })
}

// apply returns the message with the cut made in its result.
func (c *Cut) apply(m chat.Message) chat.Message {
	r := *m.Parts[0].Result
	n := r.Text.Len()
	head, tail := r.Text.Slice(0, min(c.Head, n)), r.Text.Slice(max(min(c.Head, n), n-c.Tail), n)
	what := fmt.Sprintf("%d of %d bytes", n-head.Len()-tail.Len(), n)
	if k := len(r.Images); k > 0 {
		what += fmt.Sprintf(" and %d images", k)
	}
	line := fmt.Sprintf("\n[%s are left out here to make room. They are event %d of this session; if you need them, call the tool again]\n", what, c.Event)
	r.Text, r.Images = own(span.Concat(head, span.OfGenerated(line, prunedOrigin), tail)), nil
	m.Parts = []chat.Part{{Kind: chat.ResultPart, Result: &r}}
	return m
}

// own copies the text, so that the rest of a large one can be forgotten.
func own(t span.Text) span.Text {
	for i := range t {
		t[i].Text = strings.Clone(t[i].Text)
	}
	return t
}

// prune makes cuts in settled results.
func (f *Folder) prune(e Event) error {
	at := make([]int, len(e.Cuts))
	for i := range e.Cuts {
		at[i] = slices.IndexFunc(f.places, func(p Place) bool { return p.Kind == Result && p.Event == e.Cuts[i].Event })
		if at[i] < 0 && len(f.view.Losses) == 0 {
			return fmt.Errorf("event %d is no result of the history", e.Cuts[i].Event)
		}
	}
	f.done = slices.Clone(f.done) // views share the old one
	for i, k := range at {
		if k >= 0 {
			f.done[k] = e.Cuts[i].apply(f.done[k])
		}
	}
	f.view.Shortened, f.view.LastUsage = e.Seq, nil
	return nil
}

// compact replaces the beginning of the history.
func (f *Folder) compact(e Event) error {
	c, damaged := e.Compaction, len(f.view.Losses) > 0
	switch {
	case c.Through <= f.view.Through:
		return fmt.Errorf("the history up to event %d was replaced before", c.Through)
	case c.Through > f.view.Seq:
		return fmt.Errorf("there is no event %d yet", c.Through)
	case !damaged && len(f.tail) > 0 && f.tail[0].place.Head <= c.Through:
		return fmt.Errorf("event %d has open calls", f.tail[0].place.Head)
	}
	n := 0
	for n < len(f.tail) && f.tail[n].place.Head <= c.Through { // only where results were lost
		f.done, f.places = f.tail[n].appendTo(f.done, f.places)
		n++
	}
	f.tail = slices.DeleteFunc(slices.Delete(f.tail, 0, n), func(t entry) bool { return t.place.Kind == Context })
	f.replace(e)
	f.settle()
	v := &f.view
	v.Through, v.Shortened, v.LastUsage, v.Contexts = c.Through, e.Seq, nil, nil
	f.contextTurn, f.contextStep = 0, 0
	v.ThroughSteps = v.Steps
	if v.Unanswered {
		v.ThroughSteps = v.StepNumber(e.Turn, e.Step) - 1
	}
	f.charge(e)
	return nil
}

// replace puts the settled history together anew.
func (f *Folder) replace(e Event) {
	c, last := e.Compaction, f.lastInput()
	var done []chat.Message
	var places []Place
	for _, m := range c.Messages {
		done, places = append(done, m), append(places, Place{Event: e.Seq, Head: c.Through, Kind: Compacted})
	}
	for i, p := range f.places {
		if p.Kind != Context && (p.Head > c.Through || p.Kind == Notice || i == last) {
			done, places = append(done, f.done[i]), append(places, p)
		}
	}
	f.done, f.places = done, places
}

// lastInput returns where the last input is in the settled history; -1: it is
// behind it, or there is none.
func (f *Folder) lastInput() int {
	for i := range f.tail {
		if f.tail[i].place.Kind == Input {
			return -1
		}
	}
	for i := len(f.places) - 1; i >= 0; i-- {
		if f.places[i].Kind == Input {
			return i
		}
	}
	return -1
}
