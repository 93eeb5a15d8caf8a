// Package find says at which request of a session a text appeared, and at which it
// was gone again:
//
//	s, err := find.New("Use tabs", find.Options{})
//	for r, err := range a.Replays(ctx, id) {
//		…
//		for _, c := range s.Add(r) {
//			fmt.Println(c)
//		}
//	}
//
// A text is looked for in each part of a request by itself: the sections of the
// system text and of the instructions, the tools, the messages.
package find

import (
	"fmt"
	"regexp"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
)

// The kinds of places.
const (
	System       = "system"       // a section of the system text
	Instructions = "instructions" // a section of the instructions
	Tool         = "tool"         // a tool as it is described
	Message      = "message"
)

// A Place is a part of a request that a text stands in.
type Place struct {
	Kind string `json:"kind"`           // System and so on
	Name string `json:"name,omitempty"` // of the section or tool; of a message the kind of its event, such as tool.result; added: it was made for the request
	// Event is the session's event that brought a message; 0: none did.
	Event uint64 `json:"event,omitempty"`
	// Source, Path and Stage are where the text comes from, as its origin says, and
	// Offset is its place in the file or answer; -1: it has none.
	Source string `json:"source,omitempty"`
	Path   string `json:"path,omitempty"`
	Stage  string `json:"stage,omitempty"`
	Offset int    `json:"offset"`
	Count  int    `json:"count"` // how often it stands there
	// Excerpt is the text with what stands around it.
	Excerpt string `json:"excerpt"`
}

// A Change is that a text appeared in a place, or is gone.
type Change struct {
	Request  int   `json:"request"` // from 1
	Turn     int   `json:"turn"`
	Step     int   `json:"step"`
	Appeared bool  `json:"appeared"` // false: it is gone; Place is what it was
	Place    Place `json:"place"`
}

// Options say what counts as the text.
type Options struct {
	FoldCase bool // small and capital letters are the same
}

// A Searcher looks at the requests of a session, one after the other.
type Searcher struct {
	text    *regexp.Regexp
	present []located
	// seen has what was found in a message that later requests have too.
	seen map[*chat.Part]*Place
}

// located is a place with what tells it from others.
type located struct {
	key   string
	place Place
}

// New returns a searcher for a text, which must not be empty.
func New(text string, o Options) (*Searcher, error) {
	if text == "" {
		return nil, fmt.Errorf("an empty text stands everywhere")
	}
	pattern := regexp.QuoteMeta(text)
	if o.FoldCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("text %q: %w", text, err)
	}
	return &Searcher{text: re, seen: map[*chat.Part]*Place{}}, nil
}

// Add looks at the next request and returns what changed since the one before:
// first where the text is gone, then where it appeared, in the order of the request.
func (s *Searcher) Add(r agent.Replayed) []Change {
	now := s.places(r)
	change := func(appeared bool, p Place) Change {
		return Change{Request: r.Number, Turn: r.Turn, Step: r.Step.Step, Appeared: appeared, Place: p}
	}
	var out []Change
	for _, old := range s.present {
		if !has(now, old.key) {
			out = append(out, change(false, old.place))
		}
	}
	for _, n := range now {
		if !has(s.present, n.key) {
			out = append(out, change(true, n.place))
		}
	}
	s.present = now
	return out
}

// Present returns where the text stands in the last request.
func (s *Searcher) Present() []Place {
	out := make([]Place, len(s.present))
	for i := range s.present {
		out[i] = s.present[i].place
	}
	return out
}

func has(list []located, key string) bool {
	for i := range list {
		if list[i].key == key {
			return true
		}
	}
	return false
}

// places returns where the text stands in a request.
func (s *Searcher) places(r agent.Replayed) []located {
	var out []located
	sections := func(kind string, parts []prompt.Part) {
		for _, p := range parts {
			if place := s.look(p.Text, p.From); place != nil {
				place.Kind, place.Name = kind, p.Name
				out = append(out, located{kind + " " + p.Name, *place})
			}
		}
	}
	sections(System, r.Request.System)
	sections(Instructions, r.Request.Instructions)
	for _, t := range r.Request.Tools {
		text := t.Name + "\n" + t.Description + "\n" + string(t.Parameters)
		if place := s.look(span.OfGenerated(text, t.From), t.From); place != nil {
			place.Kind, place.Name = Tool, t.Name
			out = append(out, located{Tool + " " + t.Name, *place})
		}
	}
	nth := 0 // among the messages of one event
	for i, m := range r.Request.Messages {
		var at session.Place
		if i < len(r.Places) {
			at = r.Places[i]
		}
		if at.Kind == "" {
			at.Kind = "added"
		}
		if nth++; i == 0 || i < len(r.Places) && r.Places[i-1].Event != at.Event {
			nth = 0
		}
		if place := s.message(m); place != nil {
			place.Kind, place.Name, place.Event = Message, string(at.Kind), at.Event
			out = append(out, located{fmt.Sprintf("%s %s %d %d", Message, at.Kind, at.Event, nth), *place})
		}
	}
	return out
}

// message looks at a message, once.
func (s *Searcher) message(m chat.Message) *Place {
	if len(m.Parts) == 0 {
		return nil
	}
	found, ok := s.seen[&m.Parts[0]]
	if !ok {
		var text span.Text
		for _, p := range m.Parts {
			if len(text) > 0 {
				text = append(text, span.Span{Text: "\n", Off: span.NoOffset})
			}
			switch {
			case p.Call != nil:
				text = append(text, span.OfGenerated(p.Call.Name+" "+string(p.Call.Args), p.Call.From)...)
			case p.Result != nil:
				text = append(text, p.Result.Text...)
			default:
				text = append(text, p.Text...)
			}
		}
		found = s.look(text, nil)
		s.seen[&m.Parts[0]] = found
	}
	if found == nil {
		return nil
	}
	own := *found
	return &own
}
