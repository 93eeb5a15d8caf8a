// Package scripted is a model that plays a script: for tests, for the demo, and
// for trying out a prompt without a server. A request is encoded as for a real
// host, and the answer goes through the real decoder.
//
// A script is YAML, one entry per model request; the last entry repeats:
//
//	turns:
//	  - calls: [{tool: read_file, args: {path: a.txt}}]
//	    expect: {system_contains: "tabs"}
//	  - text: "Done."
//	    usage: {input: 900, cached: 800, output: 5}
//
// In Go:
//
//	script, err := scripted.Parse(data, "script.yaml")
//	model := scripted.New(*script)
//
// An entry may have:
//
//	text, reasoning   what the model says; words arrive one by one
//	calls             tool calls: tool, args, or raw for arguments that are not valid; id
//	usage             input, cached, cache_write, output, reasoning: numbers of tokens
//	stop              the finish reason, if not the natural one: length, content_filter …
//	error             instead of an answer: status, code, message, retry_after
//	cut               the stream ends after so many events, without its end
//	delay             how long to wait before the answer, such as 100ms
//	expect            what the request must be like; otherwise the request fails
//
// Which entry is played is decided by the number of requests that the model has
// served. With `by: conversation` at the top, a model that is new to a
// conversation first skips as many entries as the conversation has assistant
// turns, so that a run resumed in another process goes on where it stopped.
package scripted

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// A Script is what a scripted model says.
type Script struct {
	// By is "request" or "conversation", see the package comment; empty: "request".
	By    string `yaml:"by"`
	Turns []Turn `yaml:"turns"`
}

// A Turn is the answer to one request.
type Turn struct {
	Text      string        `yaml:"text"`
	Reasoning string        `yaml:"reasoning"`
	Calls     []Call        `yaml:"calls"`
	Usage     *Usage        `yaml:"usage"`
	Stop      string        `yaml:"stop"` // the host's finish reason; empty: the natural one
	Error     *Error        `yaml:"error"`
	Cut       int           `yaml:"cut"` // events before the stream breaks off; 0: it does not
	Delay     time.Duration `yaml:"delay"`
	Expect    *Expect       `yaml:"expect"`
}

// A Call is a tool call.
type Call struct {
	Tool string `yaml:"tool"`
	Args Args   `yaml:"args"` // an object; empty: {}
	Raw  string `yaml:"raw"`  // the arguments as they are, instead of Args
	ID   string `yaml:"id"`   // empty: one that no other call of the model has
}

// Usage is the usage that the host reports. A nil number is not reported.
type Usage struct {
	Input      *int `yaml:"input"`
	Cached     *int `yaml:"cached"`
	CacheWrite *int `yaml:"cache_write"`
	Output     *int `yaml:"output"`
	Reasoning  *int `yaml:"reasoning"`
}

// An Error is a response with an error status; status 0 is an error inside the
// stream.
type Error struct {
	Status     int     `yaml:"status"`
	Code       string  `yaml:"code"`
	Message    string  `yaml:"message"`
	RetryAfter float64 `yaml:"retry_after"` // seconds; told in the message, nobody waits
}

// maxScript bounds a script.
const maxScript = 4 << 20

// Parse reads a script. An unknown key or a wrong type is an error with file,
// line and column. File is only used in errors.
func Parse(data []byte, file string) (*Script, error) {
	if len(data) > maxScript {
		return nil, fmt.Errorf("%s: a script is at most %d bytes", file, maxScript)
	}
	if err := refuseAliases(data, file); err != nil {
		return nil, err
	}
	var s Script
	err := yaml.UnmarshalWithOptions(data, &s, yaml.Strict(), yaml.UseOrderedMap())
	if err != nil {
		return nil, place(file, err)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &s, nil
}

// refuseAliases keeps a small file from becoming a huge value.
func refuseAliases(data []byte, file string) error {
	for _, t := range lexer.Tokenize(string(data)) {
		if t.Type == token.AliasType {
			return fmt.Errorf("%s:%d:%d: aliases are not supported", file, t.Position.Line, t.Position.Column)
		}
	}
	return nil
}

// place puts the position of a YAML error behind the file's name.
func place(file string, err error) error {
	var y yaml.Error
	if !errors.As(err, &y) || y.GetToken() == nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	p := y.GetToken().Position
	return fmt.Errorf("%s:%d:%d: %s", file, p.Line, p.Column, strings.TrimSpace(y.GetMessage()))
}

func (s *Script) check() error {
	if len(s.Turns) == 0 {
		return errors.New("a script has at least one entry under turns")
	}
	if s.By != "" && s.By != "request" && s.By != "conversation" {
		return fmt.Errorf("by: %q is neither request nor conversation", s.By)
	}
	for i := range s.Turns {
		for j := range s.Turns[i].Calls {
			if s.Turns[i].Calls[j].Tool == "" {
				return fmt.Errorf("turns[%d].calls[%d]: tool is missing", i, j)
			}
		}
		if e := s.Turns[i].Error; e != nil && (s.Turns[i].Text != "" || len(s.Turns[i].Calls) > 0) {
			return fmt.Errorf("turns[%d]: an error and an answer exclude each other", i)
		}
	}
	return nil
}
