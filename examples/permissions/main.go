// Command permissions builds an agent that writes files and runs commands, and
// asks a policy about each call before it runs. Nobody is there to be asked, so
// what the rules do not permit is refused, and the model reads why.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/fs"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/tool/permit/plain"
	"github.com/proemhq/proem/tool/shell"
)

// A guard asks a policy before each call.
type guard struct {
	policy *permit.Policy
	tools  map[string]tool.Tool
	dir    string
}

func (g *guard) Name() string { return "guard" }

func (g *guard) InterceptCall(ctx context.Context, _ agent.At, call chat.ToolCall) (chat.ToolCall, error) {
	effect := tool.EffectOf(ctx, g.tools[call.Name], call.Args)
	request := g.policy.Request(env.System().Files, call.Name, call.Args, effect, g.dir)
	if d := g.policy.Decide(request, permit.Grants{}).Unattended(); d.Action != permit.Allow {
		return call, agent.Blocked(d.Model)
	}
	return call, nil
}

// words returns the words of a command that needs no shell: what was judged is
// what runs.
func words(command string) ([]string, bool) {
	list, ok := plain.Plain(command)
	if !ok || len(list) != 1 {
		return nil, false
	}
	return list[0], true
}

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
	sh, err := shell.New(shell.Config{Dir: dir, Environ: os.Environ(), Argv: words})
	if err != nil {
		return nil, err
	}
	tools := append(fs.All(fs.Config{Roots: []string{dir}}), sh)
	g := &guard{policy: policy, tools: map[string]tool.Tool{}, dir: dir}
	for _, t := range tools {
		g.tools[t.Spec().Name] = t
	}
	return agent.New(agent.Config{Model: model, ModelName: "scripted", System: "You keep the notes.", Tools: tools, Hooks: []agent.Hook{g}})
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
	for event, err := range a.Run(context.Background(), "s1", agent.Text("Two packets of Longjing, please.")) {
		if err != nil {
			return err
		}
		if event.Message == nil {
			continue
		}
		for _, c := range event.Message.Calls() {
			fmt.Fprintf(w, "%s %s\n", c.Name, c.Args)
		}
		for _, r := range event.Message.Results() {
			fmt.Fprintf(w, "  %s\n", strings.TrimSpace(r.Text.String()))
		}
	}
	return nil
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
