package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool/permit"
)

// A chatCommand is something that can be entered instead of an input.
type chatCommand struct {
	name, args, doc string
	run             func(*talk, context.Context, string) error
}

// chatCommands returns the commands in the order in which /help shows them.
func chatCommands() []chatCommand {
	return []chatCommand{
		{"help", "", "show this", (*talk).help},
		{"prompt", "[INPUT]", "show what the next request would contain", (*talk).prompt},
		{"explain", "[QUERY]", "show where a section, tool, file or text of the next request came from", (*talk).explain},
		{"wire", "[DIALECT]", "show the exact body of the next request", (*talk).wire},
		{"cost", "", "show the tokens used so far", (*talk).cost},
		{"compact", "", "have the conversation so far summarised, to make room", (*talk).compact},
		{"mode", "[MODE]", "show or set what happens without asking: plan, default, accept-edits, bypass", (*talk).setMode},
		{"plan", "[on|off]", "show the plan, or turn plan mode on or off: what changes something is refused while it is on", (*talk).plan},
		{"todos", "", "show what the agent is about to do", (*talk).todos},
		{"history", "", "list the inputs so far", (*talk).history},
		{"again", "[N]", "send the last input, or number N, once more", (*talk).again},
		{"new", "", "begin a new session", (*talk).anew},
		{"sessions", "", "list the sessions of this project", (*talk).sessions},
		{"quit", "", "leave; so does Ctrl-D", func(*talk, context.Context, string) error { return errLeave }},
	}
}

// chatCommandOf splits a command from what follows it. A path like /etc/hosts is
// none.
func chatCommandOf(text string) (name, rest string, ok bool) {
	text, ok = strings.CutPrefix(text, "/")
	if !ok || strings.Contains(text, "\n") {
		return "", "", false
	}
	name, rest, _ = strings.Cut(text, " ")
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) {
		return "", "", false
	}
	return name, strings.TrimSpace(rest), true
}

func (t *talk) command(ctx context.Context, name, rest string) error {
	all := chatCommands()
	for _, k := range all {
		switch {
		case k.name != name:
		case k.args == "" && rest != "":
			return fmt.Errorf("/%s takes nothing: unexpected %q", name, rest)
		default:
			return k.run(t, ctx, rest)
		}
	}
	names := make([]string, len(all))
	for i, k := range all {
		names[i] = k.name
	}
	hint := "/help lists them; an input that begins with / is sent if a blank stands before it"
	if best := near.Best(name, names); best != "" {
		hint = "did you mean /" + best + "? " + hint
	}
	return fmt.Errorf("unknown command /%s: %s", name, hint)
}

func (t *talk) help(context.Context, string) error {
	var rows [][]string
	for _, k := range chatCommands() {
		rows = append(rows, []string{"  /" + strings.TrimSpace(k.name+" "+k.args), k.doc})
	}
	for _, line := range table(rows, 2) {
		fmt.Fprintln(t.out, line)
	}
	fmt.Fprint(t.out, `
Everything else is an input for the agent. A line that ends with \ goes on in
the next one; a text of several lines can stand between """ and """.
Ctrl-C stops an answer, or gives up the line that was begun; twice leaves.
`)
	return nil
}

// prompt shows the table of what the next request would contain.
func (t *talk) prompt(ctx context.Context, input string) error {
	p, err := t.b.agent.Preview(ctx, t.id, agent.Input{Text: input})
	if err != nil {
		return err
	}
	report, _, err := t.c.report(t.b, p)
	if err != nil {
		return err
	}
	var out strings.Builder
	t.c.sectionTable(&out, t.b, report)
	history := p.Request.Messages[:max(0, len(p.Request.Messages)-len(p.Contexts))]
	tokens := 0
	for _, m := range history {
		tokens += t.size(m)
	}
	about := "estimated"
	if report.Tokens.Exact {
		about = "counted"
	}
	fmt.Fprintf(&out, "and %s of the conversation: %s tokens (%s); the body for %s has %s bytes\n",
		plural(len(history), "message"), grouped(tokens), about, t.b.model.dialect, grouped(len(p.Body.JSON)))
	_, err = fmt.Fprint(t.out, out.String())
	return err
}

// size returns the tokens of what a message says.
func (t *talk) size(m chat.Message) int {
	n := t.b.counter.Count(m.Text().String())
	for _, call := range m.Calls() {
		n += t.b.counter.Count(call.Name) + t.b.counter.Count(string(call.Args))
	}
	for _, r := range m.Results() {
		n += t.b.counter.Count(r.Text.String())
	}
	return n
}

