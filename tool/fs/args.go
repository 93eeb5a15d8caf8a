package fs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// field is one member that a tool takes.
type field struct {
	name     string
	required bool
	into     any // *string or *int
}

// decode reads the arguments of a call. A member that is not a field, comes
// twice or has the wrong type is an error that says what is right.
func decode(args json.RawMessage, fields ...field) error {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(args))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("the arguments are not a JSON object")
	}
	seen := make(map[string]bool)
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return errors.New("the arguments are not valid JSON")
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return errors.New("the arguments are not valid JSON")
		}
		if seen[name] {
			return fmt.Errorf("the argument %s is given twice", show(name))
		}
		seen[name] = true
		if err := set(fields, name, value); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return errors.New("the arguments are not valid JSON")
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the JSON object of the arguments")
	}
	for _, f := range fields {
		if f.required && !seen[f.name] {
			return fmt.Errorf("the argument %s is missing", f.name)
		}
	}
	return nil
}

func set(fields []field, name string, value json.RawMessage) error {
	for _, f := range fields {
		if f.name != name {
			continue
		}
		if bytes.Equal(value, []byte("null")) && !f.required {
			return nil // as models write a member that they leave out
		}
		if err := json.Unmarshal(value, f.into); err != nil || value[0] == 'n' {
			return fmt.Errorf("the argument %s is not %s", name, kindOf(f.into))
		}
		return nil
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	hint := ""
	if best := nearest(name, names); best != "" {
		hint = "; did you mean " + best + "?"
	}
	return fmt.Errorf("there is no argument %s%s (arguments: %s)", show(name), hint, strings.Join(names, ", "))
}

func kindOf(into any) string {
	if _, ok := into.(*int); ok {
		return "an integer"
	}
	return "a string"
}
