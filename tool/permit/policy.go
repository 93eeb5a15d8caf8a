package permit

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/tool/permit/names"
	"github.com/proemhq/proem/tool/permit/plain"
)

// A Config says what a policy is made of. The zero value asks for everything that
// changes something.
type Config struct {
	Mode  Mode   // what happens where no rule decides
	Rules []Rule // the first that denies, then the first that asks, then the first that allows
	// Roots are absolute directories without links, fixed for the whole session. A
	// relative glob is meant below each, a relative path below the first.
	Roots []string
	Home  string // what "~" stands for; empty: it is not known
	// Protected are globs of what is never changed without asking. Nil:
	// [DefaultProtected]; empty: nothing.
	Protected []string
	Limits    plain.Limits // of commands
	MaxPaths  int          // of one call, those that a command mentions included; 0: 1000
}

// DefaultProtected returns the names that are protected: what runs later, or says
// what runs, without anybody looking at it again. They are names, so they also
// protect what does not exist yet.
func DefaultProtected() []string {
	return []string{
		"**/.git", "**/.githooks", "**/.husky", "**/.gitmodules", "**/.envrc", "**/.mcp.json",
		"**/.proem/agent.yaml", "**/.proem/agents", "**/.proem/subagents", "**/.proem/hooks",
		"**/.claude", "**/.cursor", "**/.gemini", "**/.codex", "**/.vscode", "**/.idea", "**/.devcontainer",
	}
}

// A Policy decides. It does not change and may be used concurrently.
type Policy struct {
	mode      Mode
	deny      []compiled
	ask       []compiled
	allow     []compiled
	protected []protected
	roots     []string
	home      string
	limits    plain.Limits
	maxPaths  int
	places    []string // where else names of a file are looked for
}

// compiled is a rule that is ready to be compared.
type compiled struct {
	Rule
	glob names.Glob
}

// protected is a name with the folder that it stands in, by which it could be
// moved or replaced.
type protected struct {
	name   string
	within names.Glob
	parent names.Glob
}

// New returns a policy. The error names the rule that is wrong.
func New(c Config) (*Policy, error) {
	p := &Policy{home: c.Home, limits: c.Limits, maxPaths: c.MaxPaths}
	if p.maxPaths <= 0 {
		p.maxPaths = 1000
	}
	var err error
	if p.mode, err = ParseMode(string(c.Mode)); err != nil {
		return nil, err
	}
	for _, r := range c.Roots {
		if !names.Absolute(filepath.ToSlash(r)) {
			return nil, fmt.Errorf("the root %q is not absolute", r)
		}
		p.roots = append(p.roots, names.Clean("/", r))
	}
	for i, r := range c.Rules {
		compiledRule, err := p.compile(r)
		if err != nil {
			return nil, fmt.Errorf("permission %d, %s %s: %w", i+1, r.Action, r, err)
		}
		list := map[Action]*[]compiled{Deny: &p.deny, Ask: &p.ask, Allow: &p.allow}[r.Action]
		*list = append(*list, compiledRule)
		if r.Action != Allow {
			p.places = append(p.places, p.place(r.Path)...)
		}
	}
	protect := c.Protected
	if protect == nil {
		protect = DefaultProtected()
	}
	for _, n := range protect {
		pr, err := p.protect(n)
		if err != nil {
			return nil, fmt.Errorf("protected name %q: %w", n, err)
		}
		p.protected = append(p.protected, pr)
		p.places = append(p.places, p.place(n)...)
	}
	return p, nil
}

// In returns the policy in another mode, with the same rules. Empty: the mode it
// has. A mode that does not exist is taken for [Plan], the strictest.
func (p *Policy) In(m Mode) *Policy {
	if m == "" || m == p.mode {
		return p
	}
	q := *p
	if q.mode = m; m != Default && m != AcceptEdits && m != Bypass {
		q.mode = Plan
	}
	return &q
}

// Mode returns the mode of the policy.
func (p *Policy) Mode() Mode { return p.mode }

