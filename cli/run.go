package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/memory"
)

func (c *command) runCommand() *cobra.Command {
	var model, output, resume, answer string
	var maxSteps int
	var noStream, last, pause, fresh bool
	var rules permitFlags
	var traced traceFlags
	cmd := &cobra.Command{
		Use:   "run PROMPT",
		Short: "Run the agent until it answers",
		Long: c.own("Sends the prompt, runs the tools that the model calls, and prints the answer. A prompt of - is read from\n" +
			"standard input, and so is none at all. The project's own files are held back until proem trust says that you\n" +
			"trust them; --trust project uses them this once.\n\n" +
			"Tools that change something are asked about in a terminal; elsewhere they are refused unless --mode or --allow\n" +
			"permits them, or --pause keeps the question."),
		Example: c.own("  proem run 'what does this package do?'\n  git diff | proem run --trust project -\n" +
			"  proem run --mode accept-edits --allow 'shell(go test *)' 'fix the failing test'"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch output {
			case "text", "json", "stream-json":
			default:
				return usage(fmt.Errorf("--output %s: must be text, json or stream-json", output))
			}
			if maxSteps < 1 && cmd.Flags().Changed("max-steps") {
				return usage(fmt.Errorf("--max-steps %d: must be 1 or more", maxSteps))
			}
			if c.flags.json && output == "text" {
				output = "json"
			}
			if err := cmp.Or(rules.check(), traced.check()); err != nil {
				return err
			}
			o := options{run: true, model: model, maxSteps: maxSteps, noStream: noStream, permit: rules, trace: traced, pause: pause, store: c.openStore}
			if cmd.Flags().Changed("answer") {
				if len(args) > 0 || resume == "" && !last {
					return usage(errors.New("--answer goes on with a session: name it with --resume or --continue, and give no prompt"))
				}
				return c.answer(cmd.Context(), o, resume, last, answer, output)
			}
			text, err := c.input(args)
			if err != nil {
				return err
			}
			b, id, err := c.ready(cmd.Context(), o, resume, last)
			if err != nil {
				return err
			}
			defer b.close()
			return c.play(cmd.Context(), b, id, agent.Input{Text: text, FreshPrefix: fresh}, output)
		},
	}
	f := cmd.Flags()
	addModel(cmd, &model)
	f.IntVar(&maxSteps, "max-steps", 0, "at most so many model requests")
	f.StringVar(&output, "output", "text", "text, json or stream-json")
	f.StringVar(&resume, "resume", "", "go on with this session")
	f.BoolVar(&last, "continue", false, "go on with the latest session of this project")
	f.BoolVar(&noStream, "no-stream", false, "ask for the answer in one piece")
	rules.add(cmd)
	traced.add(cmd)
	f.BoolVar(&fresh, "fresh-prefix", false, "make what stands before the conversation anew from the files as they are")
	f.BoolVar(&pause, "pause", false, "where a person must be asked, keep the question and stop; --answer goes on")
	f.StringVar(&answer, "answer", "", "answer what the session asks: once, session or deny, or a text, and go on")
	_ = cmd.RegisterFlagCompletionFunc("answer", cobra.FixedCompletions([]string{"once", "session", "deny"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("resume", c.completeSessions)
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json", "stream-json"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.MarkFlagsMutuallyExclusive("resume", "continue")
	return cmd
}

// maxInput is how long a prompt from standard input may be.
const maxInput = 4 << 20

// input returns the prompt: the arguments, or standard input.
func (c *command) input(args []string) (string, error) {
	if len(args) > 0 && !(len(args) == 1 && args[0] == "-") {
		return strings.Join(args, " "), nil
	}
	if len(args) == 0 && isTerminal(c.p.Stdin) {
		return "", usage(errors.New("what shall the agent do? give a prompt, or - to read it from standard input"))
	}
	data, err := io.ReadAll(io.LimitReader(c.p.Stdin, maxInput+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("standard input: %w", err)
	case len(data) > maxInput:
		return "", fmt.Errorf("standard input: the prompt is longer than %d bytes", maxInput)
	case strings.TrimSpace(string(data)) == "":
		return "", usage(errors.New("standard input: the prompt is empty"))
	}
	return string(data), nil
}

// openStore returns the store of the project's sessions in user state, or one in
// memory if there is no home directory.
func (c *command) openStore(p place) (session.Store, error) {
	if p.projectState() == "" {
		c.say("warning session.memory: there is no home directory: the session is not kept")
		return &memory.Store{}, nil
	}
	return jsonl.Open(jsonl.Config{Dir: filepath.Join(p.projectState(), "sessions"), Env: c.p.Env,
		Report: func(d prompt.Diagnostic) { c.diagnose([]prompt.Diagnostic{d}) }})
}

// ready sets up an agent that is going to run, after it was settled which files
// of the project it uses, and returns the session to run in.
func (c *command) ready(ctx context.Context, o options, resume string, last bool) (*bench, string, error) {
	b, err := c.setup(ctx, o)
	if err != nil {
		return nil, "", err
	}
	again, err := c.settle(ctx, b)
	if err != nil {
		return nil, "", err
	}
	if ctx.Err() != nil { // Ctrl-C was the answer
		return nil, "", statusError{code: ExitFailure}
	}
	if again {
		if b, err = c.setup(ctx, o); err != nil {
			return nil, "", err
		}
	}
	c.announce(b, o)
	id, err := c.sessionID(ctx, b, resume, last)
	if err == nil {
		err = b.asChild(ctx, id)
	}
	return b, id, err
}

// close ends the subagents at work and releases the store's sessions.
func (b *bench) close() {
	if b.spawner != nil {
		b.spawner.Close()
	}
	if s, ok := b.store.(io.Closer); ok {
		s.Close() // every event was synced when it was appended
	}
}

// sessionID returns the session to run in.
func (c *command) sessionID(ctx context.Context, b *bench, resume string, last bool) (string, error) {
	if !last {
		if resume == "" {
			return b.env.IDs.New("s"), nil
		}
		if err := session.CheckID(resume); err != nil {
			return "", err
		}
		for _, err := range b.store.Events(ctx, resume) {
			return resume, err
		}
		return "", fmt.Errorf("--resume %s: %s has no such session", resume, b.place.root)
	}
	lister, ok := b.store.(session.Lister)
	if !ok {
		return "", errors.New("--continue: the sessions of this project cannot be listed")
	}
	infos, err := lister.List(ctx)
	if err != nil {
		return "", err
	}
	if len(infos) == 0 {
		return "", fmt.Errorf("--continue: there is no session of %s", b.place.root)
	}
	slices.SortStableFunc(infos, func(a, b session.Info) int { return b.Updated.Compare(a.Updated) })
	for _, i := range infos {
		if p, err := parentOf(ctx, b.store, i.ID); err != nil || p == nil { // not a subagent's
			return i.ID, err
		}
	}
	return infos[0].ID, nil
}

// A result is what run prints with --output json.
type result struct {
	Schema  string         `json:"schema"`
	Session string         `json:"session"`
	Model   string         `json:"model"`
	Stop    string         `json:"stop"`
	Text    string         `json:"text"`
	Steps   int            `json:"steps"`
	Usage   *session.Usage `json:"usage,omitempty"` // of the last answer
	Asked   []session.Ask  `json:"asked,omitempty"` // what waits for an answer, if Stop is "asks"
	Error   string         `json:"error,omitempty"`

	message string // of the stop, for people
}

// answer goes on with a session that asks something.
func (c *command) answer(ctx context.Context, o options, resume string, last bool, text, output string) error {
	b, id, err := c.ready(ctx, o, resume, last)
	if err != nil {
		return err
	}
	defer b.close()
	asked, err := c.questions(ctx, b.agent, id)
	if err != nil {
		return err
	}
	reply, err := given(asked[0], text)
	if err != nil {
		return err
	}
	return c.play(ctx, b, id, agent.Input{Replies: []session.Reply{reply}}, output)
}

// play runs one turn and prints it. What it asks is asked in a terminal.
func (c *command) play(ctx context.Context, b *bench, id string, in agent.Input, output string) error {
	res := result{Schema: "proem.run/1", Session: id, Model: b.model.spec}
	show := &shower{c: c, b: b, live: output == "text"}
	lines := &lineReader{in: c.p.Stdin}
	ask := asker{c: c, show: show, line: c.lineFrom(lines), drop: lines.drop}
	c.diagnose(b.diagnostics)
	var failed error
	for {
		if failed = c.playOn(ctx, b, id, in, output, &res, show); failed != nil {
			break
		}
		if res.Stop == "end" {
			more, err := c.outstanding(ctx, b, id)
			if failed = err; more && err == nil {
				in = agent.Input{} // what they found is told
				continue
			}
			break
		}
		if res.Stop != agent.StopAsks {
			break
		}
		res.Asked, failed = b.agent.Asked(ctx, id)
		if failed != nil || !c.asks() {
			break
		}
		replies, err := ask.all(ctx, res.Asked)
		if err != nil { // the questions stay open
			break
		}
		in, res.Asked = agent.Input{Replies: replies}, nil
	}
	if output == "json" {
		if failed != nil {
			res.Error = failed.Error()
		}
		if err := c.printJSON(res); err != nil {
			return err
		}
	}
	switch {
	case failed != nil:
		c.say("info session: what was said is kept; go on with --resume %s", id)
		return failed
	case res.Stop == agent.StopAsks:
		c.waiting(res.Asked, id)
		return statusError{code: ExitFailure}
	case res.Stop != "end":
		c.say("warning run.stopped: %s", res.why())
		return statusError{code: ExitFailure}
	}
	return nil
}

// playOn runs a turn, or the rest of one, up to its end or to a question.
func (c *command) playOn(ctx context.Context, b *bench, id string, in agent.Input, output string, res *result, show *shower) error {
	defer show.end()
	for e, err := range b.agent.Run(ctx, id, in) {
		if err != nil {
			return err
		}
		res.note(e)
		if output != "stream-json" {
			show.event(e)
			continue
		}
		if err := c.printEvent(e); err != nil {
			return err
		}
	}
	return nil
}

func (r *result) note(e session.Event) {
	switch e.Kind {
	case session.Answer:
		r.Text, r.Usage = e.Message.Text().String(), e.Usage
	case session.Requested:
		r.Steps++
	case session.Stopped:
		r.Stop, r.message = e.Stop.Reason, e.Stop.Message
		if e.Message != nil {
			r.Text = e.Message.Text().String()
		}
	}
}

// why says in words why a run ended without a complete answer.
func (r *result) why() string {
	switch r.Stop {
	case agent.StopSteps:
		return fmt.Sprintf("stopped after %d model requests, which is the limit; raise it with --max-steps", r.Steps)
	case "length":
		return "the answer is cut off: the model reached its output limit"
	case "content_filter":
		return "the provider withheld the answer"
	case "refusal":
		return "the model declined to answer"
	case agent.StopCancelled:
		return "cancelled"
	case agent.StopTime, agent.StopTokens, agent.StopCost, agent.StopLoop, agent.StopBlocked:
		return "stopped: " + r.message
	}
	return "the model stopped: " + r.Stop
}
