// Package request reads the requests of the protocols that a provider speaks,
// and says what a provider would refuse. It shares no code with what writes them.
//
//	r := request.Read(request.Messages, body, request.Rules{})
//	for _, p := range r.Problems {
//		fmt.Println(p) // messages[2].content[0]: the call "c1" has no result
//	}
//	r.Prompt // the blocks that a cache compares
package request

import (
	"fmt"
	"slices"

	"github.com/proemhq/proem/providertest/internal/prefix"
)

// A Protocol is one that the server speaks.
type Protocol uint8

// The protocols.
const (
	Chat      Protocol = iota // openai-chat
	Responses                 // openai-responses
	Messages                  // anthropic
)

var names = [...]string{"openai-chat", "openai-responses", "anthropic"}

// String returns the name of the dialect.
func (p Protocol) String() string { return names[p] }

// Rules say what is demanded beyond the protocol, or allowed beside it.
type Rules struct {
	Alternate bool     // users and assistants take turns, and one system message stands first
	Keys      []string // further members of the body
	Tools     []string // tools that a conversation may have called although the request has none of that name
	// Previous returns the items of a stored response, as a JSON array.
	Previous func(id string) ([]byte, bool)
	// Issued reports whether sealed reasoning is what the server gave out; nil: it
	// is not asked.
	Issued func(seal, text string) bool
}

// A Problem is something that a provider would refuse.
type Problem struct {
	Param   string // where, such as "messages[2].content"
	Message string
}

// String returns place and message.
func (p Problem) String() string {
	if p.Param == "" {
		return p.Message
	}
	return p.Param + ": " + p.Message
}

// A Request is what was read of a request. With Problems it is incomplete.
type Request struct {
	Model       string
	Stream      bool
	StreamUsage bool // usage was asked for; Chat only
	Store       bool // Responses: the response is to be kept
	Sealed      bool // Responses: reasoning is to be handed out encrypted
	Previous    string
	CacheKey    string
	System      string   // all system text
	User        string   // the last user text
	Tools       []string // their names, in order
	Roles       []string // of every message or item, in order
	Answers     int      // turns of the assistant
	Calls       int
	Results     int
	Prompt      []prefix.Block
	Items       []byte // Responses: the input with what it continues, as a JSON array
	Problems    []Problem
}

// Read reads a request.
func Read(p Protocol, body []byte, rules Rules) *Request {
	c := &checker{Request: &Request{}, rules: rules, protocol: p}
	v, err := parse(body)
	if err != nil {
		c.fail("", "%v", err)
		return c.Request
	}
	if !v.is("{") {
		c.fail("", "the body is %s, not an object", kindNames[v.kind])
		return c.Request
	}
	c.Model = v.get("model").text()
	c.Stream = v.get("stream").is("t") && v.get("stream").str == "true"
	switch p {
	case Chat:
		c.chat(v)
	case Responses:
		c.responses(v)
	case Messages:
		c.messages(v)
	}
	c.pair()
	if rules.Alternate {
		c.alternate()
	}
	return c.Request
}

// checker reads one request.
type checker struct {
	*Request
	protocol Protocol
	rules    Rules
	said     []entry
}

func (c *checker) fail(path, format string, args ...any) {
	c.Problems = append(c.Problems, Problem{path, fmt.Sprintf(format, args...)})
}

// block adds a block to the prompt.
func (c *checker) block(text string) { c.Prompt = append(c.Prompt, prefix.Block{Text: text}) }

// role notes who speaks in a message.
func (c *checker) role(role string) {
	if role == "assistant" && (len(c.Roles) == 0 || c.Roles[len(c.Roles)-1] != role) {
		c.Answers++
	}
	c.Roles = append(c.Roles, role)
}

func (c *checker) system(text string) {
	if c.System != "" {
		c.System += "\n\n"
	}
	c.System += text
}

// choice checks that a tool that must be called is one of the tools.
func (c *checker) choice(path, name string) {
	if name == "" {
		c.fail(path, "the name of the tool is missing")
	} else if !slices.Contains(c.Tools, name) {
		c.fail(path, "there is no tool %q", name)
	}
}

// tool takes the name of a tool.
func (c *checker) tool(path string, v *value) {
	name := v.text()
	switch {
	case !validName(name, 128):
		c.fail(path, "%q is no name of a tool: 1 to 128 letters, digits, _ and -", name)
	case c.protocol != Messages && len(name) > 64:
		c.fail(path, "the name of a tool is at most 64 characters, got %d", len(name))
	case slices.Contains(c.Tools, name):
		c.fail(path, "two tools are called %q", name)
	}
	c.Tools = append(c.Tools, name)
}

func validName(s string, most int) bool {
	for _, r := range s {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-') {
			return false
		}
	}
	return s != "" && len(s) <= most
}

// alternate checks what the chat templates of many models demand.
func (c *checker) alternate() {
	last := ""
	for i, role := range c.Roles {
		path := fmt.Sprintf("messages[%d]", i)
		switch {
		case role == "system" || role == "developer":
			if i > 0 {
				c.fail(path, "system text may stand at the beginning only, in one message")
			}
			continue
		case role == "tool" && last != "":
		case last == "" && role != "user":
			c.fail(path, "the first message is of %s; it must be the user's", role)
		case role == last:
			c.fail(path, "two messages of %s follow each other; roles must alternate", role)
		}
		last = role
	}
}
