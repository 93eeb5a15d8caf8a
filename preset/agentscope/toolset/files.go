package toolset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/source/memory/home"
	"github.com/proemhq/proem/tool"
	toolfs "github.com/proemhq/proem/tool/fs"
	"github.com/proemhq/proem/tool/search"
	"github.com/proemhq/proem/vfs"
)

// A Config says where the file tools work.
type Config struct {
	Env       *env.Env // nil: the operating system's
	Project   string   // absolute
	Workspace string   // absolute; it is made when something is written there
	Roots     []vfs.Root
	Mode      vfs.Mode
	// ProjectWritable has changes made in the project. What belongs to the agent
	// itself still lies in the workspace.
	ProjectWritable bool
	// Resolve knows where a name lies that the prompt lists; see [vfs.Space].
	Resolve func(ctx context.Context, name string) (root, below string, ok bool)
	// Allow returns what a tool, by proem's name of it, asks before it shows or
	// changes something; nil: nothing is asked.
	Allow  func(tool string) Ask
	Images bool
}

// Ask is asked with an absolute path; its error refuses and is shown to the model.
type Ask = func(ctx context.Context, path string) error

// Files returns read_file, list_files, write_file, edit_file, glob_files and
// grep_files. A relative path is looked for in the workspace and then in the
// project; a file of the project is copied to the workspace before it changes. For
// a user, what is written lies in the user's own folder of the workspace, and
// nobody else's can be reached. They may be used concurrently.
func Files(c Config) []tool.Tool {
	ledger := toolfs.NewLedger()
	file := func(make func(toolfs.Config) tool.Tool) func(place) tool.Tool {
		return func(p place) tool.Tool {
			return make(toolfs.Config{Env: p.env, Space: p.space, Images: c.Images, Ledger: ledger, Allow: p.allow})
		}
	}
	look := func(make func(search.Config) tool.Tool) func(place) tool.Tool {
		return func(p place) tool.Tool { return make(search.Config{Env: p.env, Space: p.space, Allow: p.allow}) }
	}
	var out []tool.Tool
	for _, x := range []struct {
		name   string
		make   func(place) tool.Tool
		writes bool
	}{
		{"read_file", file(toolfs.ReadFile), false},
		{"list_files", file(toolfs.ListFiles), false},
		{"write_file", file(toolfs.WriteFile), true},
		{"edit_file", file(toolfs.EditFile), true},
		{"glob", look(search.Glob), false},
		{"grep", look(search.Grep), false},
	} {
		t := &fileTool{cfg: c, name: x.name, make: x.make, writes: x.writes, users: map[string]pair{}}
		t.spec = x.make(t.place("", false)).Spec()
		out = append(out, t)
	}
	return Rename(out...)
}

// Metadata are the files and folders of the agent itself, which lie in the
// workspace whatever is writable.
var metadata = []string{"AGENTS.md", "MEMORY.md", "memory", "knowledge", "skills", "subagents", "plans", "agents"}

// fileTool is one tool for all users.
type fileTool struct {
	cfg    Config
	name   string
	make   func(place) tool.Tool
	writes bool
	spec   chat.ToolSpec

	mu    sync.Mutex
	users map[string]pair
}

// A pair is the tool that acts for a user, and the same one that leaves a workspace
// which is not there alone, to tell of effects.
type pair struct{ act, look tool.Tool }

// place is where a tool works for one user.
type place struct {
	env   *env.Env
	space vfs.Space
	allow func(ctx context.Context, path string) error
}

// Spec implements [tool.Tool].
func (t *fileTool) Spec() chat.ToolSpec { return t.spec }

// Call implements [tool.Tool].
func (t *fileTool) Call(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	p, err := t.forUser(ctx)
	if err != nil {
		return tool.Errorf("%s: %v", t.name, err), nil
	}
	return p.act.Call(t.resolved(ctx, args), t.routed(ctx, args))
}

// Effect implements [tool.Effector]. A path of the project may mean its copy in the
// workspace, so both are named.
func (t *fileTool) Effect(ctx context.Context, args json.RawMessage) tool.Effect {
	p, err := t.forUser(ctx)
	if err != nil {
		return tool.Effect{ReadOnly: true, Idempotent: true, Refused: true}
	}
	e := tool.EffectOf(t.resolved(ctx, args), p.look, t.routed(ctx, args))
	upper := t.upper(tool.Who(ctx).User)
	for _, path := range slices.Clip(e.Paths) {
		if rel, ok := below(t.cfg.Project, path); ok && !t.cfg.ProjectWritable {
			if _, inside := below(t.cfg.Workspace, path); !inside {
				e.Paths = append(e.Paths, filepath.Join(upper, rel))
			}
		}
	}
	return e
}

// upper is where a user's changes lie.
func (t *fileTool) upper(user string) string { return filepath.Join(t.cfg.Workspace, user) }

