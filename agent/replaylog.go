package agent

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
)

// A recordedRequest is what a log says of a request.
type recordedRequest struct {
	id         string
	turn, step int
	request    session.Request
	history    []chat.Message  // before its contexts
	places     []session.Place // of the history and the contexts
	contexts   []chat.Message  // that were recorded with it
	tools      *session.Tools  // as the session knew them then; nil: nothing was recorded
	prefix     *session.Prefix // that the session kept then; nil: it kept none
	made       bool            // the prefix was recorded with the request
	losses     []session.Loss  // before it
}

// loss reports what damage may have to do with a difference.
func (r *recordedRequest) loss() error {
	for _, l := range r.losses {
		if l.Count() != 0 {
			return fmt.Errorf("the log is damaged before it: %s", l)
		}
	}
	return nil
}

// findRequest reads a log up to its n-th request.
func findRequest(ctx context.Context, store session.Store, id string, n int) (recordedRequest, error) {
	seen := 0
	for r, err := range requests(ctx, store, id) {
		if err != nil {
			return recordedRequest{}, err
		}
		if seen++; seen == n {
			return r, nil
		}
	}
	if n < 1 {
		return recordedRequest{}, fmt.Errorf("session %s: request %d: requests are numbered from 1 to %d", id, n, seen)
	}
	return recordedRequest{}, fmt.Errorf("session %s: there is no request %d; the last one is %d", id, n, seen)
}

// requests reads the requests of a log, once. An error is the last value.
func requests(ctx context.Context, store session.Store, id string) iter.Seq2[recordedRequest, error] {
	return func(yield func(recordedRequest, error) bool) {
		f := requestFolder{id: id}
		events := 0
		for e, err := range store.Events(ctx, id) {
			var r *recordedRequest
			if events++; err == nil {
				r, err = f.add(e)
			}
			if err != nil {
				yield(recordedRequest{}, fmt.Errorf("session %s: %w", id, err))
				return
			}
			if r != nil && !yield(*r, nil) {
				return
			}
		}
		if events == 0 {
			yield(recordedRequest{}, fmt.Errorf("session %s: there is no such session", id))
		}
	}
}

// A requestFolder folds a log and tells what its requests were made from. The
// contexts of a request are the context events of its step directly before it: both
// are appended at once.
type requestFolder struct {
	id       string
	folder   session.Folder
	contexts []session.Event // that may be those of the next request
	prefixed *session.Event  // that may be recorded with the next request
}

// add takes in the next event. It returns the request, if it is one.
func (f *requestFolder) add(e session.Event) (*recordedRequest, error) {
	mine := len(f.contexts) > 0 && f.contexts[0].Turn == e.Turn && f.contexts[0].Step == e.Step &&
		(e.Kind == session.Context || e.Kind == session.Requested)
	if !mine { // a crash came between them and their request
		if err := f.settle(); err != nil {
			return nil, err
		}
	}
	if e.Kind == session.Context {
		f.contexts = append(f.contexts, e)
		return nil, nil
	}
	var r *recordedRequest
	if e.Kind == session.Requested {
		v := f.folder.View()
		r = &recordedRequest{id: f.id, turn: e.Turn, step: e.Step, request: *e.Request, history: v.Messages, places: v.Places, tools: v.Tools, prefix: v.Prefix, losses: v.Losses}
		r.made = f.prefixed != nil && f.prefixed.Turn == e.Turn && f.prefixed.Step == e.Step
		r.places = slices.Clip(r.places)
		for _, c := range f.contexts {
			r.contexts = append(r.contexts, *c.Message)
			r.places = append(r.places, session.Place{Event: c.Seq, Head: c.Seq, Kind: c.Kind})
		}
	}
	if err := f.settle(); err != nil {
		return nil, err
	}
	switch e.Kind {
	case session.Prefixed:
		f.prefixed = &e
	case session.Requested:
		f.prefixed = nil
	}
	return r, f.folder.Add(e)
}

// settle folds the contexts that wait for their request.
func (f *requestFolder) settle() error {
	for _, e := range f.contexts {
		if err := f.folder.Add(e); err != nil {
			return err
		}
	}
	f.contexts = nil
	return nil
}
