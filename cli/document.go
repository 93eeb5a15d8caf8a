package cli

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
)

// A document is a session in Markdown. What the model wrote stands as it is, for
// it is Markdown mostly; what the user wrote is quoted, and what tools returned
// stands in fences that it cannot close.
type document struct {
	out  strings.Builder
	zone *time.Location
	turn int
}

func (d *document) begin(id string) { fmt.Fprintf(&d.out, "# Session %s\n", id) }

// block writes a paragraph, a heading or a fenced text.
func (d *document) block(text string) {
	if text = strings.Trim(text, "\n"); text != "" {
		d.out.WriteString("\n" + text + "\n")
	}
}

func (d *document) event(e session.Event) {
	if e.Turn > d.turn {
		d.turn = e.Turn
		d.block(fmt.Sprintf("## Turn %d, %s", e.Turn, e.Time.In(d.zone).Format("2006-01-02 15:04")))
	}
	switch e.Kind {
	case session.Input:
		d.input(e.Message)
	case session.Ran:
		d.block(fence(e.Code.Source, e.Code.Language))
	case session.Context, session.Notice, session.RanResult:
		name := e.Message.Name
		if name == "" {
			name = string(e.Kind)
		}
		d.details(name, fence(e.Message.Text().String(), ""))
	case session.Answer:
		d.answer(e.Message)
		if e.Stop != nil && e.Stop.Reason == "length" {
			d.block("*The answer is cut off.*")
		}
	case session.Result:
		for _, r := range e.Message.Results() {
			d.details("result of "+r.Name+": "+summary(r), fence(r.Text.String(), ""))
			for i := range r.Images {
				d.block(code(describeImage(&r.Images[i])))
			}
		}
	case session.Kept:
		d.details(e.State.Name, fence(describeState(e.State), ""))
	case session.Diagnostic:
		d.block(code(e.Diagnostic.String()))
	case session.Stopped:
		if e.Message != nil {
			d.answer(e.Message)
		}
		if e.Stop.Reason != "end" {
			d.block("*Stopped: " + code(strings.Join(strings.Fields(e.Stop.Reason+": "+e.Stop.Message+" "+e.Failure), " ")) + "*")
		}
	case session.Pruned, session.Compacted:
		d.block("*" + describeShorter(e) + "*")
		if c := e.Compaction; c != nil {
			for _, m := range c.Messages {
				d.details(m.Name, fence(m.Text().String(), ""))
			}
		}
	case session.Lost:
		d.block("*" + e.Loss.String() + "*")
	}
}

func (d *document) input(m *chat.Message) {
	for _, p := range m.Parts {
		text := p.Text.String()
		if p.Kind == chat.ImagePart {
			text = code(describeImage(p.Image))
		}
		var b strings.Builder
		for line := range strings.Lines(text) {
			b.WriteString("> " + line)
		}
		d.block(b.String())
	}
}

func (d *document) answer(m *chat.Message) {
	for _, p := range m.Parts {
		switch p.Kind {
		case chat.TextPart:
			d.block(p.Text.String())
		case chat.ReasoningPart:
			d.details("reasoning", fence(p.Text.String(), ""))
		case chat.CallPart:
			d.block("**" + code(p.Call.Name) + "**")
			d.block(fence(indented(p.Call.Args), "json"))
		case chat.ImagePart:
			d.block(code(describeImage(p.Image)))
		}
	}
}

// details writes a text that is folded where Markdown can.
func (d *document) details(title, text string) {
	d.block("<details><summary>" + html.EscapeString(oneLine(title, 160)) + "</summary>\n\n" + text + "\n\n</details>")
}

// indented returns JSON for reading, or the text as it is if it is none.
func indented(raw json.RawMessage) string {
	out, err := json.MarshalIndent(raw, "", "  ")
	if err != nil {
		return string(raw)
	}
	return string(out)
}

// htmlEscaped returns a text in one line as HTML.
func htmlEscaped(text string) string { return html.EscapeString(visibleLine(oneLine(text, 160))) }

// fence returns a text between fences that are longer than any in it.
func fence(text, lang string) string {
	mark := strings.Repeat("`", max(3, longest(text)+1))
	return mark + lang + "\n" + strings.TrimSuffix(text, "\n") + "\n" + mark
}

// code returns a text as code within a line.
func code(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	n := longest(text)
	if n == 0 {
		return "`" + text + "`"
	}
	mark := strings.Repeat("`", n+1)
	return mark + " " + text + " " + mark
}

// longest returns the length of the longest run of backquotes.
func longest(text string) int {
	most, n := 0, 0
	for i := range len(text) {
		if text[i] != '`' {
			n = 0
			continue
		}
		n++
		most = max(most, n)
	}
	return most
}
