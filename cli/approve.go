package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
)

// maxArgs is how many characters of a call's arguments are shown.
const maxArgs = 4000

// An asker puts the questions of a turn to the person at the terminal. It shows
// them with --quiet too: nobody can answer what they do not see.
type asker struct {
	c    *command
	show *shower
	line func(ctx context.Context, prompt string) (string, error) // reads a line behind a prompt
	drop func() bool                                              // forgets what was entered, if something was
}

// all asks every question and returns the replies. An error says that somebody
// gave up, as with Ctrl-C; the questions stay open then.
func (a *asker) all(ctx context.Context, asked []session.Ask) ([]session.Reply, error) {
	var out []session.Reply
	for _, q := range asked {
		reply, err := a.one(ctx, q)
		if err != nil {
			return nil, err
		}
		out = append(out, reply)
	}
	return out, nil
}

func (a *asker) one(ctx context.Context, q session.Ask) (session.Reply, error) {
	if q.Text != "" {
		return a.text(ctx, q)
	}
	a.describe(q)
	a.begin()
	keys := answers(q)
	for {
		line, err := a.line(ctx, prompts(keys))
		if err != nil {
			return session.Reply{}, err
		}
		if reply, ok := keys.reply(q, line); ok {
			return reply, nil
		}
	}
}

// begin makes sure that only what is entered from now on is an answer: somebody may
// have typed ahead, or pasted several lines.
func (a *asker) begin() {
	if a.drop() {
		a.c.tell("  (what was entered before this question is not taken for an answer)")
	}
}

// text asks what a tool wants to know.
func (a *asker) text(ctx context.Context, q session.Ask) (session.Reply, error) {
	for _, line := range strings.Split(q.Text, "\n") {
		a.c.tell("? %s", line)
	}
	if len(q.Choices) > 0 {
		a.c.tell("  (%s)", strings.Join(q.Choices, " / "))
	}
	a.begin()
	line, err := a.line(ctx, "answer: ")
	return session.Reply{Call: q.Call, Text: chosen(line, q.Choices)}, err
}

// chosen returns the choice that a line means, as with the letters of other
// questions; a line that means none is an answer in words.
func chosen(line string, choices []string) string {
	word := strings.ToLower(strings.TrimSpace(line))
	for _, c := range choices {
		if word == c || len(word) == 1 && strings.HasPrefix(c, word) {
			return c
		}
	}
	if verdict := map[string]string{"y": "once", "yes": "once", "n": "deny", "no": "deny"}[word]; slices.Contains(choices, verdict) {
		return verdict
	}
	return line
}

// describe shows what a call would do: the command, or where its paths really
// lead.
func (a *asker) describe(q session.Ask) {
	a.c.tell("? may %s run? %s", q.Tool, q.Why)
	for _, line := range strings.Split(q.Command, "\n") {
		if line != "" {
			a.c.tell("    $ %s", line)
		}
	}
	if q.Cwd != "" && q.Command != "" {
		a.c.tell("    in %s", q.Cwd)
	}
	for _, t := range q.Targets {
		switch {
		case t.Real == "":
			a.c.tell("    %s (where that leads is not known)", t.Asked)
		case t.Real != t.Asked:
			a.c.tell("    %s, which is %s", t.Asked, t.Real)
		default:
			a.c.tell("    %s", t.Asked)
		}
	}
	if q.Command == "" && !a.show.ask(&chat.ToolCall{ID: q.Call, Name: q.Tool, Args: q.Args}) {
		args := []rune(strings.Join(strings.Fields(string(q.Args)), " "))
		a.c.tell("    %s", string(args[:min(len(args), maxArgs)]))
		if more := len(args) - maxArgs; more > 0 {
			a.c.tell("    … %s", plural(more, "more character"))
		}
	}
}

// A key is an answer that can be given with a letter.
type key struct {
	letter, doc string
	reply       session.Reply
}

type keys []key

