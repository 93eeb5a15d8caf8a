package agent

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// schema is the part of JSON Schema that Go types need.
type schema struct {
	Type        any                `json:"type,omitempty"`
	Format      string             `json:"format,omitempty"`
	Description string             `json:"description,omitempty"`
	Minimum     *int               `json:"minimum,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	// Additional is false, or the *schema of the values of a map.
	Additional any `json:"additionalProperties,omitempty"`

	length *int // of an array whose type fixes it
}

// schemaOf returns the schema of a type. What providers accept is an object:
// any other type is wrapped into the member value of one.
func schemaOf(t reflect.Type) (s *schema, wrapped bool, err error) {
	if s, err = schemaFor(t, nil); err != nil {
		return nil, false, err
	}
	if wrapped = s.Type != "object"; wrapped {
		s = &schema{Type: "object", Properties: map[string]*schema{"value": s}, Required: []string{"value"}, Additional: false}
	}
	return s, wrapped, nil
}

// closed reports whether every value that fits has a form that is known in
// advance. Only then can a provider enforce it: what it enforces has neither maps
// nor values of any type.
func (s *schema) closed() bool {
	if _, open := s.Additional.(*schema); open || s.Type == nil || s.Items != nil && !s.Items.closed() {
		return false
	}
	for _, p := range s.Properties {
		if !p.closed() {
			return false
		}
	}
	return true
}

var (
	textType    = reflect.TypeFor[encoding.TextMarshaler]()
	jsonType    = reflect.TypeFor[json.Marshaler]()
	timeType    = reflect.TypeFor[time.Time]()
	rawJSONType = reflect.TypeFor[json.RawMessage]()
)

// schemaFor returns the schema of a type inside the types that are being read.
func schemaFor(t reflect.Type, inside []reflect.Type) (*schema, error) {
	switch {
	case t == timeType:
		return &schema{Type: "string", Format: "date-time"}, nil
	case t == rawJSONType:
		return &schema{}, nil
	case slices.Contains(inside, t):
		return nil, fmt.Errorf("%s contains itself", t)
	case t.Kind() == reflect.Pointer:
		s, err := schemaFor(t.Elem(), append(slices.Clip(inside), t))
		if name, ok := s.typeName(); ok {
			s.Type = []string{name, "null"}
		}
		return s, err
	case t.Implements(jsonType) || reflect.PointerTo(t).Implements(jsonType):
		return nil, fmt.Errorf("%s writes its own JSON, whose form is not known", t)
	case t.Implements(textType) || reflect.PointerTo(t).Implements(textType):
		return &schema{Type: "string"}, nil
	}
	inside = append(slices.Clip(inside), t)
	switch t.Kind() {
	case reflect.String:
		return &schema{Type: "string"}, nil
	case reflect.Bool:
		return &schema{Type: "boolean"}, nil
	case reflect.Float32, reflect.Float64:
		return &schema{Type: "number"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &schema{Type: "integer"}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &schema{Type: "integer", Minimum: new(int)}, nil
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return &schema{}, nil
		}
	case reflect.Slice, reflect.Array:
		if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			return &schema{Type: "string", Description: "base64"}, nil
		}
		items, err := schemaFor(t.Elem(), inside)
		s := &schema{Type: "array", Items: items}
		if t.Kind() == reflect.Array { // in words: providers differ in the keywords that they take
			n := t.Len()
			s.length, s.Description = &n, fmt.Sprintf("exactly %d", n)
		}
		return s, err
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return nil, fmt.Errorf("%s: the keys are no strings", t)
		}
		values, err := schemaFor(t.Elem(), inside)
		return &schema{Type: "object", Additional: values}, err
	case reflect.Struct:
		return structSchema(t, inside)
	}
	return nil, fmt.Errorf("%s has no form in JSON", t)
}

// typeName returns the type of a schema that has exactly one.
func (s *schema) typeName() (string, bool) {
	if s == nil {
		return "", false
	}
	name, ok := s.Type.(string)
	return name, ok
}

// structSchema returns the schema of a struct; embedded structs without a name of
// their own are part of it, as encoding/json has it.
func structSchema(t reflect.Type, inside []reflect.Type) (*schema, error) {
	out := &schema{Type: "object", Properties: map[string]*schema{}, Additional: false}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" && options == "" || f.Anonymous && name == "" || !f.IsExported() || !promoted(t, f) {
			continue
		}
		if name == "" {
			name = f.Name
		}
		s, err := schemaFor(f.Type, inside)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		if slices.Contains(strings.Split(options, ","), "string") {
			s = &schema{Type: "string"}
		}
		if d := f.Tag.Get("description"); d != "" {
			s.Description = d
		}
		out.Properties[name] = s
		if !strings.Contains(options, "omit") && f.Type.Kind() != reflect.Pointer {
			out.Required = append(out.Required, name)
		}
	}
	return out, nil
}

// promoted reports whether the fields around an inner field are embedded without
// a name.
func promoted(t reflect.Type, f reflect.StructField) bool {
	for n := 1; n < len(f.Index); n++ {
		outer := t.FieldByIndex(f.Index[:n])
		if name, _, _ := strings.Cut(outer.Tag.Get("json"), ","); name != "" {
			return false
		}
	}
	return true
}

// misfit reports the first thing that a value lacks, which was read into its type
// already: a member that is required, an element of an array, or a value where
// null has no place. encoding/json takes all of these for zero values.
func (s *schema) misfit(raw []byte) error {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	return s.missing("", v)
}

func (s *schema) missing(path string, v any) error {
	switch v := v.(type) {
	case nil:
		if _, plain := s.typeName(); plain {
			return fmt.Errorf("null at %q is no value", path)
		}
	case map[string]any:
		for _, name := range s.Required {
			member, ok := v[name]
			if _, plain := s.Properties[name].typeName(); !ok || member == nil && plain {
				return fmt.Errorf("%s/%s is missing", path, name)
			}
		}
		values, _ := s.Additional.(*schema)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			of := s.Properties[name]
			if of == nil {
				of = values
			} else if v[name] == nil {
				continue // it may be left out
			}
			if of == nil {
				continue
			}
			if err := of.missing(path+"/"+name, v[name]); err != nil {
				return err
			}
		}
	case []any:
		if s.length != nil && len(v) != *s.length {
			return fmt.Errorf("%s has %d elements, not %d", path, len(v), *s.length)
		}
		for i := range v {
			if s.Items == nil {
				break
			}
			if err := s.Items.missing(fmt.Sprintf("%s/%d", path, i), v[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
