package cli

import (
	"path/filepath"

	"github.com/proemhq/proem/preset/agentscope/toolset"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/ask"
	toolfs "github.com/proemhq/proem/tool/fs"
	"github.com/proemhq/proem/tool/plan"
	"github.com/proemhq/proem/tool/search"
	"github.com/proemhq/proem/tool/shell"
	"github.com/proemhq/proem/tool/todo"
	"github.com/proemhq/proem/vfs"
)

// space says where the paths of tools lie: in the project, in the agent's home if
// that is elsewhere, and, to be read, where long results are kept.
func (b *bench) space() vfs.Space {
	s := vfs.Space{Roots: []vfs.Root{{Dir: b.place.root, Name: "project"}}, Resolve: b.resolve}
	if rel, err := filepath.Rel(b.place.root, b.place.workspace); (err != nil || !filepath.IsLocal(rel)) && b.memory != nil {
		s.Roots = append(s.Roots, vfs.Root{Dir: b.place.workspace, Name: "workspace"})
	}
	if dir := b.place.results(); dir != "" {
		s.Roots = append(s.Roots, vfs.Root{Dir: dir, Name: "long results", ReadOnly: true})
	}
	return s
}

// results is where long results of the project's sessions are kept, a folder for
// each; empty: nowhere.
func (p place) results() string {
	if p.projectState() == "" {
		return ""
	}
	return filepath.Join(p.projectState(), "results")
}

// builtins returns the tools that every configured agent has.
func (c *command) builtins(b *bench) ([]tool.Tool, error) {
	files := toolfs.Config{Env: b.env, Space: b.space(), Images: true, Ledger: toolfs.NewLedger()}
	with := func(name string) toolfs.Config {
		cfg := files
		cfg.Allow = allows(b.policy, name)
		return cfg
	}
	looks := func(name string) search.Config {
		return search.Config{Env: b.env, Space: files.Space, Allow: finds(b.policy, name)}
	}
	cfg := shell.Config{Env: b.env, Dir: b.place.root, Environ: c.p.Environ, Spill: b.place.results()}
	if b.portable {
		cfg.Shell = []string{"sh", "-c"} // its description names the machine's
	}
	sh, err := shell.New(cfg)
	if err != nil {
		return nil, err
	}
	every := b.cfg.Todo.Every
	if every <= 0 {
		every = -1 // there zero is the default, here it is never
	}
	shared := []tool.Tool{b.policy.Watch(sh, b.env.Files), ask.New(nil), todo.New(todo.Config{Every: every})}
	if b.cfg.Preset == agentScope {
		return append(b.agentScopeTools(), toolset.Rename(shared...)...), nil
	}
	return append([]tool.Tool{
		toolfs.ReadFile(with("read_file")), toolfs.ListFiles(with("list_files")), toolfs.WriteFile(with("write_file")), toolfs.EditFile(with("edit_file")),
		search.Glob(looks("glob")), search.Grep(looks("grep")),
	}, append(shared, plan.New()...)...), nil
}
