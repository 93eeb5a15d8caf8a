package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
)

// checkText checks a text beyond its type, and resolves a path.
func (d *decoder) checkText(n *node, k *Key, key string, to *string) {
	switch {
	case k.Type == PathType:
		d.resolve(n, k, key, to)
	case k.Inside:
		d.inside(n, k, key)
	case strings.HasSuffix(k.Name, ".base_url"):
		u, err := url.Parse(n.text)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			d.fault(CodeValue, n, key, "it must be an http or https URL")
		}
	case k.Required && strings.TrimSpace(n.text) == "":
		d.fault(CodeValue, n, key, "is blank")
	}
}

// resolve makes a path absolute, by the directory of the file that names it.
func (d *decoder) resolve(n *node, k *Key, key string, to *string) {
	switch {
	case n.text == "":
		return
	case strings.HasPrefix(n.text, "~"):
		d.fault(CodeValue, n, key, "begins with ~, which is not expanded; write the whole path")
		return
	case filepath.IsAbs(n.text):
		*to = filepath.Clean(n.text)
	case n.from.dir == "":
		d.fault(CodeValue, n, key, "is relative; here a path must be absolute")
		return
	default:
		*to = filepath.Join(n.from.dir, n.text)
	}
	if n.from.bound == "" {
		return
	}
	switch rel, err := filepath.Rel(n.from.bound, *to); {
	case err != nil || !filepath.IsLocal(rel):
		d.fault(CodeValue, n, key, "%s lies outside the project; a project's file names its own files only", n.text)
	case load.InGit(rel):
		d.fault(CodeValue, n, key, "%s lies in .git, which is no part of the project", n.text)
	}
}

// inside refuses, in a project's file, paths that lead out of what they are
// relative to.
func (d *decoder) inside(n *node, k *Key, key string) {
	switch {
	case n.from.bound == "":
	case !filepath.IsLocal(n.text):
		d.fault(CodeValue, n, key, "%q leads out of the project; a project's file names what lies in it", n.text)
	case load.InGit(n.text) && k.Name != "project.root_markers":
		d.fault(CodeValue, n, key, "%q lies in .git, which is no part of the project", n.text)
	}
}

// parts checks a list of parts, and gives each the class that its key has no
// default for.
func (d *decoder) parts(n *node, key string, parts []Part) {
	seen := map[string]bool{}
	for i := range parts {
		if n.items[i].kind != mapping {
			continue
		}
		p, path := &parts[i], fmt.Sprintf("%s[%d]", key, i)
		given := func(name string) bool {
			v := n.items[i].get(name)
			return v != nil && v.kind != null
		}
		if given("text") == given("file") {
			d.fault(CodeValue, n.items[i], path, "it must have either text or file")
		}
		if !given("class") {
			p.Class = defaultClass(key, *p)
		}
		id := p.Channel.String() + "\x00" + p.Name
		if seen[id] {
			d.fault(CodeValue, n.items[i], path, "a second %q in channel %s", p.Name, p.Channel)
		}
		seen[id] = true
	}
}

func defaultClass(key string, p Part) prompt.Class {
	switch {
	case key == "contexts":
		return prompt.Turn
	case p.File != "":
		return prompt.Session
	}
	return prompt.Stable
}

// checkPair checks the name and the value of a variable or a header.
func (d *decoder) checkPair(n *node, key string, p Pair) {
	switch {
	case key == "variables":
		if !prompt.IsVarName(p.Name) {
			d.fault(CodeValue, n, join(key, p.Name), "a variable's name is made of a-z, 0-9 and _, and begins with a letter")
		}
	case strings.ContainsAny(p.Name+p.Value, "\r\n\x00") || strings.ContainsAny(p.Name, ": \t") || p.Name == "":
		d.fault(CodeValue, n, join(key, p.Name), "it must be a header's name and a value of one line")
	}
}

// providers checks the names of providers and of key variables. There is one for
// each entry of the map.
func (d *decoder) providers(n *node, key string, providers []Provider) {
	for i, p := range providers {
		v := n.entries[i].value
		if !isID(p.Name) {
			d.fault(CodeValue, v, join(key, p.Name), "a provider's name is made of letters, digits, _ and -")
		}
		if p.KeyEnv != "" && (!isID(p.KeyEnv) || strings.Contains(p.KeyEnv, "-")) {
			d.fault(CodeValue, v.get("key_env"), join(key, p.Name+".key_env"), "it must be the name of an environment variable, not the key itself")
		}
	}
}

// model checks that a model names a provider that exists.
func (d *decoder) model(n *node, key, model string, providers []Provider) {
	name, _, colon := strings.Cut(model, ":")
	known := slices.Clone(builtin)
	for _, p := range providers {
		known = append(known, p.Name)
	}
	switch {
	case model == "" || name == "scripted":
	case !colon || strings.HasSuffix(model, ":") && strings.Count(model, ":") == 1:
		d.fault(CodeValue, n, key, "is %q; it must be provider:name", model)
	case !slices.Contains(known, name):
		hint := "; providers are " + enumerate(known)
		if near := nearest(name, known); near != "" {
			hint = "; did you mean " + near + "?"
		}
		d.fault(CodeValue, n, key, "unknown provider %q%s", name, hint)
	}
}

// isID reports whether s matches [A-Za-z0-9_-]{1,64}.
func isID(s string) bool {
	for _, c := range []byte(s) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// enumerate lists words for a message.
func enumerate(words []string) string { return strings.Join(words, ", ") }
