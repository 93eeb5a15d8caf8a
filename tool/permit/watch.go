package permit

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// CodeChanged is the code of the diagnostic for a protected file that a command
// changed.
const CodeChanged = "protected.changed"

// Watch returns a tool that does what t does and says afterwards which protected
// files changed meanwhile, to the model and, as a diagnostic, to people. A command
// can change a file without naming it, so no rule can see it coming (row 17 of the
// security requirements).
//
// It looks at the protected names at the top of each root, of the metadata of git
// only at what makes programs run. Calls that only read are not watched.
func (p *Policy) Watch(t tool.Tool, files env.Files) tool.Tool {
	return watched{Tool: t, policy: p, files: files}
}

type watched struct {
	tool.Tool
	policy *Policy
	files  env.Files
}

// Effect implements [tool.Effector].
func (w watched) Effect(ctx context.Context, args json.RawMessage) tool.Effect {
	return tool.EffectOf(ctx, w.Tool, args)
}

// Call implements [tool.Tool].
func (w watched) Call(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	if w.Effect(ctx, args).ReadOnly {
		return w.Tool.Call(ctx, args)
	}
	before := w.policy.snapshot(w.files)
	result, err := w.Tool.Call(ctx, args)
	changes := before.changes(w.policy.snapshot(w.files))
	if len(changes) == 0 {
		return result, err
	}
	text := "[protected files changed meanwhile: " + strings.Join(changes, ", ") + "]"
	result.Diagnostics = append(result.Diagnostics, prompt.Diagnostic{Severity: prompt.Warning, Code: CodeChanged,
		Message: fmt.Sprintf("%s: while it ran, protected files changed: %s; look at them before you go on", w.Spec().Name, strings.Join(changes, ", "))})
	result.Text = append(slices.Clip(result.Text), span.OfGenerated("\n"+text+"\n", span.Generated(CodeChanged))...)
	return result, err
}

// A picture is the state of protected files by their paths.
type picture struct {
	files map[string]env.Info
	links map[string]string
	full  bool // not everything was looked at
}

const maxWatched = 5000

// snapshot looks at the protected files. What cannot be looked at is not there.
func (p *Policy) snapshot(files env.Files) picture {
	pic := picture{files: map[string]env.Info{}, links: map[string]string{}}
	for _, dir := range p.roots {
		root, err := files.OpenRoot(dir)
		if err != nil {
			continue
		}
		for _, pr := range p.protected {
			if name := strings.TrimPrefix(pr.name, "**/"); !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "~") && !strings.ContainsAny(name, `*?[\`) {
				pic.add(root, name)
			}
		}
		root.Close()
	}
	return pic
}

// add looks at a name and all below it.
func (c *picture) add(root env.Root, name string) {
	info, err := root.Lstat(name)
	if err != nil || dull(name) {
		return
	}
	if len(c.files) >= maxWatched {
		c.full = true
		return
	}
	at := path.Join(root.Name(), name)
	switch {
	case info.IsDir():
		entries, err := root.ReadDir(name)
		if err != nil {
			return
		}
		for _, e := range entries {
			c.add(root, path.Join(name, e.Name()))
		}
		return
	case info.Mode()&fs.ModeSymlink != 0:
		c.links[at], _ = root.Readlink(name)
	}
	c.files[at] = info
}

// dull reports whether a name is one of git's that changes with ordinary work and
// makes nothing run.
func dull(name string) bool {
	rest, ok := strings.CutPrefix(name, ".git/")
	if !ok {
		return false
	}
	first, _, _ := strings.Cut(rest, "/")
	return !slices.Contains([]string{"config", "config.worktree", "hooks", "info", "commondir", "gitdir", "modules"}, first) ||
		strings.HasPrefix(rest, "modules/") && strings.Contains(rest, "/objects")
}

// changes lists what is different in another picture, in order.
func (c picture) changes(after picture) []string {
	var out []string
	for name, info := range after.files {
		before, ok := c.files[name]
		switch {
		case !ok && !c.full:
			out = append(out, name+" (new)")
		case ok && (!before.Unchanged(info) || c.links[name] != after.links[name]):
			out = append(out, name)
		}
	}
	for name := range c.files {
		if _, ok := after.files[name]; !ok && !after.full {
			out = append(out, name+" (removed)")
		}
	}
	slices.Sort(out)
	if n := len(out) - 20; n > 0 {
		out = append(out[:20], fmt.Sprintf("and %d more", n))
	}
	return out
}
