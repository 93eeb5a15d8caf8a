// Package reply writes the answers of a provider, as streams of events and as
// single objects.
//
//	a := reply.Answer{Number: 1, Model: "m", Text: []string{"Hello ", "there."}}
//	for _, ev := range a.Events(request.Chat) {
//		out.Write(ev.Bytes())
//	}
package reply

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/proemhq/proem/providertest/internal/request"
)

// An Answer is what a model says to one request.
type Answer struct {
	Number    int // of the request, of which ids are made
	Created   int64
	Model     string
	Reasoning []string // in the pieces in which it arrives
	Text      []string
	Calls     []Call
	Stop      string // in the words of openai-chat; empty: the natural reason
	Usage     *Usage // nil: none is reported
	Sealed    bool   // Responses: reasoning is handed out encrypted
	Store     bool   // Responses: the response is kept
	Previous  string // Responses: what it continues
	Pad       int    // bytes that are added to every event, in a member that means nothing
}

// A Call is a tool call.
type Call struct{ ID, Name, Args string }

// Usage counts tokens; a nil number is not reported.
type Usage struct {
	Input, Cached, Written, WrittenLong, Output, Reasoning *int
	Units                                                  bool // report hits and misses in DeepSeek's words too
}

// An Event is one event of a stream.
type Event struct {
	Name string
	Data []byte
}

// Bytes returns the event as it is sent.
func (e Event) Bytes() []byte {
	var out []byte
	if e.Name != "" {
		out = fmt.Appendf(out, "event: %s\n", e.Name)
	}
	return append(append(append(out, "data: "...), e.Data...), "\n\n"...)
}

// object is JSON in the making. Members are written in the order of their names.
type object = map[string]any

// encode returns the JSON of a value, which has one by construction.
func encode(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("providertest: an answer without JSON: %v", err))
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// Events returns the answer as a stream.
func (a *Answer) Events(p request.Protocol) []Event {
	switch p {
	case request.Responses:
		return a.responsesEvents()
	case request.Messages:
		return a.messagesEvents()
	}
	return a.chatEvents()
}

// Object returns the answer as one object.
func (a *Answer) Object(p request.Protocol) []byte {
	switch p {
	case request.Responses:
		return encode(a.response("completed"))
	case request.Messages:
		return encode(a.message())
	}
	return encode(a.completion())
}

// pad adds what makes an event long.
func (a *Answer) pad(o object) object {
	if a.Pad > 0 {
		o["obfuscation"] = strings.Repeat("x", a.Pad)
	}
	return o
}

func (a *Answer) text() string      { return strings.Join(a.Text, "") }
func (a *Answer) reasoning() string { return strings.Join(a.Reasoning, "") }

// sealPrefix is what all seals begin with.
const sealPrefix = "proem-sealed-"

// Seal returns what proves that the server itself gave out a reasoning.
func Seal(text string) string {
	sum := sha256.Sum256([]byte(text))
	return sealPrefix + hex.EncodeToString(sum[:16]) + "-" + hex.EncodeToString([]byte(text))
}

// Issued reports whether a seal is intact and, if a text is given, whether it
// belongs to the text. A seal of another server is taken as it is.
func Issued(seal, text string) bool {
	rest, ok := strings.CutPrefix(seal, sealPrefix)
	if !ok {
		return true
	}
	_, data, _ := strings.Cut(rest, "-")
	raw, err := hex.DecodeString(data)
	return err == nil && Seal(string(raw)) == seal && (text == "" || text == string(raw))
}

// args returns the arguments as an object if they are one, else as a string.
func (c *Call) args() any {
	if s := strings.TrimSpace(c.Args); strings.HasPrefix(s, "{") && json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	return c.Args
}

// halves cuts arguments into the two pieces in which they arrive.
func halves(s string) []string {
	i := len(s) / 2
	for i > 0 && i < len(s) && s[i]&0xC0 == 0x80 {
		i--
	}
	if i == 0 {
		return []string{s}
	}
	return []string{s[:i], s[i:]}
}

// set puts a number that is known.
func set(o object, name string, n *int) {
	if n != nil {
		o[name] = *n
	}
}

func value(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}
