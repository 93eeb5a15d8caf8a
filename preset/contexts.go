package preset

import (
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// ContextName is the Name of messages that carry the context channel.
const ContextName = "context"

const (
	headSource = "generated:context"
	replaced   = ", in place of the earlier one"
	gone       = ", no longer holds"
)

// Deltas tells the model of the context channel section by section: the first
// time every section, later only those whose text changed, each naming what it
// replaces, and those that are gone. Nothing changed: no message. What the model
// knows is read from the history, so it survives a resume, and a history that was
// shortened is told anew.
func Deltas(history []chat.Message, a prompt.Assembly) []chat.Message {
	known := tell(history)
	var text span.Text
	add := func(name, how string, body span.Text) {
		head := &span.Origin{Section: name, Source: headSource}
		if len(text) > 0 {
			text = append(text, span.Span{Text: prompt.DefaultSep, From: separator, Off: span.NoOffset})
		}
		line := "[context: " + name + how + "]"
		if len(body) > 0 {
			line += "\n"
		}
		text = append(text, span.Span{Text: line, From: head, Off: span.NoOffset})
		text = append(text, body...)
	}
	live := map[string]bool{}
	for _, p := range a.Parts(prompt.Context) {
		live[p.Name] = true
		old, ok := known.texts[p.Name]
		switch {
		case !ok:
			add(p.Name, "", p.Text)
		case old != p.Text.String():
			add(p.Name, replaced, p.Text)
		}
	}
	for _, name := range known.order {
		if _, ok := known.texts[name]; ok && !live[name] {
			add(name, gone, nil)
		}
	}
	return message(text)
}

var separator = span.Generated("separator")

func message(text span.Text) []chat.Message {
	if len(text) == 0 {
		return nil
	}
	m := chat.TextMessage(chat.User, text)
	m.Name = ContextName
	return []chat.Message{m}
}

// A telling is what a history tells of the context channel.
type telling struct {
	texts map[string]string // the latest text of each section that holds
	order []string          // names in the order in which they were first told
}

func tell(history []chat.Message) telling {
	t := telling{texts: map[string]string{}}
	seen := map[string]bool{}
	for _, m := range history {
		if m.Name != ContextName {
			continue
		}
		name, inside := "", false
		for _, s := range m.Text() {
			switch {
			case s.From != nil && s.From.Source == headSource:
				name, inside = s.From.Section, true
				if !seen[name] {
					seen[name] = true
					t.order = append(t.order, name)
				}
				if s.Text == "[context: "+name+gone+"]" {
					delete(t.texts, name)
					inside = false
				} else {
					t.texts[name] = ""
				}
			case s.From != nil && s.From.Source == separator.Source:
				inside = false
			case inside:
				t.texts[name] += s.Text
			}
		}
	}
	return t
}

// Snapshots returns a Contexts function that sends the whole channel whenever it
// differs from what was sent last, and the text of cleared once when a channel
// that had text has none (reference-deepseek.md §4).
func Snapshots(cleared string) func([]chat.Message, prompt.Assembly) []chat.Message {
	from := span.Generated("context-cleared")
	return func(history []chat.Message, a prompt.Assembly) []chat.Message {
		var last *string
		for i := len(history) - 1; i >= 0 && last == nil; i-- {
			if history[i].Name == ContextName {
				s := history[i].Text().String()
				last = &s
			}
		}
		text := a.Text(prompt.Context)
		if len(text) == 0 {
			if last == nil {
				return nil
			}
			text = span.OfGenerated(cleared, from)
		}
		if last != nil && *last == text.String() {
			return nil
		}
		return message(text)
	}
}
