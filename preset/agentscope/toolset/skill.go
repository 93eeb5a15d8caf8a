package toolset

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/skill"
)

// LoadSkill returns the tool load_skill_through_path{skillId, path?}. The id is a
// skill's name, or its name and scope as the XML list has them, such as
// "deploy_workspace". A file that is not there is answered with those that are.
func LoadSkill(set *skills.Set) tool.Tool { return Rename(loadSkill{skill.Load(set), set})[0] }

type loadSkill struct {
	tool.Tool
	set *skills.Set
}

// Effect implements [tool.Effector].
func (l loadSkill) Effect(ctx context.Context, args json.RawMessage) tool.Effect {
	return tool.EffectOf(ctx, l.Tool, args)
}

// Call implements [tool.Tool].
func (l loadSkill) Call(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	var in struct {
		Name string `json:"name"`
		Path string `json:"path"`
	}
	if json.Unmarshal(args, &in) != nil {
		return l.Tool.Call(ctx, args)
	}
	who := tool.Who(ctx)
	c, err := l.set.Catalog(ctx, who)
	if err != nil {
		return tool.Result{}, err
	}
	if _, ok := c.Find(in.Name); !ok {
		for _, e := range c.Entries {
			if e.Name+"_"+e.Scope == in.Name {
				in.Name = e.Ref()
				args = withName(args, in.Name)
			}
		}
	}
	r, err := l.Tool.Call(ctx, args)
	if err == nil && r.IsError && in.Path != "" {
		return l.listing(ctx, who, in.Name, in.Path, r), nil
	}
	return r, err
}

// withName returns the arguments with another name. Members that the tool does not
// know stay, for it to refuse.
func withName(args json.RawMessage, name string) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(args, &all) != nil {
		return args
	}
	all["name"], _ = json.Marshal(name)
	out, err := json.Marshal(all)
	if err != nil {
		return args
	}
	return out
}

// listing adds the files that a skill has to the answer that it has not that one.
func (l loadSkill) listing(ctx context.Context, who prompt.Who, name, path string, r tool.Result) tool.Result {
	_, err := l.set.Open(ctx, who, name, path)
	var no *skills.Error
	if !errors.As(err, &no) || no.Code != skills.CodeMissing {
		return r
	}
	got, err := l.set.Load(ctx, who, name)
	if err != nil {
		return r
	}
	rest := ""
	if got.More {
		rest = ", and more"
	}
	return tool.Errorf("%s; there are %s%s", r.Text, strings.Join(append([]string{skills.Manifest}, got.Files...), ", "), rest)
}
