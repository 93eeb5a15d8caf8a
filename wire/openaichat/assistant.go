package openaichat

import (
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// assistant writes one assistant message: content only if there is text, and
// the calls. A message with neither is left out.
func (e encoder) assistant(msgs []chat.Message) {
	texts, calls := 0, 0
	for i := range msgs {
		if dialect.TextLen(&msgs[i]) > 0 {
			texts++
		}
		for j := range msgs[i].Parts {
			calls += e.survey(&msgs[i], &msgs[i].Parts[j])
		}
	}
	if texts == 0 && calls == 0 {
		e.LeaveOut(&msgs[0])
		return
	}
	e.Next()
	e.Raw(`{"role":"assistant"`)
	if calls > 0 && e.Cap.ReplayReasoning {
		e.joined(`,"reasoning_content":"`, msgs, chat.ReasoningPart)
	}
	e.joined(`,"content":"`, msgs, chat.TextPart)
	if calls > 0 {
		e.calls(msgs)
	}
	e.Raw("}")
	e.ReportAnswers(msgs)
}

// survey counts calls and reports what an assistant message cannot carry.
func (e encoder) survey(m *chat.Message, p *chat.Part) int {
	switch {
	case p.Kind == chat.TextPart:
	case p.Kind == chat.CallPart && p.Call != nil:
		return 1
	case p.Kind == chat.ReasoningPart && e.Cap.ReplayReasoning && dialect.HasCalls(m):
	default:
		e.Unfit(m, p)
	}
	return 0
}

// joined writes a member with the text of all parts of a kind, if there is any.
// Texts of different messages are separated by a blank line.
func (e encoder) joined(member string, msgs []chat.Message, kind chat.Kind) {
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

func (e encoder) calls(msgs []chat.Message) {
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
