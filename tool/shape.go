package tool

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A shape is what a Go type looks like in JSON. It is made once, and both the
// schema and the decoder follow it.
type shape struct {
	kind     kind
	fields   []field // of an object with known members, in the order of the struct
	elem     *shape  // of an array or a map
	enum     []string
	min, max *float64
}

type kind int

const (
	anything kind = iota
	text
	boolean
	integer
	number
	array
	object // with known members
	dict   // with members of any name
)

// field is one member of an object.
type field struct {
	name        string
	description string
	index       []int // for reflect.Value.FieldByIndex
	required    bool
	shape       *shape
}

var (
	rawType    = reflect.TypeFor[json.RawMessage]()
	bytesType  = reflect.TypeFor[[]byte]()
	textParser = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonParser = reflect.TypeFor[json.Unmarshaler]()
)

// shapeOf returns the shape of a type. open lists the structs that it is part of.
func shapeOf(t reflect.Type, open []reflect.Type) (*shape, error) {
	if t.Kind() == reflect.Pointer {
		return shapeOf(t.Elem(), open)
	}
	switch {
	case t == rawType:
		return &shape{kind: anything}, nil
	case t == bytesType, reflect.PointerTo(t).Implements(textParser):
		return &shape{kind: text}, nil
	case reflect.PointerTo(t).Implements(jsonParser):
		return &shape{kind: anything}, nil
	}
	switch t.Kind() {
	case reflect.String:
		return &shape{kind: text}, nil
	case reflect.Bool:
		return &shape{kind: boolean}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &shape{kind: integer}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &shape{kind: integer, min: new(float64)}, nil
	case reflect.Float32, reflect.Float64:
		return &shape{kind: number}, nil
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return &shape{kind: anything}, nil
		}
	case reflect.Slice, reflect.Array:
		elem, err := shapeOf(t.Elem(), open)
		return &shape{kind: array, elem: elem}, err
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return nil, fmt.Errorf("type %v: the keys of a map are strings", t)
		}
		elem, err := shapeOf(t.Elem(), open)
		return &shape{kind: dict, elem: elem}, err
	case reflect.Struct:
		return structShape(t, open)
	}
	return nil, fmt.Errorf("type %v has no form in JSON", t)
}

func structShape(t reflect.Type, open []reflect.Type) (*shape, error) {
	for _, o := range open {
		if o == t {
			return nil, fmt.Errorf("type %v contains itself", t)
		}
	}
	open = append(open[:len(open):len(open)], t)
	s := &shape{kind: object}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" && options == "" {
			continue
		}
		if inner := f.Type; f.Anonymous && name == "" && inner.Kind() == reflect.Struct {
			in, err := structShape(inner, open)
			if err != nil {
				return nil, err
			}
			for _, g := range in.fields {
				g.index = append([]int{i}, g.index...)
				s.fields = append(s.fields, g)
			}
			continue
		}
		if !f.IsExported() {
			continue
		}
		g, err := fieldOf(f, name, options, open)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		s.fields = append(s.fields, g)
	}
	for i, f := range s.fields {
		for _, g := range s.fields[:i] {
			if f.name == g.name {
				return nil, fmt.Errorf("two fields of %v have the name %s", t, f.name)
			}
		}
	}
	return s, nil
}

func fieldOf(f reflect.StructField, name, options string, open []reflect.Type) (field, error) {
	g := field{name: name, index: f.Index, required: f.Type.Kind() != reflect.Pointer}
	if name == "" {
		g.name = f.Name
	}
	for o := range strings.SplitSeq(options, ",") {
		switch o {
		case "omitempty", "omitzero":
			g.required = false
		case "string":
			return g, errors.New("the option string of the json tag is not supported")
		}
	}
	if g.description = f.Tag.Get("description"); g.description == "" {
		g.description = f.Tag.Get("jsonschema")
	}
	s, err := shapeOf(f.Type, open)
	if err != nil {
		return g, err
	}
	g.shape = s
	if v, ok := f.Tag.Lookup("enum"); ok {
		if s.kind != text {
			return g, errors.New("only a string has an enum")
		}
		s.enum = strings.Split(v, ",")
	}
	for _, b := range []struct {
		tag string
		to  **float64
	}{{"minimum", &s.min}, {"maximum", &s.max}} {
		v, ok := f.Tag.Lookup(b.tag)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || s.kind != integer && s.kind != number {
			return g, fmt.Errorf("the tag %s is a number, on a number", b.tag)
		}
		*b.to = &n
	}
	return g, nil
}
