// Package chat holds the conversation: messages, their parts, tool calls and
// their results, and the specs of tools. It is neutral between providers; the
// dialects of package wire translate it.
//
// A message is a role and a list of parts:
//
//	user := chat.UserText("What does a.txt say?", origin)
//	asks := chat.Message{Role: chat.Assistant, Parts: []chat.Part{{
//		Kind: chat.CallPart,
//		Call: &chat.ToolCall{ID: "c1", Name: "read_file", Args: []byte(`{"path":"a.txt"}`)},
//	}}}
//	says := chat.ResultMessage(chat.ToolResult{ID: "c1", Name: "read_file", Text: span.Of("tabs\n", file)})
//
// Values are plain data. A Message handed to another package must not be
// changed afterwards: histories share their elements.
package chat

import (
	"encoding/json"

	"github.com/proemhq/proem/span"
)

// Role says who speaks in a message.
type Role uint8

// The roles. System is for instructions that arrive after the history began;
// the system and instructions channels of a request are not messages.
const (
	User Role = iota
	Assistant
	Tool
	System
)

var roleNames = [...]string{"user", "assistant", "tool", "system"}

// String returns the name used in JSON, such as "assistant".
func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return "unknown"
}

// Kind says what a part holds.
type Kind uint8

// The kinds of parts and the field that each uses.
const (
	TextPart      Kind = iota // Text
	ImagePart                 // Image
	ReasoningPart             // Text, the readable form of a model's reasoning, never sent back by itself
	CallPart                  // Call, in assistant messages
	ResultPart                // Result, in tool messages
	OpaquePart                // Opaque
)

var kindNames = [...]string{"text", "image", "reasoning", "call", "result", "opaque"}

// String returns the name used in JSON, such as "call".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// A Message is one entry of a conversation.
type Message struct {
	Role  Role
	Parts []Part
	// Name says what a message is that no person or model wrote, such as
	// "context" or "notice"; it is not sent.
	Name string
}

// A Part is one piece of a message. Kind says which of the other fields is set.
type Part struct {
	Kind   Kind
	Text   span.Text
	Image  *Image
	Call   *ToolCall
	Result *ToolResult
	Opaque *Opaque
}

// An Image is a picture in a message, either inline or by reference.
type Image struct {
	MediaType string // such as "image/png"; for inline data
	Data      []byte // inline data, not encoded
	URL       string // instead of Data
	From      *span.Origin
}

// A ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID   string // unique within a turn
	Name string
	// Args are the arguments as the model wrote them: usually a JSON object, but
	// the model is not trusted to write one.
	Args json.RawMessage
	From *span.Origin
}

// A ToolResult is the outcome of a tool call.
type ToolResult struct {
	ID      string // the id of the call
	Name    string // the name of the tool
	Text    span.Text
	Images  []Image
	IsError bool
}

// Opaque is a provider's own payload, such as signed reasoning. It is replayed
// byte for byte to the provider it came from, and left out for any other.
type Opaque struct {
	Provider string // the dialect it came from
	Type     string // the provider's name for it
	JSON     json.RawMessage
	From     *span.Origin
}

// A ToolSpec is what a model is told about a tool.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // a JSON Schema object; nil: no parameters
	Strict      bool            `json:"strict,omitempty"`     // ask the provider to enforce the schema
	From        *span.Origin    `json:"from,omitempty"`       // who registered it
}

// UserText returns a user message of one text part.
func UserText(s string, from *span.Origin) Message { return TextMessage(User, span.Of(s, from)) }

// TextMessage returns a message of one text part.
func TextMessage(r Role, t span.Text) Message {
	return Message{Role: r, Parts: []Part{{Kind: TextPart, Text: t}}}
}

// ResultMessage returns the tool message that carries r.
func ResultMessage(r ToolResult) Message {
	return Message{Role: Tool, Parts: []Part{{Kind: ResultPart, Result: &r}}}
}

// Text returns the text parts of the message, one after the other.
func (m Message) Text() span.Text {
	var out span.Text
	for i := range m.Parts {
		if m.Parts[i].Kind == TextPart {
			out = append(out, m.Parts[i].Text...)
		}
	}
	return out
}

// Calls returns the tool calls of the message in order.
func (m Message) Calls() []ToolCall {
	var out []ToolCall
	for i := range m.Parts {
		if m.Parts[i].Kind == CallPart && m.Parts[i].Call != nil {
			out = append(out, *m.Parts[i].Call)
		}
	}
	return out
}

// Results returns the tool results of the message in order.
func (m Message) Results() []ToolResult {
	var out []ToolResult
	for i := range m.Parts {
		if m.Parts[i].Kind == ResultPart && m.Parts[i].Result != nil {
			out = append(out, *m.Parts[i].Result)
		}
	}
	return out
}
