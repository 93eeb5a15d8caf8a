package cache

import (
	"bytes"
	"encoding/json"
	"strings"
)

// unquote returns what a JSON string says.
func unquote(raw []byte) string {
	if len(raw) < 2 {
		return ""
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return strings.ToValidUTF8(string(inner), "\uFFFD")
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// beside are members whose value a model is not shown as text: they are compared
// and count no tokens.
var beside = map[string]bool{
	"type": true, "role": true, "id": true, "call_id": true, "tool_call_id": true, "tool_use_id": true, "status": true, "phase": true,
	"signature": true, "encrypted_content": true, "data": true, "url": true, "image_url": true, "file_data": true, "file_id": true,
	"media_type": true, "detail": true,
}

// asJSON are members whose value a model is shown as JSON.
var asJSON = map[string]bool{"input": true, "arguments": true, "parameters": true, "input_schema": true}

// A reading is what was read of a piece: its text, what else distinguishes it, and
// the lifetime of a breakpoint behind it.
type reading struct {
	text, salt strings.Builder
	mark       string
}

// value reads a value of a message.
func (r *reading) value(b []byte, name string, lo, hi int) {
	switch {
	case name == "cache_control":
		r.breakpoint(b, lo)
	case b[lo] == '"' && beside[name]:
		r.beside(name, unquote(b[lo:hi]))
	case b[lo] == '"':
		r.add(unquote(b[lo:hi]))
	case b[lo] == '{' && asJSON[name]:
		r.add(string(b[lo:hi]))
	case b[lo] == '{':
		members(b, lo, func(m member) { r.value(b, m.name, m.lo, m.hi) })
	case b[lo] == '[':
		elements(b, lo, func(lo, hi int) { r.value(b, name, lo, hi) })
	default: // numbers, true, false; null is as good as absent
		if string(b[lo:hi]) != "null" {
			r.beside(name, string(b[lo:hi]))
		}
	}
}

func (r *reading) add(s string) {
	if r.text.Len() > 0 {
		r.text.WriteByte(' ')
	}
	r.text.WriteString(s)
}

func (r *reading) beside(name, s string) {
	r.salt.WriteString(name)
	r.salt.WriteByte('=')
	r.salt.WriteString(s)
	r.salt.WriteByte(0)
}

// breakpoint reads a member cache_control.
func (r *reading) breakpoint(b []byte, lo int) {
	r.mark = ""
	members(b, lo, func(m member) {
		switch {
		case m.name == "type" && r.mark == "":
			r.mark = "5m"
		case m.name == "ttl" && string(b[m.lo:m.hi]) == `"1h"`:
			r.mark = "1h"
		}
	})
}