// answers returns what can be answered to a question about a call.
func answers(q session.Ask) keys {
	of := func(verdict string, rules []string) session.Reply {
		return session.Reply{Call: q.Call, Digest: q.Digest, Verdict: verdict, Rules: rules}
	}
	out := keys{{"y", "yes, once", of("once", nil)}, {"s", "yes, this very call for the session", of("session", nil)}}
	if len(q.Rules) > 0 {
		out = append(out, key{"a", "always in this session: " + strings.Join(q.Rules, ", "), of("session", q.Rules)})
	}
	if len(q.Wider) > 0 && !slices.Equal(q.Wider, q.Rules) {
		out = append(out, key{"w", "always in this session: " + strings.Join(q.Wider, ", "), of("session", q.Wider)})
	}
	return append(out, key{"n", "no; any other text refuses and tells the agent why", of("deny", nil)})
}

// prompts shows the answers, the last line being the prompt.
func prompts(ks keys) string {
	var b strings.Builder
	for _, k := range ks {
		fmt.Fprintf(&b, "  [%s] %s\n", k.letter, visibleLine(k.doc))
	}
	return b.String() + "allow? "
}

// reply returns what a line answers. A line that is no letter refuses and tells
// the model what to do instead; an empty one answers nothing.
func (ks keys) reply(q session.Ask, line string) (session.Reply, bool) {
	line = strings.TrimSpace(line)
	word := strings.ToLower(line)
	for _, k := range ks {
		if word == k.letter || k.letter == "y" && word == "yes" || k.letter == "n" && word == "no" {
			return k.reply, true
		}
	}
	if len(line) < 2 {
		return session.Reply{}, false
	}
	return session.Reply{Call: q.Call, Digest: q.Digest, Verdict: "deny", Note: line}, true
}

// given returns the reply that --answer gives to the first open question.
func given(q session.Ask, text string) (session.Reply, error) {
	if q.Text != "" {
		return session.Reply{Call: q.Call, Text: text}, nil
	}
	verdict, note, _ := strings.Cut(text, ":")
	note = strings.TrimSpace(note)
	switch verdict {
	case "once", "session", "deny":
		if note == "" || verdict == "deny" {
			return session.Reply{Call: q.Call, Digest: q.Digest, Verdict: verdict, Note: note}, nil
		}
	}
	return session.Reply{}, usage(fmt.Errorf("--answer %s: %s asks whether it may run; answer once, session or deny, or 'deny: WHY'", text, q.Tool))
}

// questions returns what is asked in a session.
func (c *command) questions(ctx context.Context, a *agent.Agent, id string) ([]session.Ask, error) {
	asked, err := a.Asked(ctx, id)
	if err == nil && len(asked) == 0 {
		err = fmt.Errorf("session %s: nothing is asked in it", id)
	}
	return asked, err
}

// waiting says which questions are left open, and how to answer them.
func (c *command) waiting(asked []session.Ask, id string) {
	for _, q := range asked {
		if q.Text != "" {
			c.say("info ask: %s asks: %s", q.Tool, oneLine(q.Text, 400))
			continue
		}
		what := q.Command
		for _, t := range q.Targets {
			what += " " + t.Asked
		}
		c.say("info ask: %s waits for consent (%s): %s", q.Tool, q.Why, oneLine(what, 400))
	}
	how := "once|session|deny"
	if len(asked) > 0 && asked[0].Text != "" {
		how = "TEXT"
		if c := asked[0].Choices; len(c) > 0 {
			how = strings.Join(c, "|") + "|TEXT"
		}
	}
	c.say("info ask: to answer: %s run --resume %s --answer %s", c.app.Name, id, how)
}

// lineFrom returns a function that reads a line behind a prompt on standard error.
func (c *command) lineFrom(lines *lineReader) func(context.Context, string) (string, error) {
	return func(ctx context.Context, prompt string) (string, error) {
		fmt.Fprint(c.p.Stderr, prompt)
		line, err := lines.next(ctx)
		if errors.Is(err, io.EOF) {
			fmt.Fprintln(c.p.Stderr)
		}
		return line, err
	}
}