// place is the folder outside of the roots that a glob is about, if it names one.
func (p *Policy) place(pattern string) []string {
	if strings.HasPrefix(pattern, "~/") {
		pattern = names.Escape(names.Clean("/", p.home)) + pattern[1:]
	}
	if !names.Absolute(pattern) {
		return nil
	}
	segs := strings.Split(pattern, "/")
	n := slices.IndexFunc(segs, func(s string) bool { return strings.ContainsAny(s, `*?[\`) })
	if n < 0 {
		n = len(segs)
	}
	dir := strings.Join(segs[:n], "/")
	if dir == "" || slices.ContainsFunc(p.roots, func(r string) bool { return names.Inside(r, dir) }) {
		return nil
	}
	return []string{dir}
}

func (p *Policy) compile(r Rule) (compiled, error) {
	if err := r.check(); err != nil {
		return compiled{}, err
	}
	r.Command = slices.Clone(r.Command)
	out := compiled{Rule: r}
	if r.Path == "" {
		return out, nil
	}
	var err error
	out.glob, err = names.Compile(r.Path, p.roots, p.home, r.Action != Allow)
	return out, err
}

func (p *Policy) protect(name string) (protected, error) {
	out := protected{name: name}
	err := names.Check(name)
	if err != nil {
		return out, err
	}
	if out.within, err = names.Compile(name, p.roots, p.home, true); err != nil {
		return out, err
	}
	for _, segs := range out.within {
		segs = segs[:len(segs)-2] // without the name and the "**" behind it
		if n := len(segs); n > 0 && segs[n-1] != "**" && !slices.ContainsFunc(p.roots, func(r string) bool { return names.Fold(r) == "/"+strings.Join(segs, "/") }) {
			out.parent = append(out.parent, segs)
		}
	}
	return out, nil
}

// Decide judges a call. Grants are what a person allowed in this session.
func (p *Policy) Decide(r Request, g Grants) Decision {
	v, err := p.view(r)
	if err != nil {
		return denied("limit", err.Error())
	}
	if c := first(p.deny, v.forbids); c != nil {
		return denied("deny "+c.String(), "a rule denies it: "+c.String())
	}
	if p.mode == Plan && !v.readOnly {
		return denied("mode plan", "in the mode plan nothing is changed")
	}
	if g.holds(v) {
		return allowed("answer", "a person allowed this very call for the session")
	}
	if d := p.mustAsk(v); d.Action == Ask {
		return d
	}
	if rule, ok := p.allows(v, g); ok {
		return allowed("allow "+rule, "a rule allows it: "+rule)
	}
	return p.rest(v, g)
}

// mustAsk finds what no rule and no mode can allow.
func (p *Policy) mustAsk(v *view) Decision {
	if name := p.protects(v); name != "" {
		return v.question("protected "+name, "it would change what is protected: "+name, nil)
	}
	if c := first(p.ask, v.forbids); c != nil {
		return v.question("ask "+c.String(), "a rule asks: "+c.String(), nil)
	}
	if v.script.Hidden && slices.ContainsFunc(p.deny, func(c compiled) bool { return c.Command != nil }) {
		return v.question("hidden", "it cannot be told which programs the command runs, and a rule denies some", nil)
	}
	return Decision{}
}

// rest is what the mode says.
func (p *Policy) rest(v *view, g Grants) Decision {
	switch {
	case v.readOnly:
		return allowed("mode "+string(p.mode), "it changes nothing")
	case p.mode == Bypass:
		return allowed("mode bypass", "the mode allows everything")
	case p.mode == AcceptEdits && v.req.Command == "" && p.edits(v):
		return allowed("mode accept-edits", "it changes files of the project")
	}
	why := "it may change something"
	switch {
	case v.req.Command == "" && len(v.req.Paths) > 0:
		why = "it may change files"
	case v.script.Reason != "":
		why = "the command is not made of plain words: " + v.script.Reason
	case v.req.Command != "" && !p.ownCwd(v):
		why = "the command runs outside of the project"
	case v.req.Command != "":
		why = "it is a command"
		if c := p.uncovered(v, g); c != "" {
			why += "; " + c
		}
	}
	return v.question("mode "+string(p.mode), why, p.suggest(v, g))
}

// edits reports whether all that is changed lies inside the roots.
func (p *Policy) edits(v *view) bool {
	for _, name := range v.real {
		if !slices.ContainsFunc(p.roots, func(r string) bool { return names.Inside(r, name) }) {
			return false
		}
	}
	return len(v.real) > 0
}

func first(rules []compiled, match func(compiled) bool) *compiled {
	for i := range rules {
		if match(rules[i]) {
			return &rules[i]
		}
	}
	return nil
}

func allowed(rule, why string) Decision { return Decision{Action: Allow, Rule: rule, Why: why} }

func denied(rule, why string) Decision {
	return Decision{Action: Deny, Rule: rule, Why: why,
		Model: "Not run: " + why + ". Do not try another way to the same effect; go on without it, or ask."}
}
