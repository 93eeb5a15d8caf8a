package wire

import (
	"fmt"
	"strconv"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// Interrupted is the result that stands for one that was never recorded.
const Interrupted = "interrupted, outcome unknown"

var repaired = span.Generated("repair")

// Repair returns the conversation in the form that every protocol demands: each
// message with tool calls is followed at once by exactly one result per call, in
// the order of the calls, with ids that differ within a turn. A conversation
// that has this form is returned as it is. Otherwise the result is a new slice:
//
//   - a call without a result gets an error result, Interrupted;
//   - a result without a call, or a second result of a call, is removed;
//   - results that stand out of order or behind other messages are moved;
//   - an id that is empty or was used before in the turn is replaced.
//
// Each is reported with code wire.repaired. The messages given are not changed,
// and what is done to a message never depends on what follows the results of its
// calls, so a growing conversation keeps its prefix.
//
// Clean is the number of leading messages that an earlier call returned as they
// were and as the whole conversation; 0 is always right.
func Repair(msgs []chat.Message, clean int) ([]chat.Message, []Loss) {
	if wellFormed(msgs, clean) {
		return msgs, nil
	}
	r := repairer{out: make([]chat.Message, 0, len(msgs)+1), used: map[string]bool{}}
	for i := 0; i < len(msgs); {
		i += r.step(msgs[i:])
	}
	return r.out, r.losses
}

// wellFormed reports whether Repair has nothing to do from message i on.
func wellFormed(msgs []chat.Message, i int) bool {
	for i < len(msgs) {
		if msgs[i].Role == chat.Tool {
			return false
		}
		if msgs[i].Role != chat.Assistant {
			i++
			continue
		}
		end, ok := answered(msgs, i)
		if !ok {
			return false
		}
		i = end
	}
	return true
}

// answered checks the calls of an assistant message and the results behind it.
func answered(msgs []chat.Message, at int) (end int, ok bool) {
	res, part := at+1, 0
	for k := range msgs[at].Parts {
		c := msgs[at].Parts[k].Call
		if msgs[at].Parts[k].Kind != chat.CallPart || c == nil {
			continue
		}
		if c.ID == "" || usedBefore(msgs, at, k, c.ID) ||
			res == len(msgs) || msgs[res].Role != chat.Tool || len(msgs[res].Parts) == 0 {
			return 0, false
		}
		p := &msgs[res].Parts[part]
		if p.Kind != chat.ResultPart || p.Result == nil || p.Result.ID != c.ID {
			return 0, false
		}
		if part++; part == len(msgs[res].Parts) {
			res, part = res+1, 0
		}
	}
	return res, part == 0
}

// usedBefore reports whether a call before part k of message at has the id, in
// the same turn.
func usedBefore(msgs []chat.Message, at, k int, id string) bool {
	for i := at; i >= 0 && msgs[i].Role != chat.User; i-- {
		if msgs[i].Role != chat.Assistant {
			continue
		}
		parts := msgs[i].Parts
		if i == at {
			parts = parts[:k]
		}
		for j := range parts {
			if parts[j].Kind == chat.CallPart && parts[j].Call != nil && parts[j].Call.ID == id {
				return true
			}
		}
	}
	return false
}

type repairer struct {
	out    []chat.Message
	losses []Loss
	used   map[string]bool // ids of the turn
}

func (r *repairer) report(from *span.Origin, format string, args ...any) {
	r.losses = append(r.losses, NewLoss(prompt.Warning, CodeRepaired, fmt.Sprintf(format, args...), from))
}

// step handles the first of msgs, and everything up to the next assistant
// message if it makes calls. It returns how many were handled.
func (r *repairer) step(msgs []chat.Message) int {
	m := msgs[0]
	switch {
	case m.Role == chat.Tool:
		for i := range m.Parts {
			r.orphan(&m.Parts[i])
		}
		return 1
	case m.Role == chat.User:
		clear(r.used)
	case m.Role == chat.Assistant && len(m.Calls()) > 0:
		end := 1
		for end < len(msgs) && msgs[end].Role != chat.Assistant {
			end++
		}
		r.group(m, msgs[1:end])
		return end
	}
	r.out = append(r.out, m)
	return 1
}

func (r *repairer) orphan(p *chat.Part) {
	if p.Kind != chat.ResultPart || p.Result == nil {
		return
	}
	r.report(origin(p.Result.Text), "the result %q of tool %q belongs to no call and is left out", p.Result.ID, p.Result.Name)
}

func origin(t span.Text) *span.Origin {
	if len(t) == 0 {
		return nil
	}
	return t[0].From
}

// result is a result found behind a message with calls.
type result struct {
	part  *chat.Part
	taken bool
	late  bool // something else stands between it and the calls
}

// group writes an assistant message, its results and what stood among them.
func (r *repairer) group(m chat.Message, rest []chat.Message) {
	var results []result
	late := false
	for i := range rest {
		if rest[i].Role != chat.Tool {
			late = true
			continue
		}
		for j := range rest[i].Parts {
			results = append(results, result{part: &rest[i].Parts[j], late: late})
		}
	}
	at := len(r.out)
	r.out = append(r.out, m)
	copied := false
	for i := range m.Parts {
		c := m.Parts[i].Call
		if m.Parts[i].Kind != chat.CallPart || c == nil {
			continue
		}
		res := r.find(results, c)
		if id := r.newID(c.ID); id != c.ID {
			r.report(c.From, "the id %q of a call of tool %q is not unique within the turn: it is sent as %q", c.ID, c.Name, id)
			if !copied {
				r.out[at].Parts = append([]chat.Part(nil), m.Parts...)
				copied = true
			}
			call := *c
			call.ID, res.ID = id, id
			r.out[at].Parts[i].Call = &call
		}
		r.out = append(r.out, chat.ResultMessage(res))
	}
	for i := range results {
		if !results[i].taken {
			r.orphan(results[i].part)
		}
	}
	for i := range rest {
		if rest[i].Role == chat.User {
			clear(r.used)
		}
		if rest[i].Role != chat.Tool {
			r.out = append(r.out, rest[i])
		}
	}
}

// find takes the first result of a call, or makes one.
func (r *repairer) find(results []result, c *chat.ToolCall) chat.ToolResult {
	for i := range results {
		p := results[i].part
		if results[i].taken || p.Kind != chat.ResultPart || p.Result == nil || p.Result.ID != c.ID {
			continue
		}
		results[i].taken = true
		if results[i].late {
			r.report(origin(p.Result.Text), "the result %q of tool %q is moved behind its call", c.ID, c.Name)
		}
		return *p.Result
	}
	r.report(c.From, "the call %q of tool %q has no result: it is sent as %q", c.ID, c.Name, Interrupted)
	return chat.ToolResult{ID: c.ID, Name: c.Name, IsError: true, Text: span.OfGenerated(Interrupted, repaired)}
}

// newID returns the id, or one like it that the turn has not seen.
func (r *repairer) newID(id string) string {
	out := id
	if id == "" {
		id, out = "call", "call-1"
	}
	for n := 2; r.used[out]; n++ {
		out = id + "-" + strconv.Itoa(n)
	}
	r.used[out] = true
	return out
}
