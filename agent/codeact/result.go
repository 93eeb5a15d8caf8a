package codeact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// bounded returns a result of which each part has about at most so many bytes, as
// valid UTF-8 and JSON. What is left out is said in its place.
func (r Result) bounded(most int) Result {
	r.Stdout, r.Error = cut(r.Stdout, most), cut(r.Error, most)
	if r.Value == nil {
		return r
	}
	var b bytes.Buffer
	if json.Compact(&b, r.Value) != nil {
		return Result{Stdout: r.Stdout, Error: "the code returned a value that is no JSON"}
	}
	r.Value = b.Bytes()
	if len(r.Value) > most {
		r.Value = quoted(cut(plain(r.Value), most))
	}
	return r
}

// cut leaves out the middle of a text that is too long.
func cut(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	head, tail := most/2, len(s)-most/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[%d of %d bytes are left out here]\n%s", s[:head], tail-head, len(s), s[tail:])
}

// message returns what the model is told. It is JSON, so that no text of a tool
// can end it.
func (r Result) message() string {
	if r.Error != "" {
		return "CODE_ERROR: " + r.json()
	}
	return "CODE_RESULT: " + r.json()
}

// json returns the members that are there.
func (r Result) json() string {
	var b strings.Builder
	add := func(name string, raw json.RawMessage) {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":`)
		b.Write(raw)
	}
	if r.Value != nil {
		add("result", r.Value)
	}
	if r.Stdout != "" {
		add("stdout", quoted(r.Stdout))
	}
	if r.Error != "" {
		add("error", quoted(r.Error))
	}
	return "{" + b.String() + "}"
}

// final returns the answer of a turn that ends with the code: what it returned, or
// else what went wrong, or else what it printed.
func (r Result) final() string {
	value := ""
	if r.Value != nil {
		value = strings.TrimSpace(plain(r.Value))
	}
	switch {
	case value != "" && value != "null" && value != "undefined":
		return value
	case r.Error != "":
		return "CODE_ERROR: " + r.Error
	case strings.TrimSpace(r.Stdout) != "":
		return strings.TrimSpace(r.Stdout)
	}
	return r.json()
}

// quoted returns a text as a JSON string.
func quoted(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return json.RawMessage(`""`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
