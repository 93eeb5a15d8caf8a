package anthropic

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// turn writes one message: the content blocks of all messages that join it.
type turn struct {
	e       *dialect.Encoder
	role    string
	open    bool // the message was begun
	slot    int  // the closing brace of a block of the present message that can carry a breakpoint; 0: none
	results int  // results of the turn that are still to come
}

// begin writes what stands before a content block, without its opening brace.
func (t *turn) begin() {
	if t.open {
		t.e.Raw(",")
		return
	}
	t.open = true
	t.e.Next()
	t.e.Raw(`{"role":"`)
	t.e.Raw(t.role)
	t.e.Raw(`","content":[`)
}

// end closes a content block that can carry a breakpoint.
func (t *turn) end() {
	t.slot = len(t.e.JSON)
	t.e.Raw("}")
}

func (t *turn) close() {
	if t.open {
		t.e.Raw("]}")
	}
}

func (t *turn) messages(lo, hi int) {
	p := t.e.Own.(*plan)
	for i := lo; i < hi; i++ {
		if t.e.Msgs[i].Role == chat.Tool {
			t.results += count(&t.e.Msgs[i], chat.ResultPart)
		}
	}
	for i := lo; i < hi; i++ {
		t.slot = 0
		t.message(&t.e.Msgs[i])
		if pt := p.point(wire.AfterMessage, i); pt != nil && t.slot > 0 {
			breakpoint(t.e, t.slot, "message", pt.TTL)
		}
	}
}

func (t *turn) message(m *chat.Message) {
	if m.Role == chat.Assistant && !sends(t.e.Cap, m) {
		for i := range m.Parts {
			if m.Parts[i].Kind != chat.TextPart {
				t.e.Unfit(m, &m.Parts[i])
			}
		}
		t.e.LeaveOut(m)
		return
	}
	last := lastOf(m)
	for i := range m.Parts {
		t.part(m, &m.Parts[i], i < last)
	}
}

// lastOf returns the index of the last part that may end a turn.
func lastOf(m *chat.Message) int {
	for i := len(m.Parts) - 1; i >= 0; i-- {
		p := &m.Parts[i]
		if p.Kind == chat.TextPart && !p.Text.IsBlank() || p.Kind == chat.CallPart ||
			standsAlone(p) {
			return i
		}
	}
	return -1
}

// part writes a part that its message can carry. More says that a part follows
// that may end a turn.
func (t *turn) part(m *chat.Message, p *chat.Part, more bool) {
	assistant, tool := m.Role == chat.Assistant, m.Role == chat.Tool
	switch {
	case p.Kind == chat.TextPart && !tool:
		t.text(p.Text)
	case p.Kind == chat.ImagePart && p.Image != nil && m.Role == chat.User:
		t.picture(p.Image)
	case p.Kind == chat.CallPart && p.Call != nil && assistant:
		t.call(p.Call)
	case p.Kind == chat.ResultPart && p.Result != nil && tool:
		t.result(p.Result)
	case replays(p) && assistant && (more || !isThinking(p.Opaque)):
		t.opaque(m, p)
	default:
		t.e.Unfit(m, p)
	}
}

// text writes a text block. The protocol refuses one without a visible character.
func (t *turn) text(s span.Text) {
	if s.IsBlank() {
		t.dropBlank(s)
		return
	}
	t.begin()
	t.e.Raw(`{"type":"text","text":"`)
	t.e.Text(s)
	t.e.Raw(`"`)
	t.end()
}

func (t *turn) dropBlank(s span.Text) {
	if s.Len() > 0 {
		t.e.Lose(prompt.Info, wire.CodeDropped, "a text of nothing but white space is not sent: the protocol refuses it", s[0].From)
	}
}

func (t *turn) picture(img *chat.Image) {
	if t.dropPicture(img) {
		return
	}
	t.begin()
	t.image(img)
	t.end()
}

