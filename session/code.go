package session

import (
	"fmt"
	"time"

	"github.com/proemhq/proem/chat"
)

// A Code is a program that a model wrote as its answer. What it calls is recorded
// as the calls of an answer are, except that none of it is sent: the model is told
// of the program once, in the event that ends it.
type Code struct {
	ID       string `json:"id"` // unique within a session
	Language string `json:"language"`
	Source   string `json:"source"`
}

// A CodeRun is a program and the calls that it made, so that it can be run again
// from its start without any of them being made twice.
type CodeRun struct {
	Code
	Began   time.Time    // when it first ran, which is the time that it is told
	Batches [][]CodeCall // in order; calls of one batch were made at the same time
}

// A CodeCall is a call that a program made.
type CodeCall struct {
	Call   chat.ToolCall
	Result *chat.ToolResult // nil: there is none yet
}

func (c *Code) check() error {
	if c.ID == "" || c.Language == "" {
		return fmt.Errorf("code without an id or a language")
	}
	return nil
}

// checkRanCalls reports what makes a message no list of calls.
func checkRanCalls(m *chat.Message) error {
	if m.Role != chat.Assistant || len(m.Parts) == 0 {
		return fmt.Errorf("must be an assistant message of calls")
	}
	for i := range m.Parts {
		if m.Parts[i].Kind != chat.CallPart || m.Parts[i].Call == nil {
			return fmt.Errorf("must be an assistant message of calls")
		}
	}
	return nil
}

// codeRun is a program that runs.
type codeRun struct {
	code    Code
	began   time.Time
	batches []entry
	ids     map[string]bool
}

// last returns the calls that were made last.
func (c *codeRun) last() *entry {
	if c == nil || len(c.batches) == 0 {
		return nil
	}
	return &c.batches[len(c.batches)-1]
}

// view returns a copy that stays as it is.
func (c *codeRun) view() *CodeRun {
	v := &CodeRun{Code: c.code, Began: c.began}
	for i := range c.batches {
		var calls []CodeCall
		for k := range c.batches[i].calls {
			one := CodeCall{Call: c.batches[i].calls[k].call}
			if m := c.batches[i].calls[k].result; m != nil {
				one.Result = &m.Results()[0]
			}
			calls = append(calls, one)
		}
		v.Batches = append(v.Batches, calls)
	}
	return v
}

// beginCode takes in that a program is about to run.
func (f *Folder) beginCode(e Event) error {
	if len(f.view.Losses) == 0 {
		switch {
		case len(f.tail) > 0:
			return fmt.Errorf("code while calls are open")
		case f.code != nil:
			return fmt.Errorf("code while other code runs")
		}
	}
	f.code = &codeRun{code: *e.Code, began: e.Time, ids: map[string]bool{}}
	return nil
}

// codeCalls takes in calls that the program makes. Those before must have results.
func (f *Folder) codeCalls(e Event) error {
	switch last := f.code.last(); {
	case f.code == nil && len(f.view.Losses) > 0:
		return nil
	case f.code == nil:
		return fmt.Errorf("calls of code while none runs")
	case last != nil && last.missing > 0 && len(f.view.Losses) == 0:
		return fmt.Errorf("more calls of code while some are open")
	}
	n, err := entryOf(e).withCalls()
	if err != nil {
		return err
	}
	for i := range n.calls {
		if f.code.ids[n.calls[i].call.ID] {
			return fmt.Errorf("two calls with id %q", n.calls[i].call.ID)
		}
	}
	for i := range n.calls {
		f.code.ids[n.calls[i].call.ID] = true
	}
	f.code.batches = append(f.code.batches, n)
	return nil
}

// endCode takes in what the model is told of the program.
func (f *Folder) endCode(e Event) error {
	if len(f.view.Losses) == 0 {
		switch last := f.code.last(); {
		case f.code == nil:
			return fmt.Errorf("result of code while none runs")
		case last != nil && last.missing > 0:
			return fmt.Errorf("result of code while its calls are open")
		}
	}
	f.code = nil
	n := entryOf(e)
	if last := len(f.places) - 1; last >= 0 && f.places[last].Kind == Answer {
		n.place.Head = f.places[last].Head // it stays with the answer that holds the code
	}
	f.append(n)
	return nil
}
