package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool/permit"
)

func (c *command) chatCommand() *cobra.Command {
	var model, resume string
	var maxSteps int
	var noStream, last bool
	var rules permitFlags
	var traced traceFlags
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk with the agent, turn by turn",
		Long: "Reads inputs line by line and runs a turn for each; /help says what else can be entered. Ctrl-C stops an answer,\n" +
			"Ctrl-D leaves. Without a terminal every line of standard input is an input, and the first turn that does not come\n" +
			"to its end ends the chat. As with run, the project's own files are held back until you trust them, and tools that\n" +
			"change something are asked about.",
		Example: c.own("  proem chat\n  proem chat --continue\n  printf 'what is this?\\nand in French?\\n' | proem chat"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if maxSteps < 1 && cmd.Flags().Changed("max-steps") {
				return usage(fmt.Errorf("--max-steps %d: must be 1 or more", maxSteps))
			}
			if err := cmp.Or(rules.check(), traced.check()); err != nil {
				return err
			}
			b, id, err := c.ready(cmd.Context(), options{run: true, model: model, maxSteps: maxSteps, noStream: noStream, permit: rules, trace: traced, store: c.openStore}, resume, last)
			if err != nil {
				return err
			}
			c.diagnose(b.diagnostics)
			return c.chat(cmd.Context(), b, id, resume != "" || last)
		},
	}
	f := cmd.Flags()
	addModel(cmd, &model)
	f.IntVar(&maxSteps, "max-steps", 0, "at most so many model requests for each input")
	f.StringVar(&resume, "resume", "", "go on with this session")
	f.BoolVar(&last, "continue", false, "go on with the latest session of this project")
	f.BoolVar(&noStream, "no-stream", false, "ask for each answer in one piece")
	rules.add(cmd)
	traced.add(cmd)
	_ = cmd.RegisterFlagCompletionFunc("resume", c.completeSessions)
	cmd.MarkFlagsMutuallyExclusive("resume", "continue")
	return cmd
}

// A talk is a chat in progress.
type talk struct {
	c      *command
	b      *bench
	id     string // of the session
	lines  *lineReader
	show   *shower
	out    io.Writer // of what the commands print
	live   bool      // somebody sits at a terminal
	inputs []string  // in the order in which they were entered
	spent  session.Spent
	mode   permit.Mode     // of the inputs to come; empty: as the flag says
	begun  bool            // the session has events
	noted  map[string]bool // diagnostics that were shown
	// pressed says that the last thing that came was Ctrl-C.
	pressed bool
}

// errLeave ends a chat from within.
var errLeave = errors.New("leave")

// chat talks until the user leaves.
func (c *command) chat(ctx context.Context, b *bench, id string, resumed bool) error {
	t := &talk{c: c, b: b, id: id, lines: &lineReader{in: c.p.Stdin}, show: &shower{c: c, b: b, live: true}, out: c.p.Stdout, live: c.asks(), noted: map[string]bool{}}
	if c.flags.json {
		t.out = c.p.Stderr // standard output has events only
	}
	defer b.close()
	if resumed {
		if err := t.recall(ctx); err != nil {
			return err
		}
	}
	t.greet()
	err := t.open(c.base, resumed)
	if err == nil {
		err = t.loop(c.base)
	}
	t.part()
	if errors.Is(err, errLeave) {
		return nil
	}
	return err
}

// recall takes in what was said in a session before.
func (t *talk) recall(ctx context.Context) error {
	for e, err := range t.b.store.Events(ctx, t.id) {
		if err != nil {
			return err
		}
		t.note(e)
		if e.Kind == session.Input {
			t.inputs = append(t.inputs, e.Message.Text().String())
		}
	}
	return nil
}

// note keeps count of what happened.
func (t *talk) note(e session.Event) {
	t.begun = t.begun || e.Seq > 0
	if e.Charged() {
		t.spent.Add(e.Usage)
	}
}

func (t *talk) greet() {
	if !t.live {
		return
	}
	about := t.b.model.spec + " · session " + t.id
	if n := len(t.inputs); n > 0 {
		about += " · " + plural(n, "input") + " so far"
	}
	t.c.dim(about)
	t.c.dim("/help shows what can be entered · Ctrl-C stops an answer · Ctrl-D leaves")
}

func (t *talk) part() {
	if t.live && t.begun && t.b.place.projectState() != "" {
		t.c.dim(fmt.Sprintf("go on with: %s chat --resume %s", t.c.app.Name, t.id))
	}
}