// dropPicture reports an image that cannot be sent.
func (t *turn) dropPicture(img *chat.Image) bool {
	switch {
	case !t.e.Cap.Images:
		t.e.DropImage(img)
	case !sendsImage(t.e.Cap, img):
		t.e.Lose(prompt.Warning, wire.CodeDropped, "an image without data is not sent", img.From)
	default:
		return false
	}
	return true
}

func (t *turn) call(c *chat.ToolCall) {
	t.begin()
	t.e.Raw(`{"type":"tool_use","id":`)
	t.e.Quoted(t.e.Own.(*plan).ids.add(c.ID))
	t.e.Raw(`,"name":"`)
	t.e.Inside(c.Name, c.From, span.NoOffset)
	t.e.Raw(`","input":`)
	t.e.Value(t.input(c), c.From)
	t.end()
}

// input returns the arguments of a call as the model wrote them. What the
// protocol cannot carry is replaced: the body must be valid in all its depth.
func (t *turn) input(c *chat.ToolCall) []byte {
	// One member cannot have the name of another: this takes no memory to see.
	if isObject(c.Args) && bytes.Count(c.Args, []byte{':'}) < 2 && utf8.Valid(c.Args) && !surrogates(c.Args) {
		return c.Args
	}
	if err := wire.CheckArgs(c.Args); err != nil {
		t.e.Lose(prompt.Warning, wire.CodeDowngraded,
			fmt.Sprintf("call %q of tool %q: %v: sent as {}", c.ID, c.Name, err), c.From)
		return []byte("{}")
	}
	if c.Args[0] == '{' && utf8.Valid(c.Args) && !surrogates(c.Args) {
		return c.Args
	}
	out, _ := wire.CanonicalJSON(c.Args) // it is valid, see above
	return out
}

// surrogates reports whether JSON holds an escaped surrogate, which may be half
// of a pair.
func surrogates(raw []byte) bool {
	return bytes.Contains(raw, []byte(`\ud`)) || bytes.Contains(raw, []byte(`\uD`))
}

// NoText is the content of an error result without any, which the protocol
// refuses.
const NoText = "(no text)"

var noText = span.OfGenerated(NoText, span.Generated("repair"))

func (t *turn) result(r *chat.ToolResult) {
	sent := t.e.Own.(*plan).ids.sent
	t.begin()
	t.e.Raw(`{"type":"tool_result","tool_use_id":`)
	t.e.Quoted(sent[len(sent)-t.results])
	t.results--
	t.content(r)
	if r.IsError {
		t.e.Raw(`,"is_error":true`)
	}
	t.end()
}

// content writes what a result says: a string, or a list if it has images.
func (t *turn) content(r *chat.ToolResult) {
	text, images := r.Text, make([]*chat.Image, 0, len(r.Images))
	for i := range r.Images {
		if img := &r.Images[i]; !t.dropPicture(img) {
			images = append(images, img)
		}
	}
	if text.IsBlank() {
		t.dropBlank(text)
		if text = nil; r.IsError && len(images) == 0 {
			text = noText
		}
	}
	switch {
	case len(images) == 0 && text == nil:
	case len(images) == 0:
		t.e.Raw(`,"content":"`)
		t.e.Text(text)
		t.e.Raw(`"`)
	default:
		t.e.Raw(`,"content":[`)
		if text != nil {
			t.e.Raw(`{"type":"text","text":"`)
			t.e.Text(text)
			t.e.Raw(`"}`)
		}
		for _, img := range images {
			t.e.Next()
			t.image(img)
			t.e.Raw("}")
		}
		t.e.Raw("]")
	}
}

// opaque writes a payload of the protocol as it came.
func (t *turn) opaque(m *chat.Message, p *chat.Part) {
	if !isObject(p.Opaque.JSON) {
		t.e.Unfit(m, p)
		return
	}
	t.begin()
	t.e.Value(p.Opaque.JSON, p.Opaque.From)
}
