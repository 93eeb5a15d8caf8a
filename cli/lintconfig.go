package cli

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// contradictions returns what of the configuration has no effect beside the rest of
// it, and the tools and variables it names for nothing.
func (b *bench) contradictions(a prompt.Assembly) []prompt.Diagnostic {
	var out []prompt.Diagnostic
	say := func(s prompt.Severity, code, key, format string, args ...any) {
		o, set := written(b.cfg, key)
		if !set {
			return
		}
		out = append(out, prompt.Diagnostic{Severity: s, Code: code, Path: o.Path, Line: o.Line, Column: o.Column, Message: key + " " + fmt.Sprintf(format, args...)})
	}
	const contradiction = "config.contradiction"
	for _, k := range config.Keys() {
		switch {
		case strings.ContainsAny(k.Name, "[*"):
		case strings.HasPrefix(k.Name, "deepseek.") && b.cfg.Preset != "deepseek", strings.HasPrefix(k.Name, agentScope+".") && b.cfg.Preset != agentScope:
			say(prompt.Warning, contradiction, k.Name, "has no effect: the preset is %s", b.preset.Name)
		case k.Name == "variables_missing" && b.cfg.Preset == "deepseek":
			say(prompt.Warning, contradiction, k.Name, "has no effect: the preset deepseek refuses unknown variables")
		}
	}
	for i, name := range b.cfg.Tools.Allow {
		if slices.Contains(b.cfg.Tools.Deny, name) {
			say(prompt.Warning, contradiction, fmt.Sprintf("tools.allow[%d]", i), "has no effect: tools.deny names %s too", near.Show(name))
		}
	}
	b.unusedVariables(a, say)
	if b.skills != nil { // an agent that is built in Go has tools of its own
		b.unknownTools(a, say)
	}
	return out
}

type sayKey func(s prompt.Severity, code, key, format string, args ...any)

// unknownTools looks for keys that name tools which do not exist.
func (b *bench) unknownTools(a prompt.Assembly, say sayKey) {
	known := slices.Clone(a.Known)
	for _, t := range a.Tools {
		known = append(known, t.Name)
	}
	check := func(key, pattern string) {
		if slices.ContainsFunc(known, func(n string) bool { ok, _ := path.Match(pattern, n); return ok }) {
			return
		}
		hint := ""
		if best := near.Best(pattern, known); best != "" {
			hint = "; did you mean " + best + "?"
		}
		say(prompt.Warning, "tool.unknown", key, "names the tool %s, which does not exist%s", near.Show(pattern), hint)
	}
	for i, n := range b.cfg.Tools.Allow {
		check(fmt.Sprintf("tools.allow[%d]", i), n)
	}
	for i, n := range b.cfg.Tools.Deny {
		check(fmt.Sprintf("tools.deny[%d]", i), n)
	}
	for i, r := range b.cfg.Permissions {
		if r.Tool != "" {
			check(fmt.Sprintf("permissions[%d].tool", i), r.Tool)
		}
	}
}

// unusedVariables looks for variables whose value is nowhere in the prompt.
func (b *bench) unusedVariables(a prompt.Assembly, say sayKey) {
	used := map[*span.Origin]bool{}
	for i := range a.Sections {
		for _, s := range a.Sections[i].Text {
			used[s.From] = true
		}
	}
	for _, v := range a.Vars {
		if v.Value != "" && v.From != nil && !used[v.From] {
			if key := "variables." + v.Name; slices.ContainsFunc(b.cfg.Variables, func(p config.Pair) bool { return p.Name == v.Name }) {
				say(prompt.Info, "var.unused", key, "is not used: no template refers to it")
			}
		}
	}
}

// written returns where a key was written, and whether it was: a key that was not has
// the origin of the group that was.
func written(cfg config.Config, key string) (config.Origin, bool) {
	o := cfg.Origin(key)
	group := key[:max(0, strings.LastIndexAny(key, ".["))]
	return o, o.Layer != config.DefaultLayer && (group == "" || o != cfg.Origin(group))
}