// wire shows the exact body of the next request.
func (t *talk) wire(ctx context.Context, dialect string) error {
	if dialect == "" {
		dialect = t.b.model.dialect
	}
	if !slices.Contains(dialects, dialect) {
		return fmt.Errorf("/wire %s: this version speaks %s", dialect, strings.Join(dialects, ", "))
	}
	p, err := t.b.agent.Preview(ctx, t.id, agent.Input{})
	if err != nil {
		return err
	}
	_, bodies, err := t.c.report(t.b, p)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(t.out, visible(string(bodies[dialect].JSON)))
	return err
}

// cost shows what the session has used.
func (t *talk) cost(context.Context, string) error {
	s := t.spent
	if s.Answers == 0 {
		fmt.Fprintln(t.out, "nothing yet: this session has no answer")
		return nil
	}
	text := plural(s.Answers, "answer")
	if s.Answers > s.Unreported {
		text += ": " + describeUsage(s.Usage)
	}
	if in, cached := s.Usage.Input, s.Usage.Cached; in != nil && cached != nil && *in > 0 {
		text += fmt.Sprintf(" (%d %% of the input came from the cache)", 100**cached / *in)
	}
	switch s.Unreported {
	case 0:
	case s.Answers:
		text += "; the model reported no usage"
	default:
		text += fmt.Sprintf("; for %d of them the model reported no usage, so they are not counted", s.Unreported)
	}
	fmt.Fprintln(t.out, text)
	return nil
}

// compact makes the conversation shorter.
func (t *talk) compact(ctx context.Context, _ string) error {
	events, err := t.b.agent.Compact(ctx, t.id)
	for _, e := range events {
		t.note(e)
		if err := t.print(e); err != nil {
			return err
		}
	}
	if err == nil && len(events) == 0 {
		fmt.Fprintln(t.out, "nothing to summarise: what there is of the conversation stays as it is")
	}
	return err
}

// setMode sets the mode of permissions for the inputs to come.
func (t *talk) setMode(_ context.Context, name string) error {
	if name != "" {
		mode, err := permit.ParseMode(name)
		if err != nil {
			return fmt.Errorf("/mode: %w", err)
		}
		t.mode = mode
	}
	mode := t.mode
	if mode == "" && t.b.policy != nil {
		mode = t.b.policy.Mode()
	}
	fmt.Fprintf(t.out, "mode %s\n", mode)
	return nil
}

func (t *talk) history(context.Context, string) error {
	if len(t.inputs) == 0 {
		fmt.Fprintln(t.out, "no inputs yet")
	}
	for i, text := range t.inputs {
		fmt.Fprintf(t.out, "%4d  %s\n", i+1, visibleLine(oneLine(text, 100)))
	}
	return nil
}

// again sends an input once more.
func (t *talk) again(ctx context.Context, number string) error {
	n := len(t.inputs)
	if number != "" {
		var err error
		if n, err = strconv.Atoi(number); err != nil || n < 1 || n > len(t.inputs) {
			return fmt.Errorf("/again %s: there are inputs 1 to %d; /history lists them", number, len(t.inputs))
		}
	}
	if n == 0 {
		return fmt.Errorf("/again: there is no input yet")
	}
	text := t.inputs[n-1]
	t.c.dim("> " + oneLine(text, 100))
	return t.turn(ctx, text)
}

// anew begins a new session. The old one may be used by others from now on.
func (t *talk) anew(context.Context, string) error {
	if r, ok := t.b.store.(session.Releaser); ok && t.begun {
		if err := r.Release(t.id); err != nil {
			return err
		}
	}
	t.id, t.spent, t.begun = t.b.env.IDs.New("s"), session.Spent{}, false
	fmt.Fprintf(t.out, "new session %s\n", t.id)
	return nil
}

// maxListed is how many sessions /sessions lists.
const maxListed = 10

func (t *talk) sessions(ctx context.Context, _ string) error {
	l, ok := t.b.store.(session.Lister)
	if !ok {
		return fmt.Errorf("/sessions: the sessions of this project cannot be listed")
	}
	infos, err := newest(ctx, l)
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		fmt.Fprintln(t.out, "no sessions yet")
		return nil
	}
	more := len(infos) - maxListed
	rows, err := sessionRows(ctx, t.b.store, infos[:min(len(infos), maxListed)])
	if err != nil {
		return err
	}
	for i := range rows {
		if rows[i].ID == t.id {
			rows[i].ID += " *"
		}
	}
	for _, line := range sessionTable(rows, t.c.zone()) {
		fmt.Fprintln(t.out, line)
	}
	if more > 0 {
		fmt.Fprintf(t.out, "and %d more: %s sessions lists them\n", more, t.c.app.Name)
	}
	return nil
}
