package config

import (
	"fmt"
	"slices"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// Options say what a configuration is made of. All paths are absolute. The zero
// value gives the defaults.
type Options struct {
	Env *env.Env // nil: the operating system's

	UserFile    string // the user's config.yaml; it need not exist
	ProjectFile string // the project's agent.yaml; it need not exist
	ConfigFile  string // the file of --config; it must exist
	Root        string // the project's root, which its files do not lead out of; empty: where ProjectFile lies
	// Agent names another agent of the project, agents/NAME.yaml beside
	// ProjectFile. Empty or "default": the one of ProjectFile.
	Agent string
	// TrustProject lets the project's files be read. Without it they are not even
	// looked at.
	TrustProject bool

	Environ []string // lines NAME=VALUE; those that begin with PROEM_ count
	Set     []string // KEY=VALUE
	Cwd     string   // what the paths in Environ and Set are relative to
}

// A loader gathers layers, the weakest first.
type loader struct {
	opt    Options
	env    *env.Env
	tree   *node
	faults Faults
	notes  []prompt.Diagnostic
}

// Load reads the layers and returns what they make together. The error is a
// [Faults] with everything that is wrong; the Config then holds what could be
// read and is of use for messages only. The diagnostics are warnings.
//
// Every key has a variable, see [Key.Variable]; so have entries of maps:
// PROEM_VARIABLES_ROLE and PROEM_PROVIDERS_OPENAI_BASE_URL.
//
// An agent's file is read after the file of the agent it extends, which is the
// project's default agent unless it says otherwise. Where a project has
// permissions, the user's rules that deny or ask stay in force before them.
func Load(o Options) (Config, []prompt.Diagnostic, error) {
	l := &loader{opt: o, env: env.OrSystem(o.Env), tree: &node{kind: mapping, from: &layer{name: DefaultLayer}}}
	l.user()
	if o.TrustProject {
		l.project()
	} else if other(o.Agent) {
		l.fault(CodeAgent, &layer{path: "--agent"}, o.Agent, "the project is not trusted, so its agents are not read")
	}
	if o.ConfigFile != "" {
		l.file(o.ConfigFile, ConfigLayer, true)
	}
	l.environment(o.Environ, o.Cwd)
	l.sets(o.Set, o.Cwd)

	var c Config
	c.origins = map[string]Origin{}
	merged := merge(defaultTree(), prune(l.tree))
	d := &decoder{}
	d.group(merged, root(), "", &c)
	c.record("", merged)
	d.models(merged, c)
	for _, f := range d.faults {
		if !slices.Contains(l.faults, f) {
			l.faults = append(l.faults, f)
		}
	}
	if len(l.faults) > 0 {
		return c, l.notes, l.faults
	}
	return c, l.notes, nil
}

// models checks the models once all providers are known.
func (d *decoder) models(merged *node, c Config) {
	if c.Model != "" {
		d.model(merged.get("model"), "model", c.Model, c.Providers)
	}
	n := merged.get("fallback")
	for i, m := range c.Fallback {
		if m != "" {
			d.model(n.items[i], fmt.Sprintf("fallback[%d]", i), m, c.Providers)
		}
	}
}

// user reads the user's file.
func (l *loader) user() {
	if l.opt.UserFile != "" {
		l.file(l.opt.UserFile, UserLayer, false)
	}
}

// add checks a layer on its own and lays it over the others. What it says of a
// text also speaks of the file that could stand instead.
func (l *loader) add(n *node) {
	d := &decoder{}
	d.group(n, root(), "", &Config{})
	for _, key := range []string{"system_prompt", "instructions"} {
		text, file := n.get(key), n.get(key+"_file")
		switch {
		case text != nil && file != nil && text.kind != null && file.kind != null:
			d.fault(CodeValue, file, key+"_file", "%s is given too; one of them counts", key)
		case text != nil:
			l.tree = l.tree.without(key + "_file")
		case file != nil:
			l.tree = l.tree.without(key)
		}
	}
	slices.SortStableFunc(d.faults, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	l.faults = append(l.faults, d.faults...)
	if n.from.name == ProjectLayer {
		n = l.guard(n)
	}
	l.tree = merge(l.tree, n)
}

// guard takes the user's keys out of a project's layer, which is at fault by
// then, and keeps the user's permissions that deny or ask before its own.
func (l *loader) guard(n *node) *node {
	for _, f := range root().fields {
		if f.userOnly() {
			n = n.without(f.name)
		}
	}
	rules, old := n.get("permissions"), l.tree.get("permissions")
	if rules == nil || old == nil || old.kind != list {
		return n
	}
	kept := *rules
	kept.kind, kept.items = list, nil
	for _, r := range old.items {
		if a := r.get("action"); r.from.trust == span.User && (a == nil || a.text != "allow") {
			kept.items = append(kept.items, r)
		}
	}
	kept.items = append(kept.items, rules.items...)
	return n.with(entry{name: "permissions", value: &kept, line: rules.line, column: rules.column})
}

// fault notes what is wrong with a name or a line that has no place in a file.
func (l *loader) fault(code string, from *layer, key, message string) {
	f := Fault{Code: code, Path: from.path, Key: key, Message: visible(key + ": " + message)}
	if from.name != "" {
		f.Line, f.Column = 1, 1
	}
	l.faults = append(l.faults, f)
}
