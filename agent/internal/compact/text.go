package compact

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
)

// SummarySource is the source of the spans that a summary's own text consists of.
const SummarySource = "summary"

// caps are how many bytes of one text and of one result or argument are given to
// a summary, from the most to the least.
var caps = [][2]int{{16_384, 2_048}, {4_096, 512}, {1_024, 128}}

// Text returns what the first messages say, for a model to summarise, in at most
// about budget tokens, and how many bytes had to be left out of the middle of it
// although every single text was cut. An earlier summary stands first.
//
// It is the conversation alone: contexts, notices, and instructions that results
// handed over are no part of it. Every line of a message is indented, so that none
// can be taken for the head of another.
func Text(v session.View, at int, m Meter, budget int) (text string, left int) {
	for _, c := range caps {
		if text = render(v, at, c[0], c[1]); m.Tokens(text) <= budget {
			return text, 0
		}
	}
	n := m.Tokens(text)
	most := int(int64(len(text)) * int64(max(budget, 1)) / int64(n))
	head, tail := Head(text, most/4), text[len(text)-len(tailOf(text, most-most/4)):]
	left = len(text) - len(head) - len(tail)
	return head + fmt.Sprintf("\n[%d bytes of the conversation are left out here]\n", left) + tail, left
}

// Head returns at most n bytes of a text from its beginning, whole runes.
func Head(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)]
}

func tailOf(s string, n int) string {
	if n >= len(s) {
		return s
	}
	i := len(s) - max(n, 0)
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}

// middle leaves out the middle of a text that is longer than most bytes.
func middle(s string, most int) string {
	if len(s) <= most {
		return s
	}
	head, tail := Head(s, most*2/3), tailOf(s, most/3)
	return head + fmt.Sprintf("\n[… %d bytes …]\n", len(s)-len(head)-len(tail)) + tail
}

func render(v session.View, at, text, data int) string {
	var b strings.Builder
	for i, msg := range v.Messages[:at] {
		switch v.Places[i].Kind {
		case session.Compacted:
			if s := Summary(msg); s != "" {
				put(&b, "earlier summary", s)
			}
		case session.Input:
			put(&b, "user", middle(said(msg), text))
		case session.Answer:
			if s := said(msg); s != "" {
				put(&b, "assistant", middle(s, text))
			}
			for _, c := range msg.Calls() {
				put(&b, "call of "+oneLine(c.Name), middle(string(c.Args), data))
			}
		case session.RanResult:
			t := msg.Text()
			put(&b, "result of code", middle(t.Slice(0, before(t)).String(), data))
		case session.Result:
			for _, r := range msg.Results() {
				head := "result of " + oneLine(r.Name)
				if r.IsError {
					head = "error of " + oneLine(r.Name)
				}
				s := r.Text.Slice(0, before(r.Text)).String()
				put(&b, head, middle(s, data)+strings.Repeat("\n(image)", len(r.Images)))
			}
		}
	}
	return b.String()
}

// put writes a text under a head.
func put(b *strings.Builder, head, text string) {
	b.WriteString("[" + head + "]\n")
	for line := range strings.Lines(text) {
		b.WriteString("  " + line)
	}
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
}

// said returns what a person or a model wrote.
func said(msg chat.Message) string {
	var b strings.Builder
	for i := range msg.Parts {
		switch p := &msg.Parts[i]; p.Kind {
		case chat.TextPart:
			b.WriteString(p.Text.String())
		case chat.ImagePart:
			b.WriteString("\n(image)")
		}
	}
	return b.String()
}

// oneLine returns a name that cannot end its head.
func oneLine(name string) string {
	return Head(strings.Map(func(r rune) rune {
		if r < ' ' || r == ']' || r == '\u2028' || r == '\u2029' || r == '\u0085' {
			return '_'
		}
		return r
	}, name), 100)
}

// Summary returns the summary's own text in a message; empty: it holds none.
func Summary(msg chat.Message) string {
	var b strings.Builder
	for _, s := range msg.Text() {
		if s.From != nil && s.From.Source == SummarySource {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// SummaryOrigin is the origin of a summary's own text. A model wrote it from what
// users, tools and files said, so it is trusted as little as they are.
var SummaryOrigin = &span.Origin{Section: "summary", Source: SummarySource, Trust: span.Tool}
