package session

import (
	"fmt"
	"slices"

	"github.com/proemhq/proem/chat"
)

// entry is a message of the history and, for an answer, its calls.
type entry struct {
	message chat.Message
	place   Place
	calls   []call
	missing int // calls without a result
}

// call is a call and what became of it.
type call struct {
	call   chat.ToolCall
	begun  bool
	asked  *Ask
	reply  *Reply
	result *chat.Message
	event  uint64 // of the result
}

func entryOf(e Event) entry {
	return entry{message: *e.Message, place: Place{Event: e.Seq, Head: e.Seq, Kind: e.Kind}}
}

func (f *Folder) append(e entry) {
	f.tail = append(f.tail, e)
	f.settle()
}

// settle moves what cannot change any more to the settled history.
func (f *Folder) settle() {
	n := 0
	for n < len(f.tail) && f.tail[n].missing == 0 {
		f.done, f.places = f.tail[n].appendTo(f.done, f.places)
		n++
	}
	f.tail = slices.Delete(f.tail, 0, n)
}

// appendTo appends the message and the results that are there, in the order of
// the calls.
func (e *entry) appendTo(dst []chat.Message, places []Place) ([]chat.Message, []Place) {
	dst, places = append(dst, e.message), append(places, e.place)
	for i := range e.calls {
		if c := &e.calls[i]; c.result != nil {
			dst = append(dst, *c.result)
			places = append(places, Place{Event: c.event, Head: e.place.Head, Kind: Result})
		}
	}
	return dst, places
}

// answer takes in a model's message. Its calls must be told apart by their ids,
// and no older call may be open: the request would have been invalid.
func (f *Folder) answer(e Event) error {
	switch {
	case len(f.view.Losses) > 0:
		f.code = nil
	case len(f.tail) > 0:
		return fmt.Errorf("answer while calls are open")
	case f.code != nil:
		return fmt.Errorf("answer while code runs")
	}
	n, err := entryOf(e).withCalls()
	if err != nil {
		return err
	}
	f.append(n)
	f.view.Unanswered, f.view.LastUsage = false, e.Usage
	f.view.Spent.Add(e.Usage)
	return nil
}

// withCalls returns a message with its calls, none of which has a result.
func (n entry) withCalls() (entry, error) {
	for _, c := range n.message.Calls() {
		for i := range n.calls {
			if n.calls[i].call.ID == c.ID {
				return n, fmt.Errorf("two calls with id %q", c.ID)
			}
		}
		n.calls = append(n.calls, call{call: c})
	}
	n.missing = len(n.calls)
	return n, nil
}

// find returns the open call of that id, the latest if losses left several, and
// the entry that it belongs to.
func (f *Folder) find(id string) (*entry, *call) {
	if e := f.code.last(); e != nil {
		if c := e.open(id); c != nil {
			return e, c
		}
	}
	for i := len(f.tail) - 1; i >= 0; i-- {
		if c := f.tail[i].open(id); c != nil {
			return &f.tail[i], c
		}
	}
	return nil, nil
}

// open returns the call of that id if it has no result.
func (e *entry) open(id string) *call {
	for k := range e.calls {
		if c := &e.calls[k]; c.call.ID == id && c.result == nil {
			return c
		}
	}
	return nil
}

func (f *Folder) begin(c chat.ToolCall) error {
	_, open := f.find(c.ID)
	switch {
	case open == nil && len(f.view.Losses) > 0:
		return nil
	case open == nil:
		return fmt.Errorf("call %q is not open", c.ID)
	case open.begun:
		return fmt.Errorf("call %q began twice", c.ID)
	}
	open.begun = true
	return nil
}

// ask notes that a call waits for a person. A later question takes the place of
// an earlier one, with what was answered to that.
func (f *Folder) ask(a Ask) error {
	_, open := f.find(a.Call)
	switch {
	case open == nil && len(f.view.Losses) > 0:
		return nil
	case open == nil:
		return fmt.Errorf("question about call %q, which is not open", a.Call)
	}
	open.asked, open.reply = &a, nil
	return nil
}

// reply notes what a person answered.
func (f *Folder) reply(r Reply) error {
	_, open := f.find(r.Call)
	switch {
	case open == nil && len(f.view.Losses) > 0:
		return nil
	case open == nil || open.asked == nil || open.reply != nil:
		return fmt.Errorf("reply to call %q, about which nothing is asked", r.Call)
	case open.asked.Digest != r.Digest:
		return fmt.Errorf("reply to call %q, about which something else is asked", r.Call)
	}
	open.reply = &r
	v := &f.view
	v.Pending, v.LastStop = true, nil
	if r.Verdict != forSession {
		return nil
	}
	g := Granted{Calls: slices.Clip(v.Granted.Calls), Rules: slices.Clip(v.Granted.Rules)}
	if len(r.Rules) == 0 && !slices.Contains(g.Calls, r.Digest) {
		g.Calls = append(g.Calls, r.Digest)
	}
	for _, rule := range r.Rules {
		if !slices.Contains(g.Rules, rule) {
			g.Rules = append(g.Rules, rule)
		}
	}
	v.Granted = g
	return nil
}

func (f *Folder) result(e Event) error {
	r := e.Message.Results()[0]
	in, open := f.find(r.ID)
	switch {
	case open == nil && len(f.view.Losses) > 0:
		return nil
	case open == nil:
		return fmt.Errorf("second result, or result without a call, for %q", r.ID)
	}
	open.result, open.event = e.Message, e.Seq
	if e.Usage != nil {
		f.view.Spent.Usage.add(e.Usage)
	}
	in.missing--
	f.settle()
	return nil
}

// View returns the state after the events so far. It stays as it is when more
// are added.
func (f *Folder) View() View {
	v := f.view
	v.Losses = slices.Clip(v.Losses)
	v.Messages, v.Places, v.Settled = slices.Clip(f.done), slices.Clip(f.places), len(f.done)
	for i := range f.tail {
		e := &f.tail[i]
		v.Messages, v.Places = e.appendTo(v.Messages, v.Places)
		v.open(e)
	}
	if f.code != nil {
		v.Code = f.code.view()
		if e := f.code.last(); e != nil {
			v.open(e)
		}
	}
	return v
}

// open adds what there is to say of the calls without a result.
func (v *View) open(e *entry) {
	for k := range e.calls {
		c := &e.calls[k]
		if c.result != nil {
			continue
		}
		v.Open = append(v.Open, c.call)
		if c.begun {
			v.Begun = append(v.Begun, c.call.ID)
		}
		switch {
		case c.reply != nil:
			v.Replies, v.Answered = append(v.Replies, *c.reply), append(v.Answered, *c.asked)
		case c.asked != nil:
			v.Asked = append(v.Asked, *c.asked)
		}
	}
}
