package session

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/proemhq/proem/chat"
)

// field is a set of fields of an event.
type field uint

const (
	fMessage field = 1 << iota
	fRequest
	fUsage
	fStop
	fCall
	fCode
	fAsk
	fReply
	fDiagnostic
	fLoss
	fFailure
	fDelta
	fTools
	fPrefix
	fCompaction
	fCuts
	fParent
	fTasks
	fState
)

var fieldNames = [...]string{"message", "request", "usage", "stop", "call", "code", "ask", "reply", "diagnostic", "loss", "failure", "delta", "tools", "prefix",
	"compaction", "cuts", "parent", "tasks", "state"}

// rules says for each kind which fields an event must have and which it may
// have in addition.
var rules = map[Kind]struct{ must, may field }{
	Start:          {may: fParent},
	Input:          {must: fMessage},
	Context:        {must: fMessage},
	Requested:      {must: fRequest},
	Answer:         {must: fMessage, may: fUsage | fStop},
	Call:           {must: fCall},
	Result:         {must: fMessage, may: fUsage},
	Asked:          {must: fAsk},
	Replied:        {must: fReply},
	Notice:         {must: fMessage, may: fTasks},
	Ran:            {must: fCode},
	RanCalls:       {must: fMessage},
	RanResult:      {must: fMessage},
	Stopped:        {must: fStop, may: fFailure | fMessage},
	Diagnostic:     {must: fDiagnostic, may: fUsage},
	ToolState:      {must: fTools},
	Prefixed:       {must: fPrefix},
	Pruned:         {must: fCuts},
	Compacted:      {must: fCompaction, may: fRequest | fUsage},
	Kept:           {must: fState},
	DeltaText:      {may: fDelta},
	DeltaReasoning: {may: fDelta},
	Lost:           {must: fLoss},
}

func (e *Event) fields() field {
	var f field
	for i, set := range [...]bool{
		e.Message != nil, e.Request != nil, e.Usage != nil, e.Stop != nil, e.Call != nil, e.Code != nil, e.Ask != nil, e.Reply != nil,
		e.Diagnostic != nil, e.Loss != nil, e.Failure != "", e.Delta != "", e.Tools != nil, e.Prefix != nil,
		e.Compaction != nil, len(e.Cuts) > 0, e.Parent != nil, len(e.Tasks) > 0, e.State != nil,
	} {
		if set {
			f |= 1 << i
		}
	}
	return f
}

// Check reports whether the event is well formed: its kind is known, it has the
// fields of that kind and no other, its message is of the right role, and its
// sequence number is 0 exactly if the kind is transient.
func (e *Event) Check() error {
	if err := e.check(); err != nil {
		return fmt.Errorf("event %d (%s): %w", e.Seq, e.Kind, err)
	}
	return nil
}

func (e *Event) check() error {
	rule, ok := rules[e.Kind]
	if !ok {
		return fmt.Errorf("unknown kind")
	}
	have := e.fields()
	for i, name := range fieldNames {
		switch bit := field(1) << i; {
		case rule.must&bit != 0 && have&bit == 0:
			return fmt.Errorf("no %s", name)
		case have&bit != 0 && (rule.must|rule.may)&bit == 0:
			return fmt.Errorf("has a %s, which the kind does not use", name)
		}
	}
	switch {
	case e.Kind.Transient() != (e.Seq == 0):
		return fmt.Errorf("sequence numbers are for stored events, and only for them")
	case e.Turn < 0 || e.Step < 0:
		return fmt.Errorf("turn %d, step %d", e.Turn, e.Step)
	case e.Message != nil:
		return e.checkMessage()
	case e.Code != nil:
		return e.Code.check()
	case e.Ask != nil:
		return e.Ask.check()
	case e.Reply != nil:
		return e.Reply.check()
	case e.Parent != nil:
		return e.Parent.check()
	case e.Prefix != nil:
		return e.Prefix.check()
	case e.Compaction != nil:
		return e.Compaction.check()
	case e.Cuts != nil:
		return checkCuts(e.Cuts)
	case e.Request != nil && e.Request.Trace != nil:
		return e.Request.Trace.check()
	case e.State != nil:
		return e.State.Check()
	}
	return nil
}

func (e *Event) checkMessage() error {
	role, results := e.Message.Role, len(e.Message.Results())
	switch {
	case e.Kind == Result && (role != chat.Tool || results != 1 || len(e.Message.Parts) != 1):
		return fmt.Errorf("must be a tool message of exactly one result")
	case e.Kind == Result:
		return nil
	case e.Kind == RanCalls:
		return checkRanCalls(e.Message)
	case e.Kind == Stopped && role != chat.Assistant:
		return fmt.Errorf("message of role %s, not assistant", role)
	case e.Kind == Answer && role != chat.Assistant:
		return fmt.Errorf("message of role %s, not assistant", role)
	case e.Kind == Input && role != chat.User:
		return fmt.Errorf("message of role %s, not user", role)
	case e.Kind != Answer && e.Kind != Stopped && role != chat.User && role != chat.System:
		return fmt.Errorf("message of role %s, not user or system", role)
	case results > 0 || e.Kind != Answer && len(e.Message.Calls()) > 0:
		return fmt.Errorf("message with tool calls or results of another kind")
	}
	return nil
}

// plainEvent has the fields of an Event without its methods.
type plainEvent Event

// MarshalJSON returns the stable form: an object without empty fields, the time
// in UTC. An event that fails Check is an error.
func (e Event) MarshalJSON() ([]byte, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	if !e.Time.IsZero() {
		e.Time = e.Time.UTC().Round(0)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(plainEvent(e)); err != nil {
		return nil, fmt.Errorf("event %d (%s): %w", e.Seq, e.Kind, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// UnmarshalJSON reads what MarshalJSON writes. Unknown fields and kinds are
// errors: a log that is only half understood must not be continued.
func (e *Event) UnmarshalJSON(b []byte) error {
	var p plainEvent
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return fmt.Errorf("event: %w", err)
	}
	got := Event(p)
	if err := got.Check(); err != nil {
		return err
	}
	*e = got
	return nil
}