func (t *fileTool) forUser(ctx context.Context) (pair, error) {
	user := tool.Who(ctx).User
	if user != "" {
		if err := home.CheckUser(user); err != nil {
			return pair{}, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := t.users[user]
	if !ok {
		if len(t.users) >= 1<<10 {
			clear(t.users)
		}
		p = pair{act: t.make(t.place(user, t.writes)), look: t.make(t.place(user, false))}
		t.users[user] = p
	}
	return p, nil
}

// place returns where a user works.
func (t *fileTool) place(user string, makes bool) place {
	c, upper := t.cfg, t.upper(user)
	machine := *env.OrSystem(c.Env)
	laid := overlaid{Files: machine.Files, project: c.Project, upper: upper, makes: makes}
	if !c.ProjectWritable {
		laid.over = vfs.Overlay{At: c.Project, Upper: machine.Files, UpperDir: upper, Lower: machine.Files, LowerDir: c.Project}.Files()
	}
	machine.Files = laid
	p := place{env: &machine, space: vfs.Space{Mode: c.Mode}}
	if !t.writes { // what is written lies where the overlay has it
		p.space.Resolve = c.Resolve
	}
	p.space.Roots = append([]vfs.Root{{Dir: c.Project, Name: "project"}, {Dir: upper, Name: "workspace"}}, c.Roots...)
	var ask Ask
	if c.Allow != nil {
		ask = c.Allow(t.name)
	}
	p.allow = func(ctx context.Context, path string) error {
		if _, inside := below(c.Workspace, path); inside && user != "" && !isResolved(ctx) {
			if _, own := below(upper, path); !own {
				return errors.New("this belongs to the agent or to somebody else; use a path relative to the workspace")
			}
		}
		if ask == nil {
			return nil
		}
		if err := ask(ctx, path); err != nil {
			return err
		}
		rel, ok := below(c.Project, path)
		if _, inside := below(c.Workspace, path); !ok || inside || c.ProjectWritable {
			return nil
		}
		return ask(ctx, filepath.Join(upper, rel))
	}
	return p
}

type resolvedKey struct{}

func isResolved(ctx context.Context) bool { return ctx.Value(resolvedKey{}) != nil }

// resolved marks a call whose path is one that the prompt lists.
func (t *fileTool) resolved(ctx context.Context, args json.RawMessage) context.Context {
	var a struct {
		Path string `json:"path"`
	}
	if t.cfg.Resolve == nil || t.writes || json.Unmarshal(args, &a) != nil || a.Path == "" {
		return ctx
	}
	if _, _, ok := t.cfg.Resolve(ctx, a.Path); !ok {
		return ctx
	}
	return context.WithValue(ctx, resolvedKey{}, true)
}

// routed returns arguments whose path leads to the workspace if it names something
// of the agent itself, where changes are made in the project. What the workspace
// does not have is read from the project.
func (t *fileTool) routed(ctx context.Context, args json.RawMessage) json.RawMessage {
	if !t.cfg.ProjectWritable {
		return args
	}
	var all map[string]json.RawMessage
	var name string
	if json.Unmarshal(args, &all) != nil || json.Unmarshal(all["path"], &name) != nil || path.IsAbs(name) || filepath.IsAbs(name) {
		return args
	}
	name = path.Clean(filepath.ToSlash(name))
	first, _, _ := strings.Cut(name, "/")
	upper := t.upper(tool.Who(ctx).User)
	if !slices.Contains(metadata, first) || !t.writes && !t.exists(upper, name) {
		return args
	}
	all["path"], _ = json.Marshal(filepath.Join(upper, filepath.FromSlash(name)))
	out, err := json.Marshal(all)
	if err != nil {
		return args
	}
	return out
}

// exists reports whether a directory has something of a name.
func (t *fileTool) exists(dir, name string) bool {
	root, err := env.OrSystem(t.cfg.Env).Files.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close()
	_, err = root.Lstat(name)
	return err == nil
}

// below returns the name of a path below a directory.
func below(dir, path string) (string, bool) {
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && dir != "" && filepath.IsLocal(rel)
}

// overlaid is a machine's files with the workspace laid over the project.
type overlaid struct {
	env.Files
	project, upper string
	makes          bool      // the workspace, where it is missing
	over           env.Files // nil: the project is as it is
}

// OpenRoot implements [env.Files].
func (o overlaid) OpenRoot(dir string) (env.Root, error) {
	root, err := o.Files.OpenRoot(o.upper)
	switch {
	case err == nil:
		root.Close()
	case errors.Is(err, fs.ErrNotExist) && !o.makes:
		if dir == o.upper {
			return nil, fmt.Errorf("the workspace: %w", fs.ErrNotExist)
		}
		return o.Files.OpenRoot(dir)
	case dir == o.upper:
		if err := o.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	if dir == o.project && o.over != nil {
		return o.over.OpenRoot(dir)
	}
	return o.Files.OpenRoot(dir)
}
