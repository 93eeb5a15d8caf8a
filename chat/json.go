package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/proemhq/proem/span"
)

// The JSON form of a conversation is closed: what it does not name is an error
// when read and when written, so that nothing is lost in between. What a model
// or a provider wrote is kept as a string, because it may not be valid JSON and
// because it must come back byte for byte. Bytes that are not valid UTF-8 become
// U+FFFD, as they do in a request.

// MarshalText implements [encoding.TextMarshaler]. An unknown role is an error.
func (r Role) MarshalText() ([]byte, error) { return nameOf("role", roleNames[:], int(r)) }

// UnmarshalText implements [encoding.TextUnmarshaler]. An unknown name is an
// error.
func (r *Role) UnmarshalText(b []byte) error {
	i, err := indexOf("role", roleNames[:], string(b))
	if err == nil {
		*r = Role(i)
	}
	return err
}

// MarshalText implements [encoding.TextMarshaler]. An unknown kind is an error.
func (k Kind) MarshalText() ([]byte, error) { return nameOf("part kind", kindNames[:], int(k)) }

// UnmarshalText implements [encoding.TextUnmarshaler]. An unknown name is an
// error.
func (k *Kind) UnmarshalText(b []byte) error {
	i, err := indexOf("part kind", kindNames[:], string(b))
	if err == nil {
		*k = Kind(i)
	}
	return err
}

func nameOf(what string, names []string, i int) ([]byte, error) {
	if i >= len(names) {
		return nil, fmt.Errorf("unknown %s %d", what, i)
	}
	return []byte(names[i]), nil
}

func indexOf(what string, names []string, name string) (int, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, fmt.Errorf("unknown %s %q", what, name)
	}
	return i, nil
}

type messageJSON struct {
	Role  *Role  `json:"role"`
	Parts []Part `json:"parts,omitempty"`
	Name  string `json:"name,omitempty"`
}

// MarshalJSON returns {"role":…,"parts":[…],"name":…} without empty fields. The
// role is always there.
func (m Message) MarshalJSON() ([]byte, error) {
	return encode(messageJSON{&m.Role, m.Parts, m.Name})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Message) UnmarshalJSON(b []byte) error {
	var j messageJSON
	if err := decode(b, &j); err != nil {
		return fmt.Errorf("message: %w", err)
	}
	if j.Role == nil {
		return fmt.Errorf("message: no role")
	}
	if len(j.Parts) == 0 {
		j.Parts = nil
	}
	*m = Message{*j.Role, j.Parts, j.Name}
	return nil
}

type partJSON struct {
	Kind   *Kind       `json:"kind"`
	Text   span.Text   `json:"text,omitempty"`
	Image  *Image      `json:"image,omitempty"`
	Call   *ToolCall   `json:"call,omitempty"`
	Result *ToolResult `json:"result,omitempty"`
	Opaque *Opaque     `json:"opaque,omitempty"`
}

// MarshalJSON returns {"kind":…} with the field that the kind uses. A part that
// lacks this field, or has another one, is an error.
func (p Part) MarshalJSON() ([]byte, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	return encode(partJSON{&p.Kind, p.Text, p.Image, p.Call, p.Result, p.Opaque})
}

// UnmarshalJSON reads what MarshalJSON writes, with the same checks.
func (p *Part) UnmarshalJSON(b []byte) error {
	var j partJSON
	if err := decode(b, &j); err != nil {
		return fmt.Errorf("part: %w", err)
	}
	if j.Kind == nil {
		return fmt.Errorf("part: no kind")
	}
	if len(j.Text) == 0 {
		j.Text = nil
	}
	q := Part{*j.Kind, j.Text, j.Image, j.Call, j.Result, j.Opaque}
	if err := q.check(); err != nil {
		return err
	}
	*p = q
	return nil
}

// check reports whether the fields are those of the kind. A text may be empty.
func (p Part) check() error {
	for _, f := range []struct {
		name     string
		set, has bool
	}{
		{"text", len(p.Text) > 0, len(p.Text) > 0 && (p.Kind == TextPart || p.Kind == ReasoningPart)},
		{"image", p.Image != nil, p.Kind == ImagePart},
		{"call", p.Call != nil, p.Kind == CallPart},
		{"result", p.Result != nil, p.Kind == ResultPart},
		{"opaque", p.Opaque != nil, p.Kind == OpaquePart},
	} {
		switch {
		case f.set && !f.has:
			return fmt.Errorf("part: kind %s with field %s", p.Kind, f.name)
		case f.has && !f.set:
			return fmt.Errorf("part: kind %s without field %s", p.Kind, f.name)
		}
	}
	return nil
}

