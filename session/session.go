// Package session holds what happened: a log of events for each session, the
// view that is folded from it, and the interface of the stores that keep it.
//
// The log is the only state of a session. Whoever continues one reads its
// events, folds them to a [View], and appends what happens next after the last
// sequence number that was seen. A store refuses an append if the log has moved
// past that number, so two writers can never both believe they hold the
// session:
//
//	var events []session.Event
//	for e, err := range store.Events(ctx, id) {
//		if err != nil {
//			return err
//		}
//		events = append(events, e)
//	}
//	view, err := session.Fold(events)
//	if err != nil {
//		return err
//	}
//	err = store.Append(ctx, id, view.Seq, session.Event{
//		Seq: view.Seq + 1, Time: now, Kind: session.Input, Turn: view.Turn + 1, Message: &message,
//	})
//
// Events are facts, never plans: a request is appended before it is sent and a
// call before its tool runs, so that after a crash it is known what may have
// happened. Deltas of an answer in progress have no sequence number; they are
// shown and forgotten.
//
// A store that is a [Keeper] also keeps what requests were made from, once by
// content, so that they can be made again.
//
// The stores are in the packages memory and jsonl; sessiontest has the tests
// that every other store should pass.
package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// A Store keeps the logs of sessions. It may be used concurrently.
type Store interface {
	// Append adds events to the log of a session, which begins to exist with its
	// first event. The events carry the sequence numbers after+1, after+2 and so
	// on, and pass [CheckAppend]. If the last event of the log is not number
	// after, nothing is appended and the error is [ErrMoved].
	//
	// When Append returns nil, the events survive whatever the store promises to
	// survive. When it returns another error than ErrMoved, it is not known
	// whether they do: read the log again before going on.
	Append(ctx context.Context, id string, after uint64, events ...Event) error
	// Events yields the log of a session in order; a session that does not exist
	// has no events. The iteration ends after the first error. Where events were
	// lost to damage, an event of kind [Lost] takes their place.
	Events(ctx context.Context, id string) iter.Seq2[Event, error]
}

// A Lister is a store that can list its sessions.
type Lister interface {
	// List returns the sessions that have events, in ascending order of ids.
	List(ctx context.Context) ([]Info, error)
}

// A Deleter is a store that can forget a session.
type Deleter interface {
	// Delete removes a session and all that was kept of it. It is no error if it
	// does not exist.
	Delete(ctx context.Context, id string) error
}

// A Releaser is a store in which a session belongs to the process that appends to
// it.
type Releaser interface {
	// Release lets other processes append to a session. Appending to it again takes
	// it back.
	Release(id string) error
}

// Info describes a session without its events.
type Info struct {
	ID      string
	Updated time.Time // when it was last appended to; zero: not known
	Bytes   int64     // what its log takes; 0: not known
}

// ErrMoved says that a log is not where the caller of Append believed it to be.
// The error is a *[MovedError].
var ErrMoved = errors.New("the session has moved")

// ErrLocked says that another process is writing to the session. Its message
// begins with "session.locked".
var ErrLocked = errors.New("session.locked: another process is writing to the session")

// A MovedError says where a log is. It is an [ErrMoved].
type MovedError struct {
	ID    string // the session
	After uint64 // the event that the caller took for the last
	Last  uint64 // the last event of the log
}

// Error names the session and both numbers.
func (e *MovedError) Error() string {
	return fmt.Sprintf("session %s: append after event %d, but the last one is %d", e.ID, e.After, e.Last)
}

// Is reports whether target is [ErrMoved].
func (e *MovedError) Is(target error) bool { return target == ErrMoved }

// CheckID reports whether an id is one to 64 letters of ASCII, digits, "_" and
// "-". Only such ids may become part of a path.
func CheckID(id string) error {
	if id == "" || len(id) > 64 {
		return fmt.Errorf("session id of %d bytes: must have 1 to 64", len(id))
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return fmt.Errorf("session id %q: only letters, digits, _ and - are allowed", id)
		}
	}
	return nil
}

// CheckAppend reports whether the arguments of [Store.Append] are well formed:
// the id, the sequence numbers, and each event. Every store calls it first.
func CheckAppend(id string, after uint64, events []Event) error {
	if err := CheckID(id); err != nil {
		return err
	}
	for i := range events {
		e := &events[i]
		if want := after + uint64(i) + 1; e.Seq != want {
			return fmt.Errorf("session %s: event %d of the append has sequence number %d, not %d", id, i, e.Seq, want)
		}
		if err := e.Check(); err != nil {
			return fmt.Errorf("session %s: %w", id, err)
		}
	}
	return nil
}
