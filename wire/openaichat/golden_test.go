package openaichat_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

var update = flag.Bool("update", false, "write what was got as what is wanted")

// spec is a request as the golden files write it.
type spec struct {
	Model        string
	For          string           // provider:model of the capability record; empty: none
	Cap          *wire.Capability // replaces the record
	Placement    string
	System       []string
	Instructions []string
	Messages     []specMessage
	Tools        []chat.ToolSpec
	Options      wire.Options
}

type specMessage struct {
	Role      string
	Text      string
	Reasoning string
	Image     string // media type
	Opaque    string
	Calls     []struct{ ID, Name, Args string }
	Results   []struct {
		ID, Text string
		Image    bool
	}
}

func (s *spec) request(t *testing.T) wire.Request {
	r := wire.Request{Model: s.Model, Tools: s.Tools, Options: s.Options}
	r.System, r.Instructions = parts("system", s.System), parts("instructions", s.Instructions)
	if provider, model, ok := strings.Cut(s.For, ":"); ok {
		r.Capability = wire.Lookup(provider, model)
	}
	if s.Cap != nil {
		r.Capability = *s.Cap
	}
	switch s.Placement {
	case "", "auto":
	case "split":
		r.Placement = wire.Split
	case "merged":
		r.Placement = wire.Merged
	default:
		t.Fatalf("placement %q", s.Placement)
	}
	for i := range r.Tools {
		r.Tools[i].From = &span.Origin{Section: "tool:" + r.Tools[i].Name}
	}
	for i := range s.Messages {
		r.Messages = append(r.Messages, s.Messages[i].message(t, i))
	}
	return r
}

func parts(channel string, texts []string) []prompt.Part {
	var out []prompt.Part
	for i, s := range texts {
		p := prompt.Part{Text: span.Of(s, &span.Origin{Section: fmt.Sprintf("%s:%d", channel, i)})}
		if i > 0 {
			p.Sep = "\n\n"
		}
		out = append(out, p)
	}
	return out
}

func (m *specMessage) message(t *testing.T, i int) chat.Message {
	from := &span.Origin{Section: fmt.Sprintf("message:%d", i)}
	roles := map[string]chat.Role{"user": chat.User, "assistant": chat.Assistant, "tool": chat.Tool, "system": chat.System}
	role, ok := roles[m.Role]
	if !ok {
		t.Fatalf("role %q", m.Role)
	}
	out := chat.Message{Role: role}
	add := func(p chat.Part) { out.Parts = append(out.Parts, p) }
	if m.Reasoning != "" {
		add(chat.Part{Kind: chat.ReasoningPart, Text: span.Of(m.Reasoning, from)})
	}
	if m.Opaque != "" {
		add(chat.Part{Kind: chat.OpaquePart, Opaque: &chat.Opaque{Provider: m.Opaque, Type: "thinking", JSON: []byte("{}"), From: from}})
	}
	if m.Text != "" {
		add(chat.Part{Kind: chat.TextPart, Text: span.Of(m.Text, from)})
	}
	if m.Image != "" {
		add(chat.Part{Kind: chat.ImagePart, Image: &chat.Image{MediaType: m.Image, Data: []byte("pixels"), From: from}})
	}
	for _, c := range m.Calls {
		add(chat.Part{Kind: chat.CallPart, Call: &chat.ToolCall{ID: c.ID, Name: c.Name, Args: []byte(c.Args), From: from}})
	}
	for _, r := range m.Results {
		res := chat.ToolResult{ID: r.ID, Text: span.Of(r.Text, from)}
		if r.Image {
			res.Images = []chat.Image{{MediaType: "image/png", Data: []byte("pixels"), From: from}}
		}
		add(chat.Part{Kind: chat.ResultPart, Result: &res})
	}
	return out
}

// render is a body as the golden files write it: the bytes with a line break
// before every message, the marks with the text they cover, the losses.
func render(b wire.Body) string {
	var out strings.Builder
	fmt.Fprintf(&out, "-- body --\n%s\n-- marks --\n", b.JSON)
	for _, m := range b.Marks {
		name := "-"
		if m.From != nil {
			name = m.From.Section + m.From.Source
		}
		text := string(b.JSON[m.Lo:m.Hi])
		if len(text) > 60 {
			text = text[:60] + "…"
		}
		fmt.Fprintf(&out, "%s %d %s\n", name, m.Off, text)
	}
	out.WriteString("-- losses --\n")
	for _, l := range b.Losses {
		name := "-"
		if l.From != nil {
			name = l.From.Section
		}
		fmt.Fprintf(&out, "%s (%s)\n", l.Diagnostic, name)
	}
	return out.String()
}

func TestEncodeGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/encode/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			ar := txtar.Parse(raw)
			var s spec
			d := json.NewDecoder(bytes.NewReader(ar.Files[0].Data))
			d.DisallowUnknownFields()
			if err := d.Decode(&s); err != nil {
				t.Fatal(err)
			}
			b, err := openaichat.Dialect.Encode(nil, s.request(t))
			got := render(b)
			if err != nil {
				got = fmt.Sprintf("-- error --\n%v\n", err)
			} else {
				checkMarks(t, b)
			}
			head := string(txtar.Format(&txtar.Archive{Comment: ar.Comment, Files: ar.Files[:1]}))
			if *update {
				if err := os.WriteFile(file, []byte(head+got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(head+got, string(raw)); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
		})
	}
}
