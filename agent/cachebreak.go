package agent

import (
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/token"
)

// prefixLost returns how many tokens of the last request a cache holds no longer
// when its tools block is replaced, and how they were counted. Tools stand before
// everything else: lost are the tools from the first that differs on, the texts of
// the channels, and the messages that were sent. What the protocol adds around
// them is not counted.
func prefixLost(model string, before []chat.ToolSpec, a prompt.Assembly, history []chat.Message) (int, string) {
	counter := token.ForModel(model)
	same := 0
	for same < min(len(before), len(a.Tools)) && sameSpec(before[same], a.Tools[same]) {
		same++
	}
	n := 0
	for _, s := range before[same:] {
		n += counter.Count(s.Name) + counter.Count(s.Description) + counter.Count(string(s.Parameters))
	}
	n += counter.Count(a.Render(prompt.System)) + counter.Count(a.Render(prompt.Instructions))
	for _, m := range sent(history) {
		for i := range m.Parts {
			p := &m.Parts[i]
			switch {
			case p.Call != nil:
				n += counter.Count(p.Call.Name) + counter.Count(string(p.Call.Args))
			case p.Result != nil:
				n += counter.Count(p.Result.Text.String())
			default:
				n += counter.Count(p.Text.String())
			}
		}
	}
	if counter.Exact() {
		return n, "counted"
	}
	return n, "estimated"
}

// sent returns the messages of the last request that was answered.
func sent(history []chat.Message) []chat.Message {
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].Role == chat.Assistant {
			return history[:i]
		}
	}
	return nil
}
