package wiretest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// spec is a request as the golden files write it.
type spec struct {
	Model        string
	For          string           // provider:model of the capability record; empty: none
	Cap          *wire.Capability // replaces the record
	Placement    string           // auto, split or merged; empty: auto
	System       []part
	Instructions []part
	Messages     []message
	Tools        []toolSpec
	Options      wire.Options
	Cache        wire.Cache
}

// toolSpec is a tool with its schema as JSON, whatever that is.
type toolSpec struct {
	Name, Description string
	Parameters        json.RawMessage
	Strict            bool
}

// part is a section: its text, or an object with its name and class too.
type part struct {
	Name, Class, Text string
	Repeat            int // how often the text is there; 0: once
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *part) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, &p.Text)
	}
	type plain part
	return json.Unmarshal(b, (*plain)(p))
}

// opaque is a payload, or the name of the provider of an empty one.
type opaque chat.Opaque

// UnmarshalJSON implements [json.Unmarshaler].
func (o *opaque) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		*o = opaque{Type: "thinking", JSON: []byte("{}")}
		return json.Unmarshal(b, &o.Provider)
	}
	return json.Unmarshal(b, (*struct {
		Provider, Type string
		JSON           json.RawMessage
		From           *span.Origin
	})(o))
}

type message struct {
	Role      string
	Name      string
	Text      string
	Reasoning string
	Image     string // media type
	URL       string // of an image
	Opaque    *opaque
	Calls     []struct{ ID, Name, Args string }
	Results   []struct {
		ID, Text       string
		Image, IsError bool
	}
	Repeat int // how often the text is there; 0: once
}

func (s *spec) request() (wire.Request, error) {
	r := wire.Request{Model: s.Model, Options: s.Options, Cache: s.Cache}
	var err error
	if r.System, err = parts("system", s.System); err != nil {
		return r, err
	}
	if r.Instructions, err = parts("instructions", s.Instructions); err != nil {
		return r, err
	}
	if provider, model, ok := strings.Cut(s.For, ":"); ok {
		r.Capability = wire.Lookup(provider, model)
	}
	if s.Cap != nil {
		r.Capability = *s.Cap
	}
	placements := map[string]wire.Placement{"": wire.Auto, "auto": wire.Auto, "split": wire.Split, "merged": wire.Merged}
	placement, ok := placements[s.Placement]
	if !ok {
		return r, fmt.Errorf("placement %q", s.Placement)
	}
	r.Placement = placement
	for _, t := range s.Tools {
		r.Tools = append(r.Tools, chat.ToolSpec{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Strict: t.Strict,
			From: &span.Origin{Section: "tool:" + t.Name}})
	}
	for i := range s.Messages {
		m, err := s.Messages[i].message(i)
		if err != nil {
			return r, err
		}
		r.Messages = append(r.Messages, m)
	}
	return r, nil
}

func parts(channel string, list []part) ([]prompt.Part, error) {
	var out []prompt.Part
	for i, s := range list {
		p := prompt.Part{Name: s.Name, Text: span.Of(strings.Repeat(s.Text, max(1, s.Repeat)),
			&span.Origin{Section: fmt.Sprintf("%s:%d", channel, i)})}
		if s.Class != "" {
			class, err := prompt.ParseClass(s.Class)
			if err != nil {
				return nil, err
			}
			p.Class = class
		}
		if i > 0 {
			p.Sep = prompt.DefaultSep
		}
		out = append(out, p)
	}
	return out, nil
}

func (m *message) message(i int) (chat.Message, error) {
	from := &span.Origin{Section: fmt.Sprintf("message:%d", i)}
	out := chat.Message{Name: m.Name}
	if err := out.Role.UnmarshalText([]byte(m.Role)); err != nil {
		return out, err
	}
	add := func(p chat.Part) { out.Parts = append(out.Parts, p) }
	if m.Reasoning != "" {
		add(chat.Part{Kind: chat.ReasoningPart, Text: span.Of(m.Reasoning, from)})
	}
	if m.Opaque != nil {
		o := chat.Opaque(*m.Opaque)
		o.From = from
		add(chat.Part{Kind: chat.OpaquePart, Opaque: &o})
	}
	if m.Text != "" {
		add(chat.Part{Kind: chat.TextPart, Text: span.Of(strings.Repeat(m.Text, max(1, m.Repeat)), from)})
	}
	if m.Image != "" || m.URL != "" {
		img := chat.Image{MediaType: m.Image, URL: m.URL, From: from}
		if m.URL == "" {
			img.Data = []byte("pixels")
		}
		add(chat.Part{Kind: chat.ImagePart, Image: &img})
	}
	for _, c := range m.Calls {
		add(chat.Part{Kind: chat.CallPart, Call: &chat.ToolCall{ID: c.ID, Name: c.Name, Args: []byte(c.Args), From: from}})
	}
	for _, r := range m.Results {
		res := chat.ToolResult{ID: r.ID, Text: span.Of(r.Text, from), IsError: r.IsError}
		if r.Image {
			res.Images = []chat.Image{{MediaType: "image/png", Data: []byte("pixels"), From: from}}
		}
		add(chat.Part{Kind: chat.ResultPart, Result: &res})
	}
	return out, nil
}
