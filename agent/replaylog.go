package agent

import (
	"context"
	"fmt"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
)

// A recordedRequest is what a log says of a request.
type recordedRequest struct {
	id         string
	turn, step int
	request    session.Request
	history    []chat.Message  // before its contexts
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

// findRequest reads a log up to its n-th request. The contexts of a request are
// the context events of its step directly before it: both are appended at once.
func findRequest(ctx context.Context, store session.Store, id string, n int) (recordedRequest, error) {
	var folder session.Folder
	var contexts []session.Event // that may be those of the next request
	var prefixed *session.Event  // that may be recorded with the next request
	seen, events := 0, 0
	fold := func(list ...session.Event) error {
		for _, e := range list {
			if err := folder.Add(e); err != nil {
				return fmt.Errorf("session %s: %w", id, err)
			}
		}
		return nil
	}
	for e, err := range store.Events(ctx, id) {
		if err != nil {
			return recordedRequest{}, fmt.Errorf("session %s: %w", id, err)
		}
		events++
		if e.Kind == session.Requested {
			seen++
		}
		mine := len(contexts) > 0 && contexts[0].Turn == e.Turn && contexts[0].Step == e.Step &&
			(e.Kind == session.Context || e.Kind == session.Requested)
		if !mine { // a crash came between them and their request
			if err := fold(contexts...); err != nil {
				return recordedRequest{}, err
			}
			contexts = nil
		}
		switch {
		case e.Kind == session.Context:
			contexts = append(contexts, e)
			continue
		case e.Kind == session.Requested && seen == n:
			v := folder.View()
			r := recordedRequest{id: id, turn: e.Turn, step: e.Step, request: *e.Request, history: v.Messages, tools: v.Tools, prefix: v.Prefix, losses: v.Losses}
			r.made = prefixed != nil && prefixed.Turn == e.Turn && prefixed.Step == e.Step
			for _, c := range contexts {
				r.contexts = append(r.contexts, *c.Message)
			}
			return r, nil
		}
		if err := fold(append(contexts, e)...); err != nil {
			return recordedRequest{}, err
		}
		contexts = nil
		switch e.Kind {
		case session.Prefixed:
			prefixed = &e
		case session.Requested:
			prefixed = nil
		}
	}
	switch {
	case events == 0:
		return recordedRequest{}, fmt.Errorf("session %s: there is no such session", id)
	case n < 1:
		return recordedRequest{}, fmt.Errorf("session %s: request %d: requests are numbered from 1 to %d", id, n, seen)
	}
	return recordedRequest{}, fmt.Errorf("session %s: there is no request %d; the last one is %d", id, n, seen)
}
