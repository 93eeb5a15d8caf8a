package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
)

// A shower prints the events of a run for people: the answer to standard output
// as it arrives, what the agent does to standard error.
type shower struct {
	c      *command
	b      *bench
	live   bool            // print the answer
	inside bool            // the last thing printed does not end its line
	asked  *chat.ToolCall  // whose change was shown last, with a question
	calls  []chat.ToolCall // of the last answer that did not run yet
}

func (s *shower) event(e session.Event) {
	switch e.Kind {
	case session.DeltaText:
		if s.live && e.Delta != "" {
			fmt.Fprint(s.c.p.Stdout, visible(e.Delta))
			s.inside = !strings.HasSuffix(e.Delta, "\n")
		}
	case session.Answer:
		s.end()
		s.calls = e.Message.Calls()
	case session.Ran:
		s.c.dim("→ code " + oneLine(e.Code.Source, 100))
	case session.Call:
		s.calls = slices.DeleteFunc(s.calls, func(c chat.ToolCall) bool { return c.ID == e.Call.ID })
		s.c.dim("→ " + e.Call.Name + " " + oneLine(string(e.Call.Args), 100))
		if !s.c.flags.quiet && !same(s.asked, e.Call) {
			s.change(e.Call)
		}
		s.asked = nil
	case session.Result:
		for _, r := range e.Message.Results() {
			for _, c := range s.calls { // one that was refused did not begin
				if c.ID == r.ID {
					s.c.dim("→ " + c.Name + " " + oneLine(string(c.Args), 100))
				}
			}
			s.calls = slices.DeleteFunc(s.calls, func(c chat.ToolCall) bool { return c.ID == r.ID })
			s.c.dim("  " + summary(r))
		}
	case session.Kept:
		for line := range strings.SplitSeq(describeState(e.State), "\n") {
			s.c.dim("  " + line)
		}
	case session.Diagnostic:
		if e.Diagnostic.Severity > prompt.Info { // proem prompt shows the rest
			s.c.diagnose([]prompt.Diagnostic{*e.Diagnostic})
		}
	case session.Pruned, session.Compacted:
		s.end()
		s.c.dim(describeShorter(e))
	case session.Lost:
		s.c.say("warning session.damaged: %s", e.Loss)
	}
}

// ask shows what a call would change in a file. It reports whether there is
// something to show; the call, once it runs, does not show it again.
func (s *shower) ask(call *chat.ToolCall) bool {
	shown := s.change(call)
	if shown {
		s.asked = call
	}
	return shown
}

// same reports whether two calls are one. Their ids do not say: some hosts use an
// id again in each turn.
func same(a, b *chat.ToolCall) bool {
	return a != nil && a.ID == b.ID && a.Name == b.Name && bytes.Equal(a.Args, b.Args)
}

// change shows what a call changes in a file, and reports whether there is
// something to show.
func (s *shower) change(call *chat.ToolCall) bool {
	if s.b == nil {
		return false
	}
	text := s.b.changeOf(call)
	if text == "" {
		return false
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		s.c.diffLine(line)
	}
	return true
}

// end ends the line if one is begun.
func (s *shower) end() {
	if s.inside {
		fmt.Fprintln(s.c.p.Stdout)
		s.inside = false
	}
}

// summary says what a tool returned, in a line.
func summary(r chat.ToolResult) string {
	text := r.Text.String()
	if r.IsError {
		return "error: " + oneLine(text, 400)
	}
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if text == "" {
		lines = 0
	}
	return plural(lines, "line") + ", " + plural(len(text), "byte")
}

// plural returns a number of things.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// oneLine shortens a text to a line of at most n runes.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	runes := []rune(s)
	if len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return s
}
