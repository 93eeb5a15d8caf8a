package agent

import (
	"encoding/json"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire"
)

// A tracedMessage is a message in the form of OpenTelemetry's conventions.
type tracedMessage struct {
	Role  string       `json:"role"`
	Parts []tracedPart `json:"parts"`
}

type tracedPart struct {
	Type      string          `json:"type"`
	Content   string          `json:"content,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Response  string          `json:"response,omitempty"`
}

// messagesText returns messages as the conventions write them. Bytes of images and
// what only the provider can read are left out.
func messagesText(messages ...chat.Message) string {
	list := make([]tracedMessage, 0, len(messages))
	for _, m := range messages {
		t := tracedMessage{Role: m.Role.String(), Parts: []tracedPart{}}
		for _, p := range m.Parts {
			t.Parts = append(t.Parts, tracedPartOf(p))
		}
		list = append(list, t)
	}
	b, err := json.Marshal(list)
	if err != nil { // arguments that are no JSON
		return err.Error()
	}
	return string(b)
}

func tracedPartOf(p chat.Part) tracedPart {
	switch {
	case p.Call != nil:
		t := tracedPart{Type: "tool_call", ID: p.Call.ID, Name: p.Call.Name, Arguments: p.Call.Args}
		if !json.Valid(t.Arguments) {
			t.Arguments, _ = json.Marshal(string(p.Call.Args))
		}
		return t
	case p.Result != nil:
		return tracedPart{Type: "tool_call_response", ID: p.Result.ID, Name: p.Result.Name, Response: p.Result.Text.String()}
	case p.Kind == chat.TextPart:
		return tracedPart{Type: "text", Content: p.Text.String()}
	case p.Kind == chat.ReasoningPart:
		return tracedPart{Type: "reasoning", Content: p.Text.String()}
	case p.Image != nil:
		return tracedPart{Type: "blob"}
	}
	return tracedPart{Type: "opaque"}
}

// systemText returns what stands before the conversation as one text.
func systemText(q *wire.Request) string {
	var b strings.Builder
	for _, parts := range [][]prompt.Part{q.System, q.Instructions} {
		for _, p := range parts {
			b.WriteString(p.Text.String())
		}
	}
	return b.String()
}
