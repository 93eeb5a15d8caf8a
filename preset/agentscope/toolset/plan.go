package toolset

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/source/memory/home"
	"github.com/proemhq/proem/tool"
	toolfs "github.com/proemhq/proem/tool/fs"
	"github.com/proemhq/proem/tool/plan"
	"github.com/proemhq/proem/vfs"
)

// Plan returns the tools of package plan, of which plan_write writes the plan to a
// file of the workspace as well, such as "plans/PLAN.md". For a user it is a file of
// the user's own folder.
func Plan(c Config, file string) []tool.Tool {
	tools := plan.New()
	for i, t := range tools {
		if t.Spec().Name == plan.WriteName {
			tools[i] = planWriter{t, c, file}
		}
	}
	return tools
}

type planWriter struct {
	tool.Tool
	cfg  Config
	file string
}

var _ tool.Effector = planWriter{}

// Effect implements [tool.Effector]. The file is named, so that a rule can deny it.
func (p planWriter) Effect(ctx context.Context, args json.RawMessage) tool.Effect {
	e := tool.EffectOf(ctx, p.Tool, args)
	e.Paths = append(e.Paths, filepath.Join(p.dir(ctx), filepath.FromSlash(p.file)))
	return e
}

func (p planWriter) dir(ctx context.Context) string {
	return filepath.Join(p.cfg.Workspace, tool.Who(ctx).User)
}

// Call implements [tool.Tool]. A plan that cannot be written is not kept either.
func (p planWriter) Call(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	if user := tool.Who(ctx).User; user != "" {
		if err := home.CheckUser(user); err != nil {
			return tool.Errorf("%s: %v", plan.WriteName, err), nil
		}
	}
	r, err := p.Tool.Call(ctx, args)
	if err != nil || r.IsError {
		return r, err
	}
	for _, s := range r.State {
		if s.Name != plan.StateName {
			continue
		}
		if w, err := p.write(ctx, plan.Parse(s.Value).Plan); err != nil || w.IsError {
			return w, err
		}
	}
	return r, nil
}

func (p planWriter) write(ctx context.Context, text string) (tool.Result, error) {
	machine := env.OrSystem(p.cfg.Env)
	if err := machine.Files.MkdirAll(p.dir(ctx), 0o777); err != nil {
		return tool.Errorf("%s: the workspace: %v", plan.WriteName, vfs.Cause(err)), nil
	}
	c := toolfs.Config{Env: machine, Space: vfs.Space{Roots: []vfs.Root{{Dir: p.dir(ctx), Name: "workspace"}}}}
	if p.cfg.Allow != nil {
		c.Allow = p.cfg.Allow(plan.WriteName)
	}
	args, err := json.Marshal(map[string]string{"path": p.file, "content": text + "\n"})
	if err != nil {
		return tool.Result{}, err
	}
	return toolfs.WriteFile(c).Call(ctx, args)
}
