package openaichat

import (
	"bytes"

	"github.com/proemhq/proem/wire/internal/dialect"
)

// A form is what the chunks of a stream have around their text. Nearly all chunks
// of a stream differ in nothing else, so once one was read, the next ones need no
// JSON package: what has the same bytes around one string is the same object with
// another text. Whatever looks different in any way is read in full.
type form struct{ head, tail []byte }

var contentKey = []byte(`"content":"`)

// learn returns the form of a chunk that was read and holds nothing but text. It
// is the zero form if there is any doubt about where the text stands.
func learn(data []byte, c *chunk) form {
	if len(c.Choices) != 1 || c.Usage != nil || c.Choices[0].Index != 0 || c.Choices[0].FinishReason != "" {
		return form{}
	}
	m := &c.Choices[0].Delta
	if m.Content == "" || m.ReasoningContent != "" || m.Reasoning != "" || m.Refusal != "" || len(m.ToolCalls) > 0 {
		return form{}
	}
	// These bytes cannot stand inside a string: there the quotes would be escaped.
	at := bytes.Index(data, contentKey)
	if at < 0 || bytes.LastIndex(data, contentKey) != at {
		return form{}
	}
	at += len(contentKey)
	end := at
	for end < len(data) && data[end] != '"' {
		if data[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(data) {
		return form{}
	}
	if s, ok := dialect.Inside(data[at:end]); !ok || s != string(m.Content) {
		return form{}
	}
	return form{bytes.Clone(data[:at]), bytes.Clone(data[end:])}
}

// text returns the text of a chunk of the form.
func (f form) text(data []byte) (string, bool) {
	if f.head == nil || len(data) < len(f.head)+len(f.tail) || !bytes.HasPrefix(data, f.head) || !bytes.HasSuffix(data, f.tail) {
		return "", false
	}
	return dialect.Inside(data[len(f.head) : len(data)-len(f.tail)])
}
