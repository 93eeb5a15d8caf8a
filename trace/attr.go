package trace

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// An Attr is a property of a span.
type Attr struct {
	Key   string
	Value Value
}

// A Value is a text, a number, a truth value or a list of texts. The zero Value is
// none of them: an attribute with it is not set.
type Value struct {
	kind valueKind
	text string
	num  float64
	n    int64
	list []string
}

type valueKind uint8

const (
	noValue valueKind = iota
	textValue
	intValue
	floatValue
	boolValue
	listValue
)

// String returns a text attribute; an empty text is not set.
func String(key, text string) Attr {
	if text == "" {
		return Attr{Key: key}
	}
	return Attr{key, Value{kind: textValue, text: text}}
}

// Int returns an attribute that is a whole number.
func Int(key string, n int) Attr { return Attr{key, Value{kind: intValue, n: int64(n)}} }

// Float returns an attribute that is a number.
func Float(key string, f float64) Attr { return Attr{key, Value{kind: floatValue, num: f}} }

// Bool returns an attribute that is true or false.
func Bool(key string, b bool) Attr {
	v := Value{kind: boolValue}
	if b {
		v.n = 1
	}
	return Attr{key, v}
}

// Strings returns a list of texts; an empty one is not set. The list is not copied.
func Strings(key string, list []string) Attr {
	if len(list) == 0 {
		return Attr{Key: key}
	}
	return Attr{key, Value{kind: listValue, list: list}}
}

func (v Value) none() bool { return v.kind == noValue }

// Any returns the value as a string, an int64, a float64, a bool or a []string, for
// other libraries; nil: there is none.
func (v Value) Any() any {
	switch v.kind {
	case textValue:
		return v.text
	case intValue:
		return v.n
	case floatValue:
		return v.num
	case boolValue:
		return v.n != 0
	case listValue:
		return slices.Clone(v.list)
	}
	return nil
}

// String returns the value as a text.
func (v Value) String() string {
	switch v.kind {
	case textValue:
		return v.text
	case intValue:
		return strconv.FormatInt(v.n, 10)
	case floatValue:
		return strconv.FormatFloat(v.num, 'g', -1, 64)
	case boolValue:
		return strconv.FormatBool(v.n != 0)
	}
	return strings.Join(v.list, ", ")
}

// MarshalJSON writes the value as what it is.
func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(v.Any()) }

// Each returns the value with every text in it replaced by what f returns.
func (v Value) Each(f func(string) string) Value {
	if v.kind == textValue {
		v.text = f(v.text)
	}
	v.list = slices.Clone(v.list)
	for i := range v.list {
		v.list[i] = f(v.list[i])
	}
	return v
}

// Get returns the value of an attribute; the zero Value if it is not set.
func (s Span) Get(key string) Value {
	for _, a := range s.Attrs {
		if a.Key == key {
			return a.Value
		}
	}
	return Value{}
}
