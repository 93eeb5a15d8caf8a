package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/proemhq/proem/session"
)

// Read yields the events of a log. Damaged lines are skipped and reported by an
// event of kind [session.Lost] in their place. A record at the end whose writing
// did not finish is left out without a word: it was never acknowledged.
//
// The iteration ends after the first error. A record that is intact and is yet
// not the event that must follow is an error.
func Read(r io.Reader) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		s := newScanner(r)
		for {
			rec, err := s.next()
			if err == io.EOF {
				return
			}
			var e session.Event
			if err == nil {
				e, err = rec.event()
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// record is one intact record, or a run of damage.
type record struct {
	seq     uint64
	payload []byte // valid until the next one
	loss    *session.Loss
}

func (r record) event() (session.Event, error) {
	if r.loss != nil {
		return session.Event{Kind: session.Lost, Loss: r.loss}, nil
	}
	var e session.Event
	err := json.Unmarshal(r.payload, &e)
	return e, err
}

// scanner reads a log record by record.
type scanner struct {
	r    *bufio.Reader
	line []byte
	held *record // an intact record behind a loss, not yet returned
	off  int64   // where the next line begins
	last uint64  // the last intact record
	end  int64   // where it ends
}

func newScanner(r io.Reader) *scanner { return &scanner{r: bufio.NewReaderSize(r, 64<<10)} }

// next returns the next record or loss, and io.EOF after the last.
func (s *scanner) next() (record, error) {
	if s.held != nil {
		rec := *s.held
		s.held = nil
		return rec, nil
	}
	var loss *session.Loss
	for {
		off := s.off
		err := s.readLine()
		if err != nil && err != io.EOF {
			return record{}, err
		}
		if len(s.line) == 0 {
			return s.finish(loss)
		}
		payload, state := parseFrame(s.line)
		switch {
		case state == valid:
			return s.take(payload, loss)
		case state == torn && err == io.EOF:
			if loss != nil {
				loss.Bytes = s.off - loss.Offset
			}
			return s.finish(loss)
		case loss == nil:
			loss = &session.Loss{Offset: off}
		}
		loss.Bytes = s.off - loss.Offset
	}
}

// finish ends the log, with damage before the end if there is any.
func (s *scanner) finish(loss *session.Loss) (record, error) {
	if loss == nil {
		return record{}, io.EOF
	}
	loss.First = s.last + 1
	return record{loss: loss}, nil
}

// take checks that an intact record is the one that must follow.
func (s *scanner) take(payload []byte, loss *session.Loss) (record, error) {
	rec := record{payload: payload}
	var ok bool
	if rec.seq, ok = seqOf(payload); !ok {
		return record{}, fmt.Errorf("offset %d: the record is not a numbered event", s.end)
	}
	if rec.seq <= s.last || rec.seq > s.last+1 && loss == nil {
		return record{}, fmt.Errorf("offset %d: event %d follows event %d", s.end, rec.seq, s.last)
	}
	last := s.last
	s.last, s.end = rec.seq, s.off
	if loss == nil {
		return rec, nil
	}
	if rec.seq > last+1 {
		loss.First, loss.Last = last+1, rec.seq-1
	}
	s.held = &rec
	return record{loss: loss}, nil
}

// seqOf returns the number of an event, which its JSON form begins with.
func seqOf(payload []byte) (uint64, bool) {
	digits, ok := bytes.CutPrefix(payload, []byte(`{"seq":`))
	var n uint64
	i := 0
	for ok && i < len(digits) && i < 19 && '0' <= digits[i] && digits[i] <= '9' {
		n = n*10 + uint64(digits[i]-'0')
		i++
	}
	return n, n > 0 && i < len(digits) && digits[i] == ','
}

// readLine reads the next line with its end. A line that is too long to be a
// record is cut, so that it is not one, but counted in full.
func (s *scanner) readLine() error {
	s.line = s.line[:0]
	for {
		part, err := s.r.ReadSlice('\n')
		s.off += int64(len(part))
		if room := maxRecord + 1024 - len(s.line); len(part) > room {
			part = part[:room]
		}
		s.line = append(s.line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
