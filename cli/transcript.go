package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
)

// A transcript prints recorded events for people: the number of each, what was
// said, and, folded, what was read.
type transcript struct {
	c    *command
	out  io.Writer
	full bool // fold nothing
	zone *time.Location
	turn int
	seq  uint64 // of the event whose number was not printed yet
	err  error  // of writing
}

// What is folded is shown by its first and last lines, none of them longer than
// foldWidth.
const (
	resultHead = 6
	resultTail = 2
	foldWidth  = 160
)

func (t *transcript) event(e session.Event) {
	if e.Turn > t.turn {
		t.turn = e.Turn
		title := fmt.Sprintf("── turn %d · %s ", e.Turn, e.Time.In(t.zone).Format("2006-01-02 15:04:05"))
		t.print("\n" + t.c.paint("1", title+strings.Repeat("─", max(0, 62-columns(title)))) + "\n")
	}
	t.seq = e.Seq
	switch e.Kind {
	case session.Input:
		t.say(e.Message, "> ")
	case session.Context, session.Notice, session.RanResult:
		t.folded(e.Message.Name, string(e.Kind), e.Message.Text().String())
	case session.ToolState:
		t.dim(describeTools(e.Tools))
	case session.Kept:
		t.lines(describeState(e.State), "", "", "2")
	case session.Requested:
		t.dim(describeRequest(e.Request))
	case session.Answer:
		t.say(e.Message, "")
		t.dim(describeAnswer(e))
	case session.Result:
		for _, r := range e.Message.Results() {
			t.result(r)
		}
	case session.Ran:
		t.lines(e.Code.Source, "$ ", "  ", "36")
	case session.RanCalls:
		t.say(e.Message, "")
	case session.Asked:
		t.lines(describeAsk(e.Ask), "? ", "  ", "33")
	case session.Replied:
		t.lines(describeReply(e.Reply), "> ", "  ", "")
	case session.Diagnostic:
		t.lines(e.Diagnostic.String(), "", "", "")
	case session.Stopped:
		if e.Message != nil {
			t.say(e.Message, "")
		}
		t.stop(e)
	case session.Pruned:
		t.dim(describeShorter(e))
	case session.Compacted:
		t.dim(describeShorter(e))
		for _, m := range e.Compaction.Messages {
			t.folded(m.Name, string(e.Kind), m.Text().String())
		}
		t.dim(describeAnswer(e))
	case session.Lost:
		t.lines("✗ "+e.Loss.String(), "", "", "31")
	}
}

// say prints a message of the user or the model.
func (t *transcript) say(m *chat.Message, mark string) {
	rest := strings.Repeat(" ", len(mark))
	for _, p := range m.Parts {
		switch p.Kind {
		case chat.TextPart:
			t.lines(strings.Trim(p.Text.String(), "\n"), mark, rest, "")
		case chat.ReasoningPart:
			t.folded("reasoning", "", p.Text.String())
		case chat.CallPart:
			args := string(p.Call.Args)
			if !t.full {
				args = oneLine(args, foldWidth)
			}
			t.lines(p.Call.Name+" "+args, "→ ", "  ", "36")
		case chat.ImagePart:
			t.lines(describeImage(p.Image), mark, rest, "")
		}
		mark = rest
	}
}

func (t *transcript) result(r chat.ToolResult) {
	about, colour := summary(r), "2"
	if r.IsError {
		about, colour = "error", "31"
	}
	t.lines("← "+r.Name+": "+about, "", "", colour)
	t.fold(r.Text.String())
	for i := range r.Images {
		t.lines(describeImage(&r.Images[i]), "  ", "  ", "2")
	}
}

func (t *transcript) stop(e session.Event) {
	text, colour := "■ "+e.Stop.Reason, "2"
	if e.Stop.Reason != "end" {
		colour = "33"
		if e.Stop.Message != "" {
			text += ": " + e.Stop.Message
		}
	}
	if e.Failure != "" {
		text, colour = text+": "+e.Failure, "31"
	}
	t.lines(text, "", "  ", colour)
}

// folded prints a text with a title.
func (t *transcript) folded(title, otherwise, text string) {
	if title == "" {
		title = otherwise
	}
	t.dim(title + ":")
	t.fold(text)
}