type imageJSON struct {
	MediaType string       `json:"mediaType,omitempty"`
	Data      []byte       `json:"data,omitempty"` // base64
	URL       string       `json:"url,omitempty"`
	From      *span.Origin `json:"from,omitempty"`
}

// MarshalJSON returns {"mediaType":…,"data":base64,"url":…,"from":…} without
// empty fields.
func (i Image) MarshalJSON() ([]byte, error) { return encode(imageJSON(i)) }

// UnmarshalJSON reads what MarshalJSON writes.
func (i *Image) UnmarshalJSON(b []byte) error {
	var j imageJSON
	if err := decode(b, &j); err != nil {
		return fmt.Errorf("image: %w", err)
	}
	if len(j.Data) == 0 {
		j.Data = nil
	}
	*i = Image(j)
	return nil
}

type toolCallJSON struct {
	ID   string       `json:"id"`
	Name string       `json:"name"`
	Args string       `json:"args,omitempty"`
	From *span.Origin `json:"from,omitempty"`
}

// MarshalJSON returns {"id":…,"name":…,"args":"…","from":…}. The arguments are a
// string: exactly what the model wrote.
func (c ToolCall) MarshalJSON() ([]byte, error) {
	return encode(toolCallJSON{c.ID, c.Name, string(c.Args), c.From})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *ToolCall) UnmarshalJSON(b []byte) error {
	var j toolCallJSON
	if err := decode(b, &j); err != nil {
		return fmt.Errorf("tool call: %w", err)
	}
	*c = ToolCall{j.ID, j.Name, raw(j.Args), j.From}
	return nil
}

type toolResultJSON struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Text    span.Text `json:"text,omitempty"`
	Images  []Image   `json:"images,omitempty"`
	IsError bool      `json:"isError,omitempty"`
}

// MarshalJSON returns {"id":…,"name":…,"text":…,"images":[…],"isError":true}
// without empty fields other than id and name.
func (r ToolResult) MarshalJSON() ([]byte, error) { return encode(toolResultJSON(r)) }

// UnmarshalJSON reads what MarshalJSON writes.
func (r *ToolResult) UnmarshalJSON(b []byte) error {
	var j toolResultJSON
	if err := decode(b, &j); err != nil {
		return fmt.Errorf("tool result: %w", err)
	}
	if len(j.Text) == 0 {
		j.Text = nil
	}
	if len(j.Images) == 0 {
		j.Images = nil
	}
	*r = ToolResult(j)
	return nil
}

type opaqueJSON struct {
	Provider string       `json:"provider"`
	Type     string       `json:"type,omitempty"`
	JSON     string       `json:"json,omitempty"`
	From     *span.Origin `json:"from,omitempty"`
}

// MarshalJSON returns {"provider":…,"type":…,"json":"…","from":…}. The payload
// is a string: it is replayed byte for byte.
func (o Opaque) MarshalJSON() ([]byte, error) {
	return encode(opaqueJSON{o.Provider, o.Type, string(o.JSON), o.From})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Opaque) UnmarshalJSON(b []byte) error {
	var j opaqueJSON
	if err := decode(b, &j); err != nil {
		return fmt.Errorf("opaque: %w", err)
	}
	*o = Opaque{j.Provider, j.Type, raw(j.JSON), j.From}
	return nil
}

type toolSpecJSON struct {
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"`
	Parameters  *string      `json:"parameters,omitempty"`
	Strict      bool         `json:"strict,omitempty"`
	From        *span.Origin `json:"from,omitempty"`
}

// MarshalJSON returns {"name":…,"description":…,"parameters":"…","strict":true,
// "from":…} without empty fields other than the name. The schema is a string: it
// comes back byte for byte, and need not be valid.
func (t ToolSpec) MarshalJSON() ([]byte, error) {
	j := toolSpecJSON{t.Name, t.Description, nil, t.Strict, t.From}
	if t.Parameters != nil {
		s := string(t.Parameters)
		j.Parameters = &s
	}
	return encode(j)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *ToolSpec) UnmarshalJSON(b []byte) error {
	var j toolSpecJSON
	if err := decode(b, &j); err != nil {
		return fmt.Errorf("tool: %w", err)
	}
	*t = ToolSpec{Name: j.Name, Description: j.Description, Strict: j.Strict, From: j.From}
	if j.Parameters != nil {
		t.Parameters = json.RawMessage(*j.Parameters)
	}
	return nil
}

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

// encode writes v without escaping what only matters inside HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// decode reads v and refuses fields that it does not have.
func decode(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
