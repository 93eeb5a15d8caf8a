package preset

import (
	"slices"
	"strings"
	"unicode/utf8"

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
			text = append(text, blankLine)
		}
		line := "[context: " + name + how + "]"
		if len(body) > 0 {
			line += "\n"
		}
		text = append(text, span.Span{Text: line, From: head, Off: span.NoOffset})
		text = append(text, body...)
	}
	live := map[string]bool{}
	for _, p := range byName(a.Parts(prompt.Context)) {
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

// byName joins parts of one name, at the place of the first: what the model is
// told of is a name.
func byName(parts []prompt.Part) []prompt.Part {
	var out []prompt.Part
	for _, p := range parts {
		p.Text = valid(p.Text)
		i := slices.IndexFunc(out, func(o prompt.Part) bool { return o.Name == p.Name })
		if i < 0 {
			out = append(out, p)
			continue
		}
		out[i].Text = span.Concat(out[i].Text, span.Text{blankLine}, p.Text)
	}
	return out
}

// valid returns the text as a log will have it: the log knows no bytes that are
// not UTF-8, and what is sent, and compared with the next text, must be what a
// session that is read again has.
func valid(t span.Text) span.Text {
	if !slices.ContainsFunc(t, func(s span.Span) bool { return !utf8.ValidString(s.Text) }) {
		return t
	}
	t = slices.Clone(t)
	for i := range t {
		t[i].Text = strings.ToValidUTF8(t[i].Text, "\uFFFD")
	}
	return t
}

var (
	separator = span.Generated("separator")
	blankLine = span.Span{Text: prompt.DefaultSep, From: separator, Off: span.NoOffset}
)

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
		gap := "" // a separator that belongs to the text unless a head follows
		for _, s := range m.Text() {
			switch {
			case s.From != nil && s.From.Source == headSource:
				name, inside, gap = s.From.Section, true, ""
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
			case !inside:
			case s.From != nil && s.From.Source == separator.Source:
				t.texts[name] += gap
				gap = s.Text
			default:
				t.texts[name] += gap + s.Text
				gap = ""
			}
		}
		if inside {
			t.texts[name] += gap
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
		text := valid(a.Text(prompt.Context))
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
