package permit

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/tool/permit/names"
	"github.com/proemhq/proem/tool/permit/plain"
)

// view is a request with all that rules are compared with.
type view struct {
	req      Request
	readOnly bool
	script   plain.Script
	names    []string // folded: everything that the call may touch
	real     []string // where its paths lead; nil if that is not known of all
}

func (p *Policy) view(r Request) (*view, error) {
	v := &view{req: r, readOnly: r.ReadOnly && r.Command == ""}
	if r.Unsure != "" {
		return nil, fmt.Errorf("it cannot be told what it touches: %s", r.Unsure)
	}
	if r.Command != "" {
		var err error
		if v.script, err = plain.Parse(r.Command, p.limits); err != nil {
			return nil, err
		}
	}
	mentioned := p.mentioned(v.script, r)
	if n := len(r.Paths) + len(r.Resolved) + len(mentioned); n > p.maxPaths {
		return nil, fmt.Errorf("it names more than %d paths", p.maxPaths)
	}
	base := p.base(r)
	known := map[string][]Resolved{}
	for _, at := range r.Resolved {
		lit := names.Clean(base, at.Literal)
		known[lit] = append(known[lit], at)
		v.names = append(v.names, at.Literal)
		if at.Real != "" {
			v.names = append(v.names, at.Real)
		}
		v.names = append(v.names, at.Aliases...)
	}
	all := true
	for _, name := range r.Paths {
		lit := names.Clean(base, name)
		v.names = append(v.names, lit)
		all = all && len(known[lit]) > 0
		for _, at := range known[lit] {
			all = all && at.Real != "" && !at.Elsewhere
			for _, real := range append([]string{at.Real}, at.Aliases...) {
				v.real = append(v.real, names.Clean(base, real))
			}
		}
	}
	if !all {
		v.real = nil
	}
	v.names = append(v.names, mentioned...)
	for i, name := range v.names {
		v.names[i] = names.Fold(names.Clean(base, name))
	}
	slices.Sort(v.names)
	v.names = slices.Compact(v.names)
	return v, nil
}

// base is the directory below which relative paths are meant.
func (p *Policy) base(r Request) string {
	switch {
	case r.Cwd != "":
		return names.Clean("/", r.Cwd)
	case len(p.roots) > 0:
		return p.roots[0]
	}
	return "/"
}

// ownCwd reports whether a call runs inside the roots.
func (p *Policy) ownCwd(v *view) bool {
	return v.req.Cwd == "" || slices.ContainsFunc(p.roots, func(r string) bool { return names.Inside(r, names.Clean("/", v.req.Cwd)) })
}

// Mentions returns what may be a path in a command: words, what stands behind an
// option, "=" or ":" in them, and targets of redirections, as absolute paths. It
// is for finding what a command reaches that is forbidden.
func (p *Policy) Mentions(r Request) []string {
	s, err := plain.Parse(r.Command, p.limits)
	if err != nil {
		return nil
	}
	return p.mentioned(s, r)
}

func (p *Policy) mentioned(s plain.Script, r Request) []string {
	base := p.base(r)
	seen := map[string]bool{}
	var out []string
	add := func(word string) {
		if word == "" || len(word) > 4096 || strings.ContainsRune(word, 0) {
			return
		}
		if p.home != "" && (word == "~" || strings.HasPrefix(word, "~/")) {
			word = filepath.ToSlash(p.home) + word[1:]
		}
		if word = names.Clean(base, word); !seen[word] {
			seen[word] = true
			out = append(out, word)
		}
	}
	each := func(word string) {
		add(word)
		for i, c := range []byte(word) {
			if c == '=' || c == ':' || c == ',' {
				add(word[i+1:])
			}
		}
		if len(word) > 2 && word[0] == '-' && word[1] != '-' {
			add(word[2:])
		}
	}
	for _, c := range s.All {
		for i, w := range c.Words {
			if i > 0 || strings.Contains(w.Text, "/") {
				each(w.Text)
			}
		}
	}
	for _, t := range s.Targets {
		each(t.Text)
	}
	return out
}

// protects returns the protected name that the call would change, if any.
func (p *Policy) protects(v *view) string {
	if v.readOnly {
		return ""
	}
	for _, pr := range p.protected {
		for _, name := range v.names {
			if pr.within.Match(name) || pr.parent.Match(name) {
				return pr.name
			}
		}
	}
	return ""
}

// forbids reports whether a rule that denies or asks is about the call.
func (v *view) forbids(c compiled) bool {
	switch {
	case c.Tool != "*" && c.Tool != v.req.Tool:
		return false
	case c.Path != "":
		return slices.ContainsFunc(v.names, c.glob.Match)
	case c.Command != nil:
		return slices.ContainsFunc(v.script.All, func(cmd plain.Command) bool { return loose(c.Command, cmd.Words) })
	}
	return true
}

// Denies reports whether a rule denies that a tool reaches a file. A tool that
// walks through folders asks this for each file and leaves out what is denied.
func (p *Policy) Denies(tool string, at Resolved) bool { return p.matches(p.deny, tool, at) }

// Asks reports whether a rule asks about a tool reaching a file. A search leaves out
// such a file too, unless its call names a path that the rule is about: about that
// somebody was asked.
func (p *Policy) Asks(tool string, at Resolved) bool { return p.matches(p.ask, tool, at) }

func (p *Policy) matches(rules []compiled, tool string, at Resolved) bool {
	v := &view{req: Request{Tool: tool}}
	for _, name := range append([]string{at.Literal, at.Real}, at.Aliases...) {
		if name != "" {
			v.names = append(v.names, names.Fold(names.Clean("/", name)))
		}
	}
	return first(rules, v.forbids) != nil
}

// loose compares the words of a forbidding rule with a command. Options may stand
// between the words, each with a value; a word that is not known may be anything.
func loose(rule []string, words []plain.Word) bool {
	if rule[len(rule)-1] == "*" {
		rule = rule[:len(rule)-1]
	}
	if len(rule) == 0 {
		return true
	}
	if !words[0].Known || names.Fold(plain.Base(words[0].Text)) != names.Fold(plain.Base(rule[0])) {
		return false
	}
	rule, words = rule[1:], words[1:]
	at := make([]bool, len(words)+1) // where the next word of the rule may stand
	at[0] = true
	for _, want := range rule {
		next := make([]bool, len(words)+1)
		for i, w := range words {
			if !at[i] {
				continue
			}
			if !w.Known {
				return true
			}
			if w.Text == want {
				next[i+1] = true
			}
			if strings.HasPrefix(w.Text, "-") {
				at[i+1] = true
				if i+1 < len(words) && !strings.HasPrefix(words[i+1].Text, "-") {
					at[min(i+2, len(words))] = true
				}
			}
		}
		at = next
	}
	return slices.Contains(at, true)
}
