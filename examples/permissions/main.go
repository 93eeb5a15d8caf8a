// Command permissions builds an agent that writes files and runs commands, with a
// policy that is asked about each call before it runs. Where the policy asks a
// person the turn pauses, and goes on with the answer.
package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool/fs"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/tool/shell"
)

// newAgent returns an agent that works in dir, a directory without links.
func newAgent(model provider.Model, dir string) (*agent.Agent, error) {
	var rules []permit.Rule
	for _, r := range []struct {
		action permit.Action
		rule   string
	}{
		{permit.Allow, "shell(cat *)"},
		{permit.Deny, "write_file(path secret/**)"},
	} {
		rule, err := permit.ParseRule(r.rule)
		if err != nil {
			return nil, err
		}
		rule.Action = r.action
		rules = append(rules, rule)
	}
	policy, err := permit.New(permit.Config{Mode: permit.AcceptEdits, Rules: rules, Roots: []string{dir}})
	if err != nil {
		return nil, err
	}
	sh, err := shell.New(shell.Config{Dir: dir, Environ: os.Environ()})
	if err != nil {
		return nil, err
	}
	return agent.New(agent.Config{
		Model: model, ModelName: "scripted", System: "You keep the notes.",
		Tools:       append(fs.All(fs.Config{Roots: []string{dir}}), sh),
		Permissions: &agent.Permissions{Policy: policy, Cwd: dir},
	})
}

const script = `
turns:
  - calls:
      - {tool: write_file, args: {path: note.txt, content: "two packets of Longjing\n"}}
      - {tool: write_file, args: {path: secret/key.txt, content: "x\n"}}
      - {tool: shell, args: {command: "cat note.txt"}}
      - {tool: shell, args: {command: "rm note.txt"}}
  - text: "Noted."
`

func run(w io.Writer) error {
	dir, err := os.MkdirTemp("", "notes")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	s, err := scripted.Parse([]byte(script), "script")
	if err != nil {
		return err
	}
	a, err := newAgent(scripted.New(*s), dir)
	if err != nil {
		return err
	}
	in := agent.Text("Two packets of Longjing, please.")
	for {
		stop, err := show(w, a.Run(context.Background(), "s1", in))
		if err != nil || stop != agent.StopAsks {
			return err
		}
		asked, err := a.Asked(context.Background(), "s1")
		if err != nil {
			return err
		}
		in = agent.Input{}
		for _, q := range asked { // a person would be shown q.Command and q.Targets
			fmt.Fprintf(w, "? %s %s: %s\n", q.Tool, q.Command, q.Why)
			in.Replies = append(in.Replies, session.Reply{Call: q.Call, Digest: q.Digest, Verdict: "deny", Note: "keep the note"})
		}
	}
}

// show prints the calls and results of a turn and returns why it stopped.
func show(w io.Writer, events iter.Seq2[session.Event, error]) (stop string, err error) {
	for event, err := range events {
		switch {
		case err != nil:
			return "", err
		case event.Kind == session.Stopped:
			stop = event.Stop.Reason
		case event.Kind == session.Call:
			fmt.Fprintf(w, "%s %s\n", event.Call.Name, event.Call.Args)
		case event.Kind == session.Result:
			fmt.Fprintf(w, "  %s\n", strings.TrimSpace(event.Message.Results()[0].Text.String()))
		}
	}
	return stop, nil
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
