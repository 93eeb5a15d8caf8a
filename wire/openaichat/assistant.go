package openaichat

import (
	"fmt"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// assistant writes one assistant message: content only if there is text, and
// the calls. A message with neither is left out.
func (e *encoder) assistant(msgs []chat.Message) {
	texts, calls := 0, 0
	for i := range msgs {
		if textLen(&msgs[i]) > 0 {
			texts++
		}
		for j := range msgs[i].Parts {
			calls += e.survey(&msgs[i], &msgs[i].Parts[j])
		}
	}
	if texts == 0 && calls == 0 {
		e.leaveOut(&msgs[0])
		return
	}
	e.begin()
	e.Raw(`{"role":"assistant"`)
	if calls > 0 && e.cap.ReplayReasoning {
		e.joined(`,"reasoning_content":"`, msgs, chat.ReasoningPart)
	}
	e.joined(`,"content":"`, msgs, chat.TextPart)
	if calls > 0 {
		e.calls(msgs)
	}
	e.Raw("}")
	if len(msgs) > 1 {
		e.Lose(prompt.Info, wire.CodeMerged,
			fmt.Sprintf("%d assistant messages are sent as one: turns must alternate", len(msgs)), firstOrigin(&msgs[0]))
	}
}

func (e *encoder) leaveOut(m *chat.Message) {
	e.Lose(prompt.Info, wire.CodeDropped, "an assistant message without text and calls is not sent", firstOrigin(m))
}

func textLen(m *chat.Message) int {
	n := 0
	for i := range m.Parts {
		if m.Parts[i].Kind == chat.TextPart {
			n += m.Parts[i].Text.Len()
		}
	}
	return n
}

// survey counts calls and reports what an assistant message cannot carry.
func (e *encoder) survey(m *chat.Message, p *chat.Part) int {
	switch {
	case p.Kind == chat.TextPart:
	case p.Kind == chat.CallPart && p.Call != nil:
		return 1
	case p.Kind == chat.ReasoningPart && e.cap.ReplayReasoning && hasCalls(m):
	default:
		e.unfit(m, p)
	}
	return 0
}

// joined writes a member with the text of all parts of a kind, if there is any.
// Texts of different messages are separated by a blank line.
func (e *encoder) joined(member string, msgs []chat.Message, kind chat.Kind) {
	any := false
	for i := range msgs {
		first := true
		for j := range msgs[i].Parts {
			p := &msgs[i].Parts[j]
			if p.Kind != kind || p.Text.Len() == 0 {
				continue
			}
			switch {
			case !any:
				e.Raw(member)
			case first:
				e.Separator(prompt.DefaultSep)
			}
			any, first = true, false
			e.Text(p.Text)
		}
	}
	if any {
		e.Raw(`"`)
	}
}

func (e *encoder) calls(msgs []chat.Message) {
	e.Raw(`,"tool_calls":[`)
	n := 0
	for i := range msgs {
		for j := range msgs[i].Parts {
			p := &msgs[i].Parts[j]
			if p.Kind != chat.CallPart || p.Call == nil {
				continue
			}
			if n++; n > 1 {
				e.Raw(",")
			}
			e.call(p.Call)
		}
	}
	e.Raw("]")
}

func (e *encoder) call(c *chat.ToolCall) {
	e.Raw(`{"id":`)
	e.Quoted(c.ID)
	e.Raw(`,"type":"function","function":{"name":"`)
	e.Inside(c.Name, c.From, span.NoOffset)
	e.Raw(`","arguments":"`)
	args := string(c.Args)
	if !e.cap.AnyArgs {
		if err := wire.CheckArgs(c.Args); err != nil {
			e.Lose(prompt.Warning, wire.CodeDowngraded, fmt.Sprintf("call %q of tool %q: %v: sent as {}", c.ID, c.Name, err), c.From)
			args = "{}"
		}
	}
	e.Inside(args, c.From, span.NoOffset)
	e.Raw(`"}}`)
}
