package request

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A value is a JSON value as it was sent.
type value struct {
	kind    byte // one of { [ " 0 t n: object, array, string, number, boolean, null
	str     string
	members []member
	items   []*value
	raw     []byte
}

type member struct {
	name string
	*value
}

// get returns a member of an object, or nil.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	for i := range v.members {
		if v.members[i].name == name {
			return v.members[i].value
		}
	}
	return nil
}

// is reports whether there is a value of one of the kinds.
func (v *value) is(kinds string) bool { return v != nil && bytes.IndexByte([]byte(kinds), v.kind) >= 0 }

// text returns a string's value, or nothing.
func (v *value) text() string {
	if v.is(`"`) {
		return v.str
	}
	return ""
}

// number returns a number's value.
func (v *value) number() float64 {
	if !v.is("0") {
		return 0
	}
	n, err := strconv.ParseFloat(v.str, 64)
	if err != nil {
		return 0
	}
	return n
}

// whole reports whether a number is written as a whole one.
func (v *value) whole() bool {
	_, err := strconv.Atoi(v.str)
	return v.is("0") && err == nil
}

var kindNames = map[byte]string{'{': "an object", '[': "an array", '"': "a string", '0': "a number", 't': "a boolean", 'n': "null"}

// parse reads one JSON value. It refuses what some readers let pass: names that
// occur twice in an object, bytes that are not UTF-8, and halves of surrogates.
func parse(b []byte) (*value, error) {
	if !utf8.Valid(b) {
		return nil, fmt.Errorf("the body is not valid UTF-8")
	}
	if !json.Valid(b) {
		var v any
		return nil, fmt.Errorf("the body is not valid JSON: %w", json.Unmarshal(b, &v))
	}
	if at := halfSurrogate(b); at >= 0 {
		return nil, fmt.Errorf("half of a surrogate pair at offset %d", at)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	p := parser{in: b, d: d}
	return p.value("body")
}

type parser struct {
	in []byte
	d  *json.Decoder
}

func (p *parser) value(path string) (*value, error) {
	from := int(p.d.InputOffset())
	for bytes.IndexByte([]byte(" \t\r\n,:"), p.in[from]) >= 0 {
		from++
	}
	tok, err := p.d.Token()
	if err != nil {
		return nil, err
	}
	v := &value{kind: 'n'}
	switch tok := tok.(type) {
	case json.Delim:
		v.kind = byte(tok)
		err = p.inside(v, path)
	case string:
		v.kind, v.str = '"', tok
	case json.Number:
		v.kind, v.str = '0', tok.String()
	case bool:
		v.kind, v.str = 't', strconv.FormatBool(tok)
	}
	v.raw = p.in[from:p.d.InputOffset()]
	return v, err
}

func (p *parser) inside(v *value, path string) error {
	for p.d.More() {
		at := fmt.Sprintf("%s[%d]", path, len(v.items))
		name := ""
		if v.kind == '{' {
			tok, err := p.d.Token()
			if err != nil {
				return err
			}
			name = tok.(string)
			at = path + "." + name
			if v.get(name) != nil {
				return fmt.Errorf("%s occurs twice", at)
			}
		}
		item, err := p.value(at)
		if err != nil {
			return err
		}
		if v.kind == '{' {
			v.members = append(v.members, member{name, item})
		} else {
			v.items = append(v.items, item)
		}
	}
	_, err := p.d.Token()
	return err
}

// halfSurrogate returns the offset of an escape that is half of a pair, or -1.
func halfSurrogate(b []byte) int {
	escape := func(i int) (uint64, bool) {
		if i+6 > len(b) || b[i] != '\\' || b[i+1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(string(b[i+2:i+6]), 16, 16)
		return n, err == nil
	}
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		switch n, ok := escape(i); {
		case !ok:
			i++ // the escaped character
		case 0xD800 <= n && n < 0xDC00:
			if low, ok := escape(i + 6); !ok || low < 0xDC00 || low > 0xDFFF {
				return i
			}
			i += 11
		case 0xDC00 <= n && n <= 0xDFFF:
			return i
		}
	}
	return -1
}