// loop reads inputs and runs turns.
func (t *talk) loop(ctx context.Context) error {
	for {
		text, err := t.read(ctx)
		switch {
		case err == io.EOF && t.live:
			fmt.Fprintln(t.c.p.Stderr)
			return nil
		case err == io.EOF:
			return nil
		case ctx.Err() != nil:
			return statusError{code: ExitFailure}
		case errors.Is(err, context.Canceled):
			if err := t.press(); err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		}
		t.pressed = false
		if strings.TrimSpace(text) == "" {
			continue
		}
		switch err := t.enter(ctx, text); {
		case errors.Is(err, errLeave):
			return err
		case ctx.Err() != nil, err != nil && !t.live:
			return statusError{code: ExitFailure} // what was wrong is said
		}
		if t.live {
			fmt.Fprintln(t.c.p.Stderr)
		}
	}
}

// press deals with Ctrl-C where an input is expected: the second in a row leaves.
func (t *talk) press() error {
	switch {
	case !t.live:
		return statusError{code: ExitFailure}
	case t.pressed:
		fmt.Fprintln(t.c.p.Stderr)
		return errLeave
	}
	t.pressed = true
	fmt.Fprintln(t.c.p.Stderr)
	t.c.dim("Ctrl-C once more leaves, and so does Ctrl-D")
	return nil
}

// enter does what was entered: a command or an input. The error was said.
func (t *talk) enter(ctx context.Context, text string) error {
	ctx, stop := t.c.interruptible(ctx)
	defer stop()
	name, rest, ok := chatCommandOf(text)
	if !ok {
		return t.turn(ctx, text)
	}
	err := t.command(ctx, name, rest)
	if err != nil && !errors.Is(err, errLeave) && !errors.Is(err, errSaid) {
		t.c.printError(err)
	}
	return err
}

// errSaid says that a turn did not come to its end, and that this was said.
var errSaid = errors.New("said")

// open asks what was left open in a session that is gone on with.
func (t *talk) open(ctx context.Context, resumed bool) error {
	if !resumed {
		return nil
	}
	asked, err := t.b.agent.Asked(ctx, t.id)
	if err != nil || len(asked) == 0 {
		return err
	}
	if !t.live {
		t.c.waiting(asked, t.id)
		return nil
	}
	turn, stop := t.c.interruptible(ctx)
	defer stop()
	in, ok := t.ask(turn, asked)
	if !ok {
		t.pressed = true
		fmt.Fprintln(t.c.p.Stderr)
		return nil
	}
	if err := t.play(turn, in); errors.Is(err, errSaid) {
		return nil
	} else {
		return err
	}
}

// turn runs one turn and prints it.
func (t *talk) turn(ctx context.Context, text string) error {
	t.inputs = append(t.inputs, text)
	return t.play(ctx, agent.Text(text))
}

// ask puts questions to the user. Not ok: they gave up, and the questions stay
// open.
func (t *talk) ask(ctx context.Context, asked []session.Ask) (agent.Input, bool) {
	a := asker{c: t.c, show: t.show, line: t.line, drop: t.lines.drop}
	replies, err := a.all(ctx, asked)
	return agent.Input{Replies: replies}, err == nil
}

// play runs a turn, and on as long as what it asks is answered.
func (t *talk) play(ctx context.Context, in agent.Input) error {
	for {
		in.Mode = t.mode
		res, failed := t.playOn(ctx, in)
		if failed == nil && res.Stop == agent.StopAsks && ctx.Err() == nil {
			asked, err := t.b.agent.Asked(ctx, t.id)
			if err != nil {
				return err
			}
			var ok bool
			if t.live {
				if in, ok = t.ask(ctx, asked); ok {
					continue
				}
				t.pressed = true
				fmt.Fprintln(t.c.p.Stderr)
			}
			t.c.waiting(asked, t.id)
			return errSaid
		}
		return t.ended(ctx, res, failed)
	}
}

// playOn runs a turn, or the rest of one, up to its end or to a question.
func (t *talk) playOn(ctx context.Context, in agent.Input) (res result, failed error) {
	defer t.show.end()
	for e, err := range t.b.agent.Run(ctx, t.id, in) {
		if err != nil {
			return res, err
		}
		res.note(e)
		t.note(e)
		if err := t.print(e); err != nil {
			return res, err
		}
	}
	return res, nil
}

// ended says how a turn ended if it did not come to its end.
func (t *talk) ended(ctx context.Context, res result, failed error) error {
	switch {
	case ctx.Err() != nil:
		t.pressed = true
		if t.live {
			fmt.Fprintln(t.c.p.Stderr)
		}
		t.c.say("warning run.stopped: interrupted; what was said until then is kept")
	case failed != nil:
		t.c.printError(failed)
	case res.Stop != "end":
		t.c.say("warning run.stopped: %s", res.why())
	default:
		return nil
	}
	return errSaid
}

// print shows an event. A diagnostic that comes with every turn is shown once.
func (t *talk) print(e session.Event) error {
	if t.c.flags.json {
		return t.c.printEvent(e)
	}
	if e.Kind == session.Diagnostic {
		text := e.Diagnostic.String()
		if t.noted[text] {
			return nil
		}
		t.noted[text] = true
	}
	t.show.event(e)
	return nil
}
