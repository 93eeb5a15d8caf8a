package config

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/span"
)

// DefaultAgent is the name of the agent of the project's own file.
const DefaultAgent = "default"

// other reports whether a name is that of a further agent.
func other(name string) bool { return name != "" && name != DefaultAgent }

// Agents returns the names of the further agents beside a project's file in
// ascending order. A project without any has none.
func Agents(e *env.Env, projectFile string) ([]string, error) {
	root, err := env.OrSystem(e).Files.OpenRoot(filepath.Dir(projectFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	entries, err := root.ReadDir("agents")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".yaml"); ok && isID(name) && !e.IsDir() {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, err
}

// project reads the file of the agent and, before it, those it extends.
func (l *loader) project() {
	name := cmp.Or(l.opt.Agent, DefaultAgent)
	asked := &layer{path: "--agent"}
	var chain []*node
	seen := map[string]bool{}
	for by := asked; name != ""; {
		switch {
		case seen[name]:
			l.fault(CodeAgent, by, name, "this agent extends itself")
			return
		case !isID(name):
			l.fault(CodeAgent, by, name, "an agent's name is made of letters, digits, _ and -")
			return
		}
		seen[name] = true
		n, ok := l.agent(name, by)
		if !ok {
			return
		}
		chain = append(chain, n)
		by, name = n.from, n.get("extends").text
	}
	for i, n := range slices.Backward(chain) {
		if i > 0 { // name and parent are the chosen agent's
			n = n.without("extends").without("name")
		}
		l.add(n)
	}
}

// agent reads the file of one agent. What it extends is then part of it.
func (l *loader) agent(name string, by *layer) (*node, bool) {
	if l.opt.ProjectFile == "" {
		if other(name) {
			l.fault(CodeAgent, by, name, "there is no project, so there are no agents")
			return nil, false
		}
		return l.withParent(&node{kind: mapping, from: &layer{name: ProjectLayer}}, name)
	}
	path := l.opt.ProjectFile
	if other(name) {
		path = filepath.Join(filepath.Dir(path), "agents", name+".yaml")
	}
	from := &layer{name: ProjectLayer, path: path, dir: filepath.Dir(path), trust: span.Workspace,
		bound: cmp.Or(l.opt.Root, filepath.Dir(l.opt.ProjectFile))}
	data, err := l.inProject(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && other(name):
		l.noAgent(name, by)
		return nil, false
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		l.unreadable(path, err)
		return nil, false
	}
	n, ok := l.parse(data, from)
	if !ok {
		return nil, false
	}
	return l.withParent(n, name)
}

// withParent fills in what an agent extends, and its name.
func (l *loader) withParent(n *node, name string) (*node, bool) {
	add := func(key, value string) {
		if v := n.get(key); v == nil || v.kind == null {
			n = n.with(entry{name: key, line: 1, column: 1,
				value: &node{kind: text, text: value, line: 1, column: 1, from: n.from}})
		}
	}
	if other(name) {
		add("name", name)
		add("extends", DefaultAgent)
	} else {
		add("extends", "")
	}
	if e := n.get("extends"); e.kind != text {
		d := &decoder{}
		d.wrongType(e, "extends", "text")
		l.faults = append(l.faults, d.faults...)
		return nil, false
	}
	return n, true
}

func (l *loader) noAgent(name string, by *layer) {
	known, err := Agents(l.env, l.opt.ProjectFile)
	message := "there is no such agent"
	switch {
	case err != nil:
		message += ", and those that exist cannot be listed: " + err.Error()
	case nearest(name, known) != "":
		message += "; did you mean " + nearest(name, known) + "?"
	case len(known) > 0:
		message += "; there are " + enumerate(known)
	}
	l.fault(CodeAgent, by, name, message)
}
