package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/proemhq/proem/internal/near"
)

// writeJSON writes v without escaping what only matters in HTML.
func writeJSON(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

var errNotJSON = errors.New("the arguments are not valid JSON")

// decodeArgs reads the arguments of a call into a struct of the given shape.
// Nothing is guessed: a member that is unknown, comes twice, is missing or has
// the wrong type is an error that says what is right.
func decodeArgs(s *shape, args json.RawMessage, into reflect.Value) error {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(args))
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		return errNotJSON
	}
	if value[0] != '{' {
		return errors.New("the arguments are not a JSON object")
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the JSON object of the arguments")
	}
	return s.object(value, into, "")
}

// value reads one value. at names it in messages.
func (s *shape) value(raw json.RawMessage, into reflect.Value, at string) error {
	for into.Kind() == reflect.Pointer {
		if into.IsNil() {
			into.Set(reflect.New(into.Type().Elem()))
		}
		into = into.Elem()
	}
	if isNull(raw) && s.kind != anything {
		return fmt.Errorf("the argument %s is not %s", at, s.kind)
	}
	switch s.kind {
	case object:
		return s.object(raw, into, at)
	case array:
		return s.array(raw, into, at)
	case dict:
		return s.dict(raw, into, at)
	case anything:
		if err := unique(raw, at); err != nil {
			return err
		}
	}
	if err := json.Unmarshal(raw, into.Addr().Interface()); err != nil {
		if s.kind == text && raw[0] == '"' { // a type that reads text by itself
			return fmt.Errorf("the argument %s cannot be read: %w", at, err)
		}
		return fmt.Errorf("the argument %s is not %s", at, s.kind)
	}
	return s.bounds(raw, at)
}

// bounds checks what the tags of a field say.
func (s *shape) bounds(raw json.RawMessage, at string) error {
	if s.enum != nil {
		var v string
		if err := json.Unmarshal(raw, &v); err != nil || !slices.Contains(s.enum, v) {
			return fmt.Errorf("the argument %s is %s; it is one of: %s", at, near.Show(v), strings.Join(s.enum, ", "))
		}
	}
	if s.min == nil && s.max == nil {
		return nil
	}
	var v float64
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("the argument %s is not %s", at, s.kind)
	}
	switch {
	case s.min != nil && v < *s.min:
		return fmt.Errorf("the argument %s is %v; it is at least %v", at, v, *s.min)
	case s.max != nil && v > *s.max:
		return fmt.Errorf("the argument %s is %v; it is at most %v", at, v, *s.max)
	}
	return nil
}

func (s *shape) object(raw json.RawMessage, into reflect.Value, at string) error {
	seen := map[string]bool{}
	err := members(raw, at, s.kind, func(name string, value json.RawMessage) error {
		for _, f := range s.fields {
			if f.name != name {
				continue
			}
			if isNull(value) && !f.required {
				return nil // as models write a member that they leave out
			}
			seen[name] = true
			return f.shape.value(value, into.FieldByIndex(f.index), join(at, name))
		}
		return s.unknown(at, name)
	})
	if err != nil {
		return err
	}
	for _, f := range s.fields {
		if f.required && !seen[f.name] {
			return fmt.Errorf("the argument %s is missing", join(at, f.name))
		}
	}
	return nil
}

func (s *shape) unknown(at, name string) error {
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.name
	}
	hint := ""
	if best := near.Best(name, names); best != "" {
		hint = "; did you mean " + best + "?"
	}
	have := strings.Join(names, ", ")
	if have == "" {
		have = "none"
	}
	return fmt.Errorf("there is no argument %s%s (arguments: %s)", join(at, near.Show(name)), hint, have)
}

func (s *shape) array(raw json.RawMessage, into reflect.Value, at string) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return fmt.Errorf("the argument %s is not %s", at, s.kind)
	}
	if into.Kind() == reflect.Array {
		if len(items) != into.Len() {
			return fmt.Errorf("the argument %s has %d items; it needs %d", at, len(items), into.Len())
		}
	} else {
		into.Set(reflect.MakeSlice(into.Type(), len(items), len(items)))
	}
	for i, item := range items {
		if err := s.elem.value(item, into.Index(i), fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) dict(raw json.RawMessage, into reflect.Value, at string) error {
	m := reflect.MakeMap(into.Type())
	err := members(raw, at, s.kind, func(name string, value json.RawMessage) error {
		v := reflect.New(into.Type().Elem()).Elem()
		if err := s.elem.value(value, v, join(at, near.Show(name))); err != nil {
			return err
		}
		m.SetMapIndex(reflect.ValueOf(name).Convert(into.Type().Key()), v)
		return nil
	})
	into.Set(m)
	return err
}

// members calls f for each member of an object, none of which comes twice.
func members(raw json.RawMessage, at string, k kind, f func(name string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("the argument %s is not %s", at, k)
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return errNotJSON
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return errNotJSON
		}
		if seen[name] {
			return fmt.Errorf("the argument %s is given twice", join(at, near.Show(name)))
		}
		seen[name] = true
		if err := f(name, value); err != nil {
			return err
		}
	}
	return nil
}

// unique refuses objects, at any depth, in which a member comes twice.
func unique(raw json.RawMessage, at string) error {
	switch raw[0] {
	case '{':
		return members(raw, at, object, func(name string, value json.RawMessage) error {
			return unique(value, join(at, near.Show(name)))
		})
	case '[':
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			return errNotJSON
		}
		for i, item := range items {
			if err := unique(item, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func isNull(raw json.RawMessage) bool { return bytes.Equal(raw, []byte("null")) }

// String names the kind as messages do.
func (k kind) String() string {
	switch k {
	case text:
		return "a string"
	case boolean:
		return "true or false"
	case integer:
		return "an integer"
	case number:
		return "a number"
	case array:
		return "an array"
	case object, dict:
		return "an object"
	}
	return "valid"
}
