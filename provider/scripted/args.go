package scripted

import (
	"encoding/json"
	"fmt"

	"github.com/goccy/go-yaml"
)

// Args is the JSON object of a call's arguments.
type Args json.RawMessage

// UnmarshalYAML reads a mapping of any depth. Members keep their order.
func (a *Args) UnmarshalYAML(unmarshal func(any) error) error {
	var m yaml.MapSlice
	if err := unmarshal(&m); err != nil {
		return err
	}
	out, err := appendJSON(nil, m)
	*a = out
	return err
}

func appendJSON(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case yaml.MapSlice:
		dst = append(dst, '{')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			key, err := json.Marshal(fmt.Sprint(item.Key))
			if err != nil {
				return nil, err
			}
			if dst, err = appendJSON(append(append(dst, key...), ':'), item.Value); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendJSON(dst, item); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	}
	b, err := json.Marshal(v)
	return append(dst, b...), err
}
