package permit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/proemhq/proem/tool/permit/names"
	"github.com/proemhq/proem/tool/permit/plain"
)

// allows returns the rule that allows a call; of a list of commands, each needs
// one.
func (p *Policy) allows(v *view, g Grants) (string, bool) {
	rules := slices.Concat(p.allow, p.granted(g))
	if v.req.Command == "" {
		c := first(rules, v.permits)
		if c == nil {
			return "", false
		}
		return c.String(), true
	}
	if v.script.Reason != "" || !p.ownCwd(v) {
		return "", false
	}
	var used []string
	for _, cmd := range v.script.List {
		c := first(rules, func(c compiled) bool { return c.covers(v.req.Tool, cmd) })
		if c == nil {
			return "", false
		}
		if !slices.Contains(used, c.String()) {
			used = append(used, c.String())
		}
	}
	return strings.Join(used, ", "), len(used) > 0
}

// granted returns the rules of a person's answers. One that cannot be read allows
// nothing.
func (p *Policy) granted(g Grants) (out []compiled) {
	for _, s := range g.Rules {
		r, err := ParseRule(s)
		if err != nil {
			continue
		}
		r.Action = Allow
		if c, err := p.compile(r); err == nil {
			out = append(out, c)
		}
	}
	return out
}

// permits reports whether an allowing rule is about a call that has no command:
// every path that it really reaches must match.
func (v *view) permits(c compiled) bool {
	switch {
	case c.Tool != "*" && c.Tool != v.req.Tool, c.Command != nil:
		return false
	case c.Path == "":
		return true
	}
	return len(v.real) > 0 && !slices.ContainsFunc(v.real, func(name string) bool { return !c.glob.Match(name) })
}

// covers reports whether an allowing rule is about one command of a plain list.
func (c compiled) covers(tool string, cmd plain.Command) bool {
	if c.Tool != "*" && c.Tool != tool || c.Path != "" {
		return false
	}
	if c.Command == nil {
		return true
	}
	rule, args := c.Command, cmd.Args()
	rest := rule[len(rule)-1] == "*"
	if rest {
		rule = rule[:len(rule)-1]
	}
	if len(args) < len(rule) || !rest && len(args) > len(rule) || !slices.Equal(rule, args[:len(rule)]) {
		return false
	}
	return !rest || plain.Covers(args, len(rule)) == ""
}

// uncovered says why a "*" that one may have expected to allow a command does not.
func (p *Policy) uncovered(v *view, g Grants) string {
	for _, cmd := range v.script.List {
		args := cmd.Args()
		for _, c := range slices.Concat(p.allow, p.granted(g)) {
			n := len(c.Command) - 1
			if n < 0 || c.Command[n] != "*" || c.Tool != "*" && c.Tool != v.req.Tool || len(args) < n || !slices.Equal(args[:n], c.Command[:n]) {
				continue
			}
			if why := plain.Covers(args, n); why != "" {
				return fmt.Sprintf("%s does not cover it: %s", c.String(), why)
			}
		}
	}
	return ""
}

// verb is a word that is surely a subcommand.
var verb = regexp.MustCompile(`^[a-z][a-z-]*$`)

// suggest returns the rules that together would allow the call, exactly this one
// and, if there are, wider ones. Both are empty if no rule can.
func (p *Policy) suggest(v *view, g Grants) [][]string {
	var exact, wider []Rule
	switch {
	case v.req.Command == "" && len(v.req.Paths) == 0:
		exact = append(exact, Rule{Tool: v.req.Tool})
	case v.req.Command == "":
		for _, name := range v.real {
			exact = append(exact, Rule{Tool: v.req.Tool, Path: names.Escape(p.short(name))})
		}
		switch { // a rule about paths must match them all
		case len(v.req.Paths) > 1:
			exact = []Rule{{Tool: v.req.Tool}}
		case len(exact) > 1: // a file with several names: the tool's name alone would allow far more
			exact = nil
		}
	case v.script.Reason == "" && p.ownCwd(v):
		for _, cmd := range v.script.List {
			args := cmd.Args()
			if _, ok := p.allows(&view{req: v.req, script: plain.Script{List: []plain.Command{cmd}}}, g); ok {
				continue
			}
			exact = append(exact, Rule{Tool: v.req.Tool, Command: args})
			n := 1
			if len(args) > 1 && verb.MatchString(args[1]) {
				n = 2
			}
			if plain.Covers(args, n) == "" && !plain.Launches(args) {
				wider = append(wider, Rule{Tool: v.req.Tool, Command: append(slices.Clone(args[:n]), "*")})
			}
		}
		if len(wider) < len(exact) {
			wider = nil
		}
		if slices.ContainsFunc(exact, func(r Rule) bool { return r.Command[len(r.Command)-1] == "*" }) {
			exact = nil // a literal star cannot be written there
		}
	}
	return [][]string{p.proven(v, g, exact), p.proven(v, g, wider)}
}

// proven returns the rules as text if they really allow the call.
func (p *Policy) proven(v *view, g Grants, rules []Rule) (out []string) {
	for _, r := range rules {
		if s := r.String(); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil
	}
	if _, ok := p.allows(v, Grants{Rules: slices.Concat(g.Rules, out)}); !ok {
		return nil
	}
	return out
}

// short is a path as a rule writes it: below the first root if it lies there.
func (p *Policy) short(name string) string {
	if len(p.roots) > 0 && name != p.roots[0] && names.Inside(p.roots[0], name) {
		return strings.TrimPrefix(strings.TrimPrefix(name, p.roots[0]), "/")
	}
	return name
}
