package providertest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/proemhq/proem/providertest/internal/reply"
)

// A Fault is something that goes wrong with a request. Several may hit the same
// one.
//
// The entry of the script that a request would have got is not used up if a fault
// keeps the answer from being complete: the next request gets it.
type Fault struct {
	// At is the number of the request that is hit, as in Request.Number: every
	// attempt counts. 0: all are hit.
	At   int
	Kind FaultKind
	N    int // see the kinds
	// Status is that of a Status fault. Inside a stream it only chooses the words;
	// 0: 529.
	Status  int
	Code    string // of the error; empty: what belongs to the status
	Message string
	// RetryAfter is how long a Status fault asks to wait; 0: it does not.
	RetryAfter time.Duration
	Date       bool // RetryAfter is told as a date instead of in seconds
}

// FaultKind says what goes wrong.
type FaultKind string

// The kinds of faults. Bytes and events are those of the body of the response.
const (
	// Status answers with an error status instead of an answer.
	Status FaultKind = "status"
	// ContextLength refuses the request because it is longer than N tokens, in the
	// provider's words; 0: 1,000.
	ContextLength FaultKind = "context length"
	// Filter ends the answer after N pieces of text, because a filter withholds the
	// rest.
	Filter FaultKind = "filter"
	// StreamError begins an answer with status 200 and after N events reports an
	// error.
	StreamError FaultKind = "stream error"
	// Stall sends N events and then nothing but pings, until the client goes away.
	Stall FaultKind = "stall"
	// Cut ends the response after N bytes as if it were complete.
	Cut FaultKind = "cut"
	// Drop closes the connection after N bytes, inside the response.
	Drop FaultKind = "drop"
	// Reset resets the connection after N bytes, as a host does that has died.
	Reset FaultKind = "reset"
	// Chunk sends the response N bytes at a time.
	Chunk FaultKind = "chunk"
	// Split sends the first N bytes and then the rest.
	Split FaultKind = "split"
	// NoUsage reports no usage.
	NoUsage FaultKind = "no usage"
	// SameIDs gives all tool calls the same id.
	SameIDs FaultKind = "same ids"
	// CutArguments sends N bytes of the arguments of the last tool call, and ends
	// as if that were all.
	CutArguments FaultKind = "cut arguments"
	// LongLines makes every event at least N bytes long, on one line.
	LongLines FaultKind = "long lines"
)

var faultKinds = []FaultKind{Status, ContextLength, Filter, StreamError, Stall, Cut, Drop, Reset, Chunk, Split, NoUsage, SameIDs, CutArguments, LongLines}

// breaking are the faults that keep an answer from being complete.
var breaking = []FaultKind{Status, ContextLength, StreamError, Stall, Cut, Drop, Reset}

func (f *Fault) check() error {
	switch {
	case !slices.Contains(faultKinds, f.Kind):
		return fmt.Errorf("there is no fault of kind %q", f.Kind)
	case f.At < 0 || f.N < 0:
		return fmt.Errorf("fault %s: a number is negative", f.Kind)
	case f.Kind == Status && (f.Status < 300 || f.Status > 599):
		return fmt.Errorf("fault status: %d is no status of an error", f.Status)
	}
	return nil
}

// faults are those of one request.
type faults []Fault

func (s *Server) faults(number int) faults {
	var out faults
	for _, f := range s.cfg.Faults {
		if f.At == 0 || f.At == number {
			out = append(out, f)
		}
	}
	return out
}

// find returns the fault of a kind, or nil.
func (fs faults) find(k FaultKind) *Fault {
	for i := range fs {
		if fs[i].Kind == k {
			return &fs[i]
		}
	}
	return nil
}

func (fs faults) breaks() bool {
	return slices.ContainsFunc(fs, func(f Fault) bool { return slices.Contains(breaking, f.Kind) })
}

// error returns the error that a fault is.
func (f *Fault) error() *reply.Error {
	e := &reply.Error{Status: f.Status, Code: f.Code, Message: f.Message}
	if e.Status == 0 {
		e.Status = 529
	}
	return e
}

// retryAfter puts the header that asks to wait.
func retryAfter(h http.Header, wait time.Duration, date bool, now time.Time) {
	switch whole := wait.Truncate(time.Second); {
	case wait <= 0:
	case date:
		h.Set("Retry-After", now.Add(wait+time.Second-time.Nanosecond).UTC().Truncate(time.Second).Format(http.TimeFormat))
	case whole != wait:
		h.Set("Retry-After-Ms", strconv.FormatInt(wait.Milliseconds(), 10))
	default:
		h.Set("Retry-After", strconv.Itoa(int(whole/time.Second)))
	}
}
