package keeper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
)

// Bounds of what is handed over of a turn, in bytes.
const (
	maxSaid   = 8000 // of an input or answer
	maxArgs   = 500
	maxResult = 1000
	maxTurn   = 24 << 10
)

// A turn is what was said in one turn, as it is handed over.
type turn struct {
	session  string
	number   int
	lines    []string
	bytes    int
	left     int // lines that were left out
	answered bool
}

func (t *turn) size() int { return t.bytes }

// observe notes an event.
func (t *turn) observe(e session.Event, omit []string) {
	if e.Message == nil {
		return
	}
	switch e.Kind {
	case session.Input:
		t.add("User", textOf(*e.Message), maxSaid)
	case session.Answer:
		t.answered = true
		t.add("Assistant", textOf(*e.Message), maxSaid)
		for _, c := range e.Message.Calls() {
			t.add("Call of "+c.Name, string(c.Args), maxArgs)
		}
	case session.Stopped:
		t.add("Assistant", textOf(*e.Message), maxSaid)
	case session.Result:
		for _, r := range e.Message.Results() {
			if slices.Contains(omit, r.Name) {
				continue
			}
			who := "Result of " + r.Name
			if r.IsError {
				who = "Error of " + r.Name
			}
			t.add(who, ownText(r.Text), maxResult)
		}
	}
}

// add appends what somebody said. When the turn is full the oldest but the first
// goes: what was asked and what came of it say the most.
func (t *turn) add(who, text string, limit int) {
	text = shorten(strings.TrimSpace(text), limit)
	if text == "" {
		return
	}
	// Further lines are indented, so that none looks like another speaker.
	line := shorten(who, 100) + ": " + strings.ReplaceAll(text, "\n", "\n    ") + "\n"
	t.lines = append(t.lines, line)
	t.bytes += len(line)
	for t.bytes > maxTurn && len(t.lines) > 2 {
		t.bytes -= len(t.lines[1])
		t.lines = slices.Delete(t.lines, 1, 2)
		t.left++
	}
}

// text returns the turn as it is handed over.
func (t *turn) text() string {
	if t.left == 0 || len(t.lines) == 0 {
		return strings.Join(t.lines, "")
	}
	return t.lines[0] + fmt.Sprintf("[%d parts are left out]\n", t.left) + strings.Join(t.lines[1:], "")
}

// textOf returns what was said in a message, without reasoning.
func textOf(m chat.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		if p.Kind == chat.TextPart {
			b.WriteString(p.Text.String())
		}
	}
	return b.String()
}

// ownText returns a result without the instruction files that were handed over
// behind it.
func ownText(t span.Text) string {
	var b strings.Builder
	for _, s := range t {
		if s.From != nil && s.From.Source == "generated:nested" {
			break
		}
		b.WriteString(s.Text)
	}
	return b.String()
}

// shorten returns the beginning of a text, without what looks like a credential,
// also one that stands across the cut.
func shorten(text string, limit int) string {
	whole := len(text)
	if whole > 8*limit {
		text = strings.ToValidUTF8(text[:8*limit], "")
	}
	text = textnorm.Redact(textnorm.String(text))
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + fmt.Sprintf(" [cut; it has %d bytes]", whole)
	}
	return text
}