// fold prints a text, indented, and not all of it.
func (t *transcript) fold(text string) {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	fold := !t.full && len(lines) > resultHead+resultTail+1
	for i, line := range lines {
		switch {
		case fold && i == resultHead:
			t.dim(fmt.Sprintf("  ⋮ %d lines folded; --full shows them", len(lines)-resultHead-resultTail))
		case fold && i > resultHead && i < len(lines)-resultTail:
		default:
			if runes := []rune(line); !t.full && len(runes) > foldWidth {
				line = string(runes[:foldWidth-1]) + "…"
			}
			t.lines(line, "  ", "  ", "2")
		}
	}
}

func (t *transcript) dim(line string) {
	if line != "" {
		t.lines(line, "", "", "2")
	}
}

// lines prints a text behind the margin, the first line and the others each with
// a mark of their own.
func (t *transcript) lines(text, first, rest, colour string) {
	for line := range strings.SplitSeq(text, "\n") {
		margin := "      "
		if t.seq > 0 {
			margin = fmt.Sprintf("%4d  ", t.seq)
			t.seq = 0
		}
		line = visibleLine(strings.TrimSuffix(first+line, "\r"))
		if colour != "" && line != "" {
			line = t.c.paint(colour, line)
		}
		t.print(strings.TrimRight(t.c.paint("2", margin)+line, " ") + "\n")
		first = rest
	}
}

func (t *transcript) print(s string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.out, s)
	}
}

func describeAsk(a *session.Ask) string {
	if a.Text != "" {
		return a.Tool + " asks: " + a.Text
	}
	text := "may " + a.Tool + " run? " + a.Why
	if a.Command != "" {
		text += "\n" + a.Command
	}
	for _, t := range a.Targets {
		text += "\n" + t.Asked
		if t.Real != t.Asked && t.Real != "" {
			text += ", which is " + t.Real
		}
	}
	return text
}

func describeReply(r *session.Reply) string {
	text := r.Text
	switch r.Verdict {
	case "once":
		text = "yes, once"
	case "session":
		text = "yes, for the session: this call"
		if len(r.Rules) > 0 {
			text = "yes, for the session: " + strings.Join(r.Rules, ", ")
		}
	case "deny":
		text = "no"
		if r.Note != "" {
			text += ": " + r.Note
		}
	}
	return text
}

func describeRequest(r *session.Request) string {
	text := "request"
	if r.Model != "" {
		text += " to " + r.Model
	}
	if r.Dialect != "" {
		text += " (" + r.Dialect + ")"
	}
	if r.Bytes > 0 {
		text += ", " + plural(r.Bytes, "byte")
	}
	return text
}

// describeTools returns what the model is shown from here on.
func describeTools(tools *session.Tools) string {
	names := make([]string, len(tools.Block))
	for i := range tools.Block {
		names[i] = tools.Block[i].Name
	}
	text := "tools: " + strings.Join(names, ", ")
	if len(names) == 0 {
		text = "no tools"
	}
	if tools.Frozen {
		text += " (frozen)"
	}
	return text
}

// describeShorter says how the history was made shorter.
func describeShorter(e session.Event) string {
	if e.Kind == session.Pruned {
		return fmt.Sprintf("made room: the middle of %s is sent no longer", plural(len(e.Cuts), "old result"))
	}
	text := fmt.Sprintf("made room: a summary takes the place of the conversation up to event %d", e.Compaction.Through)
	if c := e.Compaction; c.Before > 0 {
		text += fmt.Sprintf("; about %s tokens instead of %s", grouped(c.After), grouped(c.Before))
	}
	return text
}

// describeAnswer returns what an answer used and why it ended, if that is worth
// a line.
func describeAnswer(e session.Event) string {
	var parts []string
	if e.Usage != nil {
		parts = append(parts, describeUsage(*e.Usage))
	}
	if e.Stop != nil && e.Stop.Reason != "end" && e.Stop.Reason != "tools" {
		parts = append(parts, "stopped: "+e.Stop.Reason)
	}
	return strings.Join(parts, "; ")
}

// describeUsage shows tokens; what was not reported is left out.
func describeUsage(u session.Usage) string {
	var parts []string
	add := func(n *int, what string) {
		if n != nil {
			parts = append(parts, grouped(*n)+" "+what)
		}
	}
	add(u.Input, "tokens in")
	add(u.Cached, "of them cached")
	add(u.CacheWrite, "written to the cache")
	add(u.Output, "tokens out")
	add(u.Reasoning, "of them reasoning")
	return strings.Join(parts, ", ")
}

// grouped shows a number with commas between thousands.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func describeImage(i *chat.Image) string {
	if i.URL != "" {
		return "[image " + i.URL + "]"
	}
	return fmt.Sprintf("[image %s, %s]", i.MediaType, plural(len(i.Data), "byte"))
}
