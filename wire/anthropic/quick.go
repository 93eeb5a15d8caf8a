package anthropic

import (
	"bytes"

	"github.com/proemhq/proem/wire/internal/dialect"
)

// Nearly all events of a stream are deltas that look alike but for a number and a
// text. They are read without the JSON package; whatever looks different in any
// way is left to it.

var (
	deltaHead = []byte(`{"type":"content_block_delta","index":`)
	deltaBody = []byte(`,"delta":{"type":"`)
)

// forms are the deltas that are read quickly: what stands before the text, and
// where the text belongs.
var forms = []struct {
	head []byte
	make func(s string) delta
}{
	{[]byte(`text_delta","text":"`), func(s string) delta { return delta{Type: "text_delta", Text: s} }},
	{[]byte(`thinking_delta","thinking":"`), func(s string) delta { return delta{Type: "thinking_delta", Thinking: s} }},
	{[]byte(`input_json_delta","partial_json":"`), func(s string) delta { return delta{Type: "input_json_delta", PartialJSON: s} }},
}

// quick reads a delta in its usual form.
func quick(data []byte) (index int, d delta, ok bool) {
	rest, ok := bytes.CutPrefix(data, deltaHead)
	if !ok {
		return 0, d, false
	}
	n := 0
	for n < len(rest) && n < 6 && '0' <= rest[n] && rest[n] <= '9' {
		index = index*10 + int(rest[n]-'0')
		n++
	}
	if n == 0 || n > 1 && rest[0] == '0' {
		return 0, d, false
	}
	if rest, ok = bytes.CutPrefix(rest[n:], deltaBody); !ok {
		return 0, d, false
	}
	for _, f := range forms {
		if body, ok := bytes.CutPrefix(rest, f.head); ok {
			s, ok := quickText(body)
			return index, f.make(s), ok
		}
	}
	return 0, d, false
}

// quickText reads a string without its opening quote, and the two braces that
// end the event.
func quickText(in []byte) (string, bool) {
	end := 0
	for ; end < len(in) && in[end] != '"'; end++ {
		if in[end] == '\\' {
			end++
		}
	}
	if end >= len(in) || !closed(in[end+1:]) {
		return "", false
	}
	return dialect.Inside(in[:end])
}

// closed reports whether nothing but two closing braces is left.
func closed(in []byte) bool {
	braces := 0
	for _, c := range in {
		switch c {
		case '}':
			braces++
		case ' ':
		default:
			return false
		}
	}
	return braces == 2
}
