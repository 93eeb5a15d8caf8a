package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Expect is what a request must be like. Every member that is set is checked.
type Expect struct {
	SystemContains Texts `yaml:"system_contains"` // all system text and instructions together
	SystemExcludes Texts `yaml:"system_excludes"`
	UserContains   Texts `yaml:"user_contains"` // the last user message
	UserExcludes   Texts `yaml:"user_excludes"`
	ResultContains Texts `yaml:"result_contains"` // the tool results since the last answer
	ResultExcludes Texts `yaml:"result_excludes"`
	BodyContains   Texts `yaml:"body_contains"` // the bytes of the request
	BodyExcludes   Texts `yaml:"body_excludes"`
	Tools          Texts `yaml:"tools"`    // the names of all tools, in order
	Messages       *int  `yaml:"messages"` // how many there are
}

// Texts is a list of strings that may be written as one string.
type Texts []string

// UnmarshalYAML reads a string or a list of strings.
func (t *Texts) UnmarshalYAML(unmarshal func(any) error) error {
	var one string
	if err := unmarshal(&one); err == nil {
		*t = Texts{one}
		return nil
	}
	return unmarshal((*[]string)(t))
}

// request is what a check can see of a body, whatever its dialect.
type request struct {
	system, user, results string
	tools                 []string
	messages              int
	answers               int // assistant turns
}

type item struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Output  json.RawMessage `json:"output"`
}

func readRequest(body []byte) (request, error) {
	var doc struct {
		System, Instructions json.RawMessage
		Messages, Input      []item
		Tools                []struct {
			Name     string
			Function struct{ Name string }
		}
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		return request{}, fmt.Errorf("scripted: the request is not the JSON of a dialect: %w", err)
	}
	r := request{system: texts(doc.System) + texts(doc.Instructions), messages: len(doc.Messages) + len(doc.Input)}
	answering := false
	for _, m := range append(doc.Messages, doc.Input...) {
		answer := m.Role == "assistant" || m.Type == "function_call" || m.Type == "reasoning"
		if answer && !answering {
			r.answers++
			r.results = ""
		}
		answering = answer
		switch {
		case m.Role == "system" || m.Role == "developer":
			r.system += "\n\n" + texts(m.Content)
		case m.Role == "tool":
			r.results += texts(m.Content) + "\n"
		case m.Type == "function_call_output":
			r.results += texts(m.Output) + "\n"
		case m.Role == "user":
			r.user = texts(m.Content)
			r.results += toolResults(m.Content)
		}
	}
	for _, t := range doc.Tools {
		r.tools = append(r.tools, t.Name+t.Function.Name)
	}
	return r, nil
}

// texts returns the text of a string or of a list of text blocks.
func texts(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var blocks []struct{ Text string }
	_ = json.Unmarshal(raw, &blocks) // no list: no text
	var out []string
	for _, b := range blocks {
		if b.Text != "" {
			out = append(out, b.Text)
		}
	}
	return strings.Join(out, "\n\n")
}

// toolResults returns the text of result blocks in a user message.
func toolResults(raw json.RawMessage) string {
	var blocks []item
	_ = json.Unmarshal(raw, &blocks) // a string holds no results
	var out strings.Builder
	for _, b := range blocks {
		if b.Type == "tool_result" {
			out.WriteString(texts(b.Content))
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// Check returns every expectation that the body of a request fails, whatever its
// dialect.
func (e *Expect) Check(body []byte) error {
	r, err := readRequest(body)
	if err != nil {
		return err
	}
	return e.check(r, body)
}

// check returns every expectation that a request fails.
func (e *Expect) check(r request, body []byte) error {
	var faults []error
	contains := func(name, have string, want, not Texts) {
		for _, s := range want {
			if !strings.Contains(have, s) {
				faults = append(faults, fmt.Errorf("%s_contains: %q is not in %q", name, s, clip(have)))
			}
		}
		for _, s := range not {
			if strings.Contains(have, s) {
				faults = append(faults, fmt.Errorf("%s_excludes: %q is in the text", name, s))
			}
		}
	}
	contains("system", r.system, e.SystemContains, e.SystemExcludes)
	contains("user", r.user, e.UserContains, e.UserExcludes)
	contains("result", r.results, e.ResultContains, e.ResultExcludes)
	contains("body", string(body), e.BodyContains, e.BodyExcludes)
	if e.Tools != nil && !slices.Equal(e.Tools, r.tools) {
		faults = append(faults, fmt.Errorf("tools: got %q, want %q", r.tools, e.Tools))
	}
	if e.Messages != nil && *e.Messages != r.messages {
		faults = append(faults, fmt.Errorf("messages: got %d, want %d", r.messages, *e.Messages))
	}
	return errors.Join(faults...)
}

func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
