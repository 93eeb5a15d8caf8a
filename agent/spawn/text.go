package spawn

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
	"github.com/proemhq/proem/tool"
)

// oneLine returns how a text begins.
func oneLine(s string, most int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if len(s) <= most {
		return s
	}
	return s[:boundary(s, most)] + "…"
}

// boundary returns the last place up to n where a rune begins.
func boundary(s string, n int) int {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// cut returns a text of about so many bytes at most, without its middle.
func cut(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	head, tail := boundary(s, most/2), boundary(s, len(s)-most/2)
	return fmt.Sprintf("%s\n[%d of %d bytes are left out here]\n%s", s[:head], tail-head, len(s), s[tail:])
}

func said(format string, args ...any) span.Text {
	return span.OfGenerated(fmt.Sprintf(format, args...), span.Generated("subagent"))
}

// fenced returns what a child wrote. It is trusted as little as a tool.
func (c *child) fenced(text string) span.Text {
	from := &span.Origin{Section: c.id, Source: "subagent", Trust: span.Tool}
	return stage.Enclose("subagent", c.parent.Agent+" "+c.id, span.Tool, span.Of(text, from))
}

// result is what the parent is told of a turn in the foreground.
func (c *child) result(o outcome) tool.Result {
	r := tool.Result{IsError: o.state != Completed}
	if r.IsError {
		r.Text = said("The subagent %s (%s) ended without a complete answer: %s.", c.parent.Agent, c.id, o.why)
	} else {
		r.Text = said("The subagent %s (%s) answers:", c.parent.Agent, c.id)
	}
	if o.text != "" {
		if r.IsError {
			r.Text = append(r.Text, said(" The last that it said:")...)
		}
		r.Text = append(append(r.Text, said("\n")...), c.fenced(o.text)...)
	}
	return r
}

var attribute = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;", "\n", " ")

// notice tells the ends of tasks, of which more follow.
func notice(ended []*child, more int) (span.Text, []session.Task) {
	text := said("Work that you gave to subagents in the background has ended:\n")
	var tasks []session.Task
	for _, c := range ended {
		o := c.first
		if o.state == Waiting {
			o.state = Failed
		}
		tasks = append(tasks, session.Task{ID: c.id, Agent: c.parent.Agent, State: o.state})
		text = append(text, said("<task id=\"%s\" state=\"%s\" agent=\"%s\">\n", c.id, o.state, attribute.Replace(c.parent.Agent))...)
		if o.why != "" {
			text = append(text, said("%s\n", attribute.Replace(o.why))...)
		}
		if o.text != "" {
			text = append(append(text, c.fenced(o.text)...), said("\n")...)
		}
		text = append(text, said("</task>\n")...)
	}
	if more > 0 {
		text = append(text, said("%d more have ended; you are told of them before your next step.\n", more)...)
	}
	return text, tasks
}

// question puts what a child asks into words for whom its parent asks.
func (c *child) question(a session.Ask) *tool.Pending {
	who := fmt.Sprintf("The subagent %s (%s)", oneLine(c.parent.Agent, 80), c.id)
	if a.Text != "" {
		return &tool.Pending{Question: who + " asks: " + a.Text, Choices: a.Choices}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s wants to call %s: %s", who, a.Tool, a.Why)
	if a.Command != "" {
		fmt.Fprintf(&b, "\n    $ %s", strings.ReplaceAll(a.Command, "\n", "\n    $ "))
		if a.Cwd != "" {
			fmt.Fprintf(&b, "\n    in %s", a.Cwd)
		}
	}
	for _, t := range a.Targets {
		switch t.Real {
		case "":
			fmt.Fprintf(&b, "\n    %s (where that leads is not known)", t.Asked)
		case t.Asked:
			fmt.Fprintf(&b, "\n    %s", t.Asked)
		default:
			fmt.Fprintf(&b, "\n    %s, which is %s", t.Asked, t.Real)
		}
	}
	if a.Command == "" {
		fmt.Fprintf(&b, "\n    %s", oneLine(string(a.Args), 4000))
	}
	return &tool.Pending{Question: strings.ToValidUTF8(b.String(), "\uFFFD"), Choices: []string{"deny", "once", "session"}}
}

// reply makes of a person's words the reply to what a child asks. What is no
// verdict refuses, and the child is told the words.
func reply(a session.Ask, answer string) session.Reply {
	if a.Text != "" {
		return session.Reply{Call: a.Call, Text: answer}
	}
	r := session.Reply{Call: a.Call, Digest: a.Digest, Verdict: "deny"}
	switch word := strings.ToLower(strings.TrimSpace(answer)); word {
	case "once", "session":
		r.Verdict = word
	case "deny", "":
	default:
		r.Note = answer
	}
	return r
}
