// Package jsonl writes spans as lines of JSON, one for each span when it is over:
//
//	sink := &jsonl.Sink{W: file, Redact: trace.NewRedactor(apiKey)}
//	a, err := agent.New(agent.Config{…, Trace: agent.Tracing{Sink: sink}})
//	…
//	err = sink.Err() // the first line that could not be written
//
// A line holds what there is to know of its span and has a bounded length, so that
// a file can be read while it grows, and appended to by several processes. Children
// stand before their parents. Credentials are taken out here, at the last moment,
// whoever made the span.
package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/proemhq/proem/trace"
)

// Schema is the form of a line.
const Schema = "proem.trace/1"

// The bounds of a line.
const (
	MaxText = 16 << 10  // bytes of a text
	MaxLine = 128 << 10 // bytes of a line
)

// A Sink is a [trace.Sink]. It may be used concurrently.
type Sink struct {
	// W is written whole lines, each in one call. It is not closed.
	W io.Writer
	// Resource says what the spans come from, such as service.name; it stands in
	// each line.
	Resource []trace.Attr
	Redact   trace.Redactor

	mu  sync.Mutex
	err error
}

// End writes a span. After a failure nothing more is written.
func (s *Sink) End(sp trace.Span) {
	line := s.line(sp)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	if _, err := s.W.Write(line); err != nil {
		s.err = fmt.Errorf("trace: %w", err)
	}
}

// Err returns the first failure to write.
func (s *Sink) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// line returns a span as a line. One that is too long has shorter texts, and at
// last no attributes but a word that says so.
func (s *Sink) line(sp trace.Span) []byte {
	sp = s.Redact.Span(sp)
	resource := s.Redact.Attrs(s.Resource)
	for most := MaxText; most >= 64; most /= 2 {
		if b := encode(sp.Cut(most), resource); len(b) <= MaxLine {
			return b
		}
	}
	sp.Attrs = []trace.Attr{trace.Bool("proem.attributes_cut", true)}
	return encode(sp.Cut(64), nil)
}

// A Line is the form of a line.
type Line struct {
	Schema     string     `json:"schema"`
	Trace      string     `json:"trace"`
	Span       string     `json:"span"`
	Parent     string     `json:"parent,omitempty"`
	Link       string     `json:"link,omitempty"` // trace and span, with a hyphen between
	Name       string     `json:"name"`
	Kind       string     `json:"kind"`
	Begin      time.Time  `json:"begin"`
	End        time.Time  `json:"end"`
	Status     string     `json:"status"` // ok or error
	Message    string     `json:"message,omitempty"`
	Attributes Attributes `json:"attributes"`
	Resource   Attributes `json:"resource,omitempty"`
}

// Attributes are written as an object, in their order.
type Attributes []trace.Attr

// MarshalJSON writes an object.
func (as Attributes) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, a := range as {
		key, err := json.Marshal(a.Key)
		if err != nil {
			return nil, err
		}
		value, err := a.Value.MarshalJSON()
		if err != nil { // a number that JSON does not have
			value = []byte("null")
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func encode(sp trace.Span, resource []trace.Attr) []byte {
	l := Line{Schema: Schema, Trace: sp.Trace, Span: sp.ID, Parent: sp.Parent, Name: sp.Name, Kind: string(sp.Kind), Begin: sp.Begin, End: sp.End,
		Status: "ok", Message: sp.Message, Attributes: sp.Attrs, Resource: resource}
	if sp.Failed {
		l.Status = "error"
	}
	if sp.Link != (trace.Link{}) {
		l.Link = sp.Link.Trace + "-" + sp.Link.ID
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b) // ends the line
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil { // a time that has no form
		b.Reset()
		l.Begin, l.End = time.Time{}, time.Time{}
		_ = enc.Encode(l)
	}
	return b.Bytes()
}
