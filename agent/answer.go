package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
)

// A builder puts the parts of an answer together in the order in which they
// began, which some providers insist on when they get the answer back.
type builder struct {
	parts []chat.Part
	open  strings.Builder // the text of the last part, if it is one
	calls map[int]int     // the place of each call by its index
}

func (b *builder) add(p chat.Part) {
	b.close()
	b.parts = append(b.parts, p)
}

// text adds to the last part if it is of the kind, else to a new one.
func (b *builder) text(k chat.Kind, s string) {
	if s == "" {
		return
	}
	if n := len(b.parts); b.open.Len() == 0 || b.parts[n-1].Kind != k {
		b.add(chat.Part{Kind: k})
	}
	b.open.WriteString(s)
}

func (b *builder) close() {
	if b.open.Len() > 0 {
		b.parts[len(b.parts)-1].Text = span.Of(validUTF8(b.open.String()), modelOrigin)
		b.open.Reset()
	}
}

// begin keeps the place of a call.
func (b *builder) begin(index int) {
	if b.calls == nil {
		b.calls = map[int]int{}
	}
	if _, ok := b.calls[index]; ok {
		return
	}
	b.add(chat.Part{Kind: chat.CallPart})
	b.calls[index] = len(b.parts) - 1
}

func (b *builder) call(index int, c chat.ToolCall) {
	b.begin(index)
	c.From = modelOrigin
	if p := &b.parts[b.calls[index]]; p.Call == nil {
		p.Call = &c
		return
	}
	b.add(chat.Part{Kind: chat.CallPart, Call: &c}) // an index that was used before
}

// done returns the parts; a call that began and never ended is none.
func (b *builder) done() []chat.Part {
	b.close()
	return slices.DeleteFunc(b.parts, func(p chat.Part) bool { return p.Kind == chat.CallPart && p.Call == nil })
}

// unique gives calls whose id is missing, or was given twice in one answer, an id
// of our own.
func (r *run) unique(parts []chat.Part) []chat.Part {
	seen := map[string]bool{}
	for i := range parts {
		c := parts[i].Call
		if c == nil {
			continue
		}
		for n := i + 1; c.ID == "" || seen[c.ID]; n++ {
			c.ID = fmt.Sprintf("call-%d-%d-%d", r.turnNo, r.step, n)
		}
		seen[c.ID] = true
	}
	return parts
}
