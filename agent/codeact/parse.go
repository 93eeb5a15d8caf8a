package codeact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// An Answer is what a model answered.
type Answer struct {
	Final    *string // the final answer; nil: Code is to run
	Code     string
	Language string // of Code; empty: the model did not say
}

// MaxAnswer is how many bytes an answer may have.
const MaxAnswer = 1 << 20

// Parse reads an answer: exactly one JSON object of one of the two shapes. Text
// around a final answer is left aside. Around code there may be a fence of
// backquotes and nothing else: a model that quotes a file in prose does not run what
// the file says. Nothing is guessed: two
// objects, a member that is unknown or comes twice, and a shape that is not
// complete are errors that tell the model what is wrong.
func Parse(answer string) (Answer, error) {
	if len(answer) > MaxAnswer {
		return Answer{}, fmt.Errorf("it has %d bytes, and %d are allowed", len(answer), MaxAnswer)
	}
	raw, err := object(answer)
	if err != nil {
		return Answer{}, err
	}
	members, err := membersOf(raw)
	if err != nil {
		return Answer{}, err
	}
	var kind string
	if err := text(members, "type", &kind); err != nil {
		return Answer{}, err
	}
	switch kind {
	case "final":
		if err := only(members, kind, "type", "output"); err != nil {
			return Answer{}, err
		}
		out, err := output(members)
		return Answer{Final: &out}, err
	case "code":
		a := Answer{}
		if before, after, _ := strings.Cut(answer, string(raw)); !fence.MatchString(before) || !fence.MatchString(after) {
			return a, errors.New("there is text around the object; code is run only if it is the whole answer")
		}
		if err := only(members, kind, "type", "language", "code"); err != nil {
			return a, err
		}
		if _, ok := find(members, "language"); ok {
			if err := text(members, "language", &a.Language); err != nil {
				return Answer{}, err
			}
		}
		err := text(members, "code", &a.Code)
		if err == nil && strings.TrimSpace(a.Code) == "" {
			err = errors.New(`the member "code" is empty`)
		}
		return a, err
	}
	return Answer{}, fmt.Errorf(`the type is %q; there are "code" and "final"`, shortened(kind))
}

// fence matches what may stand around code.
var fence = regexp.MustCompile("^\\s*(?:```[a-z]*)?\\s*$")

// object returns the one JSON object in a text. Braces that cannot begin one, as in
// {this}, are text. One that begins and is broken is an error at once: what stands
// inside it is no answer.
func object(s string) ([]byte, error) {
	var found []byte
	for at := 0; at < len(s); at++ {
		if s[at] != '{' {
			continue
		}
		if rest := strings.TrimLeft(s[at+1:min(len(s), at+1+64)], " \t\r\n"); rest != "" && rest[0] != '"' && rest[0] != '}' {
			continue
		}
		d := json.NewDecoder(strings.NewReader(s[at:]))
		var raw json.RawMessage
		switch err := d.Decode(&raw); {
		case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
			return nil, errors.New("its JSON object is not complete: the end is missing")
		case err != nil:
			return nil, fmt.Errorf("its JSON object is not valid: %w", err)
		case found != nil:
			return nil, errors.New("there is more than one JSON object in it")
		}
		found = raw
		at += int(d.InputOffset()) - 1
	}
	if found == nil {
		return nil, errors.New("there is no JSON object in it")
	}
	return found, nil
}

// A member is one of a JSON object.
type member struct {
	name string
	raw  json.RawMessage
}

// membersOf returns the members of an object in their order. Two of one name are
// an error.
func membersOf(raw []byte) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("it is not a JSON object")
	}
	var out []member
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{}
		m.name, _ = t.(string)
		if seen[m.name] {
			return nil, fmt.Errorf("the member %q comes twice", shortened(m.name))
		}
		seen[m.name] = true
		if err := d.Decode(&m.raw); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

func find(members []member, name string) (json.RawMessage, bool) {
	i := slices.IndexFunc(members, func(m member) bool { return m.name == name })
	if i < 0 {
		return nil, false
	}
	return members[i].raw, true
}

// text reads a member that must be a string.
func text(members []member, name string, into *string) error {
	raw, ok := find(members, name)
	if !ok {
		return fmt.Errorf("the member %q is missing", name)
	}
	if raw[0] != '"' || json.Unmarshal(raw, into) != nil {
		return fmt.Errorf("the member %q is not a string", name)
	}
	return nil
}

// output reads the final answer: a string, or another value as its JSON.
func output(members []member) (string, error) {
	raw, ok := find(members, "output")
	switch {
	case !ok:
		return "", errors.New(`the member "output" is missing`)
	case string(raw) == "null":
		return "", errors.New(`the member "output" is null`)
	}
	return plain(raw), nil
}

// only refuses members that the shape does not have.
func only(members []member, kind string, names ...string) error {
	for _, m := range members {
		if !slices.Contains(names, m.name) {
			return fmt.Errorf("the member %q is not one of type %q, which has %s", shortened(m.name), kind, strings.Join(names, ", "))
		}
	}
	return nil
}

// plain returns a string as it is and any other value as compact JSON.
func plain(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// shortened returns a name that fits into a sentence.
func shortened(s string) string {
	if runes := []rune(s); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return s
}
