package wire

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// CanonicalJSON returns the one form of a JSON value that proem sends: without
// white space, the members of every object in ascending order of the bytes of
// their names, strings escaped as AppendEscaped does, and numbers in their
// shortest decimal form (1.50, 1e2 and -0 become 1.5, 100 and 0) without loss of
// a digit.
//
// It is strict: a name that occurs twice in an object, white space that JSON
// does not know, or anything after the value is an error that names the offset.
func CanonicalJSON(raw []byte) ([]byte, error) {
	p := parser{in: raw}
	out, err := p.document(make([]byte, 0, len(raw)))
	if err != nil {
		return nil, err
	}
	return out, nil
}

// CheckArgs reports why the arguments of a tool call are not one complete JSON
// object, or nil if they are. Arguments that fail must not be executed.
func CheckArgs(raw []byte) error {
	p := parser{in: raw}
	p.space()
	if p.at == len(raw) {
		return fmt.Errorf("arguments: empty, not a JSON object")
	}
	if raw[p.at] != '{' {
		return fmt.Errorf("arguments: not a JSON object")
	}
	if _, err := p.document(nil); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	return nil
}

// maxDepth bounds nesting, so that no input exhausts the stack.
const maxDepth = 1000

type parser struct {
	in    []byte
	at    int
	depth int
}

func (p *parser) fail(format string, args ...any) error {
	return fmt.Errorf("json at offset %d: %s", p.at, fmt.Sprintf(format, args...))
}

func (p *parser) space() {
	for p.at < len(p.in) {
		switch p.in[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *parser) document(dst []byte) ([]byte, error) {
	dst, err := p.value(dst)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(p.in) {
		return nil, p.fail("more follows the value")
	}
	return dst, nil
}

func (p *parser) value(dst []byte) ([]byte, error) {
	p.space()
	if p.at == len(p.in) {
		return nil, p.fail("unexpected end")
	}
	switch c := p.in[p.at]; {
	case c == '{' || c == '[':
		if p.depth++; p.depth > maxDepth {
			return nil, p.fail("nested deeper than %d", maxDepth)
		}
		defer func() { p.depth-- }()
		if c == '{' {
			return p.object(dst)
		}
		return p.array(dst)
	case c == '"':
		s, err := p.str()
		if err != nil {
			return nil, err
		}
		return append(AppendEscaped(append(dst, '"'), s), '"'), nil
	case c == '-' || '0' <= c && c <= '9':
		return p.number(dst)
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(p.in[p.at:], []byte(word)) {
			p.at += len(word)
			return append(dst, word...), nil
		}
	}
	return nil, p.fail("unexpected %q", p.in[p.at])
}

func (p *parser) array(dst []byte) ([]byte, error) {
	p.at++
	dst = append(dst, '[')
	for n := 0; ; n++ {
		if p.space(); n == 0 && p.take(']') {
			return append(dst, ']'), nil
		}
		var err error
		if dst, err = p.value(dst); err != nil {
			return nil, err
		}
		p.space()
		switch {
		case p.take(','):
			dst = append(dst, ',')
		case p.take(']'):
			return append(dst, ']'), nil
		default:
			return nil, p.fail("want a comma or ]")
		}
	}
}

type member struct {
	name   string
	lo, hi int // its value in the parser's scratch
}

func (p *parser) object(dst []byte) ([]byte, error) {
	p.at++
	var members []member
	var values []byte
	for {
		if p.space(); len(members) == 0 && p.take('}') {
			break
		}
		if p.at == len(p.in) || p.in[p.at] != '"' {
			return nil, p.fail("want a name")
		}
		name, err := p.str()
		if err != nil {
			return nil, err
		}
		if p.space(); !p.take(':') {
			return nil, p.fail("want a colon")
		}
		lo := len(values)
		if values, err = p.value(values); err != nil {
			return nil, err
		}
		members = append(members, member{name, lo, len(values)})
		if p.space(); p.take(',') {
			continue
		}
		if !p.take('}') {
			return nil, p.fail("want a comma or }")
		}
		break
	}
	slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			if m.name == members[i-1].name {
				return nil, p.fail("the name %q occurs twice", m.name)
			}
			dst = append(dst, ',')
		}
		dst = append(AppendEscaped(append(dst, '"'), m.name), `":`...)
		dst = append(dst, values[m.lo:m.hi]...)
	}
	return append(dst, '}'), nil
}

func (p *parser) take(c byte) bool {
	if p.at < len(p.in) && p.in[p.at] == c {
		p.at++
		return true
	}
	return false
}

// str reads a string and returns what it stands for. Half a surrogate pair and
// each byte of invalid UTF-8 become U+FFFD.
func (p *parser) str() (string, error) {
	p.at++
	lo := p.at
	var out []byte
	for p.at < len(p.in) {
		switch c := p.in[p.at]; {
		case c == '"':
			s := p.in[lo:p.at]
			p.at++
			if out != nil {
				s = append(out, s...)
			}
			if !utf8.Valid(s) {
				return string([]rune(string(s))), nil
			}
			return string(s), nil
		case c < ' ':
			return "", p.fail("control character in a string")
		case c == '\\':
			out = append(out, p.in[lo:p.at]...)
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
			lo = p.at
		default:
			p.at++
		}
	}
	return "", p.fail("unexpected end of a string")
}

func (p *parser) escape() (rune, error) {
	if p.at+1 >= len(p.in) {
		return 0, p.fail("unexpected end of a string")
	}
	c := p.in[p.at+1]
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		p.at += 2
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	r, ok := p.unit(p.at)
	if !ok {
		return 0, p.fail("unknown escape")
	}
	p.at += 6
	if utf16.IsSurrogate(r) {
		if low, ok := p.unit(p.at); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				p.at += 6
				return pair, nil
			}
		}
		return utf8.RuneError, nil
	}
	return r, nil
}

// unit reads \uXXXX at an offset.
func (p *parser) unit(at int) (rune, bool) {
	if at+6 > len(p.in) || p.in[at] != '\\' || p.in[at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(p.in[at+2:at+6]), 16, 16)
	return rune(n), err == nil
}
