package dialect

import (
	"fmt"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// NotKnown is why an option is left out that the capability record lacks.
const NotKnown = "this model is not known to understand it"

// Drop reports an option that is left out.
func (e *Encoder) Drop(sev prompt.Severity, what, why string) {
	e.Lose(sev, wire.CodeDropped, what+" is not sent: "+why, nil)
}

// DropImage reports an image that the model cannot see.
func (e *Encoder) DropImage(img *chat.Image) {
	if e.Cap.Images {
		e.Lose(prompt.Warning, wire.CodeDropped, "an image without data is not sent", img.From)
		return
	}
	e.Lose(prompt.Warning, wire.CodeDropped, "an image is not sent: this model is not known to see images", img.From)
}

// LeaveOut reports an assistant message that holds nothing to send.
func (e *Encoder) LeaveOut(m *chat.Message) {
	e.Lose(prompt.Info, wire.CodeDropped, "an assistant message without text and calls is not sent", FirstOrigin(m))
}

// Unfit reports a part that its message cannot carry.
func (e *Encoder) Unfit(m *chat.Message, p *chat.Part) {
	var from *span.Origin
	what := p.Kind.String()
	sev := prompt.Warning
	switch {
	case p.Kind == chat.ReasoningPart:
		sev = prompt.Info
		if len(p.Text) > 0 {
			from = p.Text[0].From
		}
	case p.Opaque != nil:
		sev = prompt.Info
		from, what = p.Opaque.From, fmt.Sprintf("%s payload of %s", p.Opaque.Type, p.Opaque.Provider)
	case p.Image != nil:
		from = p.Image.From
	case p.Call != nil:
		from = p.Call.From
	}
	e.Lose(sev, wire.CodeDropped, fmt.Sprintf("%s in a message of role %s is not sent", what, m.Role), from)
}

// Args returns the arguments of a call as they are sent: what is no JSON object
// is replaced where the provider demands one.
func (e *Encoder) Args(c *chat.ToolCall) string {
	if !e.Cap.AnyArgs {
		if err := wire.CheckArgs(c.Args); err != nil {
			e.Lose(prompt.Warning, wire.CodeDowngraded, fmt.Sprintf("call %q of tool %q: %v: sent as {}", c.ID, c.Name, err), c.From)
			return "{}"
		}
	}
	return string(c.Args)
}
