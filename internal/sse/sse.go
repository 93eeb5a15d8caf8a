// Package sse reads server-sent events: lines of any length up to a bound, ended
// by LF, CR or CRLF, wherever the bytes are cut.
//
//	r := sse.NewReader(body)
//	for {
//		ev, err := r.Next()
//		if err == io.EOF {
//			break
//		}
//		…
//		handle(ev.Name, ev.Data)
//	}
//
// Comments, ids and retry hints are skipped, events without data as well.
package sse

import (
	"bytes"
	"fmt"
	"io"
)

// MaxEvent is the most bytes that a line, or the data of one event, may have.
const MaxEvent = 64 << 20

// An Event is one dispatched event.
type Event struct {
	Name string // the event field; empty: none was given
	Data []byte // the data lines, joined by line feeds; valid until the next call
	// Partial marks an event that the end of the stream cut short of its blank
	// line. Its data may be complete all the same.
	Partial bool
}

// A Reader reads events. It is not safe for concurrent use.
type Reader struct {
	in     io.Reader
	buf    []byte // read but not yet consumed: buf[lo:]
	lo     int
	err    error // of in, once it ended
	skipLF bool  // the last line ended in CR at the end of the buffer
	began  bool
	data   []byte
}

// NewReader returns a Reader of r. It reads no further ahead than one chunk.
func NewReader(r io.Reader) *Reader { return &Reader{in: r} }

var bom = []byte("\xef\xbb\xbf")

// Next returns the next event, or the error of the underlying reader, which is
// io.EOF at the end.
func (r *Reader) Next() (Event, error) {
	ev := Event{}
	r.data = r.data[:0]
	has := false
	for {
		line, end, err := r.line()
		if err != nil {
			return Event{}, err
		}
		switch {
		case len(line) == 0 && !end:
			if has {
				ev.Data = r.data[:len(r.data)-1]
				return ev, nil
			}
			ev.Name = ""
		case len(line) > 0:
			name, value := field(line)
			switch name {
			case "data":
				if len(r.data)+len(value) > MaxEvent {
					return Event{}, fmt.Errorf("sse: an event is longer than %d bytes", MaxEvent)
				}
				has = true
				r.data = append(append(r.data, value...), '\n')
			case "event":
				ev.Name = string(value)
			}
		}
		if end {
			if !has {
				return Event{}, r.err
			}
			if r.err != io.EOF {
				return Event{}, r.err
			}
			ev.Data, ev.Partial = r.data[:len(r.data)-1], true
			return ev, nil
		}
	}
}

func field(line []byte) (name string, value []byte) {
	n, value, found := bytes.Cut(line, []byte{':'})
	if found && len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(n) {
	case "data":
		return "data", value
	case "event":
		return "event", value
	}
	return "", nil
}

// line returns the next line without its end, valid until the next call. End
// says that the stream ended behind it, without a line end.
func (r *Reader) line() (line []byte, end bool, err error) {
	seen := 0 // bytes of the line known to hold no line end
	for {
		if r.skipLF && r.lo < len(r.buf) {
			if r.buf[r.lo] == '\n' {
				r.lo++
			}
			r.skipLF = false
		}
		if !r.began && (len(r.buf) >= len(bom) || r.err != nil) {
			r.began = true
			if bytes.HasPrefix(r.buf, bom) {
				r.lo = len(bom)
			}
		}
		if r.began {
			rest := r.buf[r.lo:]
			if i := lineEnd(rest[seen:]); i >= 0 {
				i += seen
				r.skipLF = rest[i] == '\r'
				r.lo += i + 1
				return rest[:i], false, nil
			}
			seen = len(rest)
			if seen > MaxEvent {
				return nil, false, fmt.Errorf("sse: a line is longer than %d bytes", MaxEvent)
			}
			if r.err != nil {
				r.lo = len(r.buf)
				return rest, true, nil
			}
		}
		r.fill()
	}
}

// lineEnd returns the place of the first CR or LF, or -1.
func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

const chunk = 16 << 10

// fill reads more. The unread bytes move to the front first; the buffer doubles
// when a line does not fit.
func (r *Reader) fill() {
	if r.lo > 0 {
		r.buf = r.buf[:copy(r.buf, r.buf[r.lo:])]
		r.lo = 0
	}
	if cap(r.buf)-len(r.buf) < chunk/2 {
		grown := make([]byte, len(r.buf), max(chunk, 2*cap(r.buf)))
		copy(grown, r.buf)
		r.buf = grown
	}
	for range 100 {
		n, err := r.in.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		r.err = err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}
