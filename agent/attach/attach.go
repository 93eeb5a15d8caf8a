// Package attach adds to an input the files that it names, as AgentScope does:
//
//	Why does @./main.go not compile?
//
// becomes
//
//	Why does @./main.go not compile?
//
//	<attached_file path="./main.go">
//	package main
//	…
//	</attached_file>
//
// A file is named by an @ at the begin of the text or behind white space, and a path
// with a slash in it: "@alice" is nobody's file. What was written stays as it was
// written. Files are read by a tool, so that its rules hold: a path that it refuses,
// a folder, an image and a binary file leave the text alone.
//
//	hook := attach.Paths{Read: toolset.Files(c)[0]}
//	a, err := agent.New(agent.Config{Hooks: []agent.Hook{hook}, …})
package attach

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/preset/agentscope"
	"github.com/proemhq/proem/tool"
)

// Limits of one input.
const (
	MaxLines = 1000 // of a file; the tool may have lower ones
	MaxFiles = 20
	MaxPaths = 100 // that are looked at
	maxPath  = 1024
)

// Paths is an [agent.InputHook] that attaches the files that inputs name. What
// another agent writes as the task of a subagent is left alone.
type Paths struct {
	// Read is the tool read_file{path, limit}. Its own rules are what holds: nobody is
	// asked. A tool that remembers what was read should be one that the model does not
	// have, since a preview of an input reads too.
	Read tool.Tool
	// Home is what "~" stands for; empty: nothing is found there.
	Home string
}

var _ agent.InputHook = Paths{}

// Name implements [agent.Hook].
func (Paths) Name() string { return "attached files" }

// InterceptInput implements [agent.InputHook].
func (p Paths) InterceptInput(ctx context.Context, at agent.At, in agent.Input) (agent.Input, error) {
	if p.Read == nil || in.Parent != nil {
		return in, nil
	}
	ctx = tool.WithSession(tool.WithWho(ctx, at.Who), at.Session)
	var out strings.Builder
	files, more := 0, 0
	for _, named := range paths(in.Text) {
		text, ok, err := p.read(ctx, named)
		switch {
		case err != nil:
			return in, err
		case !ok:
			continue
		case files == MaxFiles:
			more++
			continue
		}
		files++
		fmt.Fprintf(&out, "\n\n<attached_file path=\"%s\">\n%s\n</attached_file>", attribute.Replace(named), agentscope.Escape(strings.TrimRight(text, "\n")))
	}
	if more > 0 {
		fmt.Fprintf(&out, "\n\n[%d more files are named and not attached; %d are attached at most]", more, MaxFiles)
	}
	in.Text += out.String()
	return in, nil
}

var attribute = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;")

// read returns the text of a file. Not ok: there is none that may be shown.
func (p Paths) read(ctx context.Context, name string) (text string, ok bool, err error) {
	if rest, home := strings.CutPrefix(name, "~/"); home {
		if p.Home == "" {
			return "", false, nil
		}
		name = path.Join(p.Home, rest)
	}
	args, err := json.Marshal(map[string]any{"path": name, "limit": MaxLines})
	if err != nil {
		return "", false, err
	}
	r, err := p.Read.Call(ctx, args)
	if ctx.Err() != nil {
		return "", false, ctx.Err()
	}
	return r.Text.String(), err == nil && !r.IsError && len(r.Images) == 0, nil
}

// paths returns the paths that a text names, each once, as they are written first.
func paths(text string) []string {
	var out []string
	seen := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		name, ok := strings.CutPrefix(word, "@")
		name = strings.TrimRight(name, ".,;:!?)")
		if !ok || !strings.Contains(name, "/") || len(name) > maxPath || strings.ContainsFunc(name, unicode.IsControl) {
			continue
		}
		if clean := path.Clean(name); !seen[clean] && len(out) < MaxPaths {
			seen[clean] = true
			out = append(out, name)
		}
	}
	return out
}
