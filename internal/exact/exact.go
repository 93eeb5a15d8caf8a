// Package exact writes JSON from which everything comes back byte for byte, and
// reads it strictly. It serves what is stored under its hash: equal values have
// equal forms, and a form that is only half understood is refused. The package is
// pure.
package exact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

// A String is a string that JSON keeps. Valid UTF-8 is a JSON string; other bytes,
// which JSON would replace, are {"base64":"…"}.
type String string

type other struct {
	Base64 *string `json:"base64"`
}

// MarshalJSON implements [json.Marshaler].
func (s String) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(s)) {
		return Encode(string(s))
	}
	b := base64.StdEncoding.EncodeToString([]byte(s))
	return Encode(other{&b})
}

// UnmarshalJSON reads what MarshalJSON writes. Base64 of text that needs none is
// an error: a string has one form.
func (s *String) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(s))
	}
	var o other
	if err := Decode(b, &o); err != nil {
		return err
	}
	if o.Base64 == nil {
		return errors.New("neither a string nor base64")
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(*o.Base64)
	if err != nil {
		return err
	}
	if utf8.Valid(raw) {
		return errors.New("base64 of text that is a string")
	}
	*s = String(raw)
	return nil
}

// Strings returns a list in the form that JSON keeps; nil stays nil.
func Strings(list []string) []String { return convert[String](list) }

// Plain is the inverse of [Strings].
func Plain(list []String) []string { return convert[string](list) }

func convert[T, F ~string](list []F) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(list))
	for i, s := range list {
		out[i] = T(s)
	}
	return out
}

// Encode writes v on one line, without escaping what only matters inside HTML.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Decode reads v. Fields that v does not have, and anything behind the value, are
// errors.
func Decode(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more follows the value")
	}
	return nil
}
