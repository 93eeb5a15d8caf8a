package skills

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
)

// A Tier is a repository with its place among others.
type Tier struct {
	// Scope is what tells its skills from others of the same name, as in
	// deploy@user. Each tier has its own; it holds no @.
	Scope string
	Repo  Repository
}

// A Config says which skills there are and how the prompt lists them.
type Config struct {
	Tiers []Tier // from low to high precedence: the last one with a name has it
	// ListMaxBytes is the budget of the list in the prompt, with its frame and the
	// fence that a preset puts around it; 0: DefaultListMaxBytes; less than 0: nothing is
	// listed.
	ListMaxBytes int
	Tool         string // the name of the tool that loads a skill; empty: none is named
	Head, Foot   string // around the lines; both empty: a heading and how to use the list
}

// A Set is skills of several tiers laid over each other, and the source of their
// list. It may be used concurrently.
type Set struct {
	cfg Config

	mu   sync.Mutex
	last map[string]*made // by the versions of all tiers
}

var _ source.Source = (*Set)(nil)

// made is a catalog with the fact that follows from it.
type made struct {
	catalog *Catalog
	fact    prompt.Fact
}

// New returns a set. Nothing is read yet; what is wrong with c is reported when
// the set is used.
func New(c Config) *Set {
	return &Set{cfg: c, last: make(map[string]*made)}
}

// A Catalog is all that somebody's tiers hold. It is shared and not to be
// changed.
type Catalog struct {
	Entries     []Entry // by name; of one name the one that has it first
	Notes       []prompt.Note
	Diagnostics []prompt.Diagnostic
	path        string // of the highest tier that has a skill
}

// An Entry is a skill of a tier.
type Entry struct {
	Skill
	Scope      string
	ShadowedBy string // the skill that has the name instead, such as "deploy@project"; empty: none
}

// Ref returns the name by which this very skill is loaded, such as
// "deploy@user".
func (e *Entry) Ref() string { return e.Name + "@" + e.Scope }

// Find returns the skill of a name: the one that has it, or with "@" and a scope
// behind it the one of that tier.
func (c *Catalog) Find(name string) (Entry, bool) {
	for _, e := range c.Entries {
		if e.ShadowedBy == "" && e.Name == name {
			return e, true
		}
	}
	for _, e := range c.Entries {
		if e.Ref() == name {
			return e, true
		}
	}
	return Entry{}, false
}

// Read returns the list as a fact, or None if there is no skill.
func (s *Set) Read(ctx context.Context, q source.Query) (prompt.Fact, error) {
	m, err := s.make(ctx, q.Who)
	if err != nil {
		return prompt.Fact{}, err
	}
	return m.fact, nil
}

// Catalog returns all skills that somebody sees, also those that others shadow.
func (s *Set) Catalog(ctx context.Context, who prompt.Who) (*Catalog, error) {
	m, err := s.make(ctx, who)
	if err != nil {
		return nil, err
	}
	return m.catalog, nil
}

// remembered is how many catalogs a set keeps: one, and one for each user with
// skills of their own.
const remembered = 1 << 10

// make lists the tiers unless all of them have the versions of a time before.
func (s *Set) make(ctx context.Context, who prompt.Who) (*made, error) {
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("source skills: %w", err)
	}
	key, known := s.versions(ctx, who)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("source skills: %w", err)
	}
	if known {
		s.mu.Lock()
		m := s.last[key]
		s.mu.Unlock()
		if m != nil {
			return m, nil
		}
	}
	c, err := s.list(ctx, who)
	if err != nil {
		return nil, fmt.Errorf("source skills: %w", err)
	}
	m := &made{c, s.fact(c)}
	// What was listed may be younger than the versions.
	if again, _ := s.versions(ctx, who); known && again == key {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.last) >= remembered {
			clear(s.last)
		}
		s.last[key] = m
	}
	return m, nil
}

func (s *Set) check() error {
	for i, t := range s.cfg.Tiers {
		switch {
		case t.Repo == nil:
			return fmt.Errorf("scope %q has no repository", t.Scope)
		case t.Scope == "" || strings.Contains(t.Scope, "@"):
			return fmt.Errorf("a scope is called %q", t.Scope)
		case slices.ContainsFunc(s.cfg.Tiers[:i], func(u Tier) bool { return u.Scope == t.Scope }):
			return fmt.Errorf("two tiers have the scope %q", t.Scope)
		}
	}
	return nil
}

// versions returns the versions of all tiers as one string. They are not known
// if one tier does not know its own.
func (s *Set) versions(ctx context.Context, who prompt.Who) (key string, known bool) {
	var b strings.Builder
	known = true
	for _, t := range s.cfg.Tiers {
		v, err := t.Repo.Version(ctx, who)
		known = known && err == nil && v != ""
		b.WriteString(strconv.Quote(v))
	}
	return b.String(), known
}

// list lays the tiers over each other. One that fails is reported, and the
// others count.
func (s *Set) list(ctx context.Context, who prompt.Who) (*Catalog, error) {
	c := &Catalog{}
	has := make(map[string]*Entry) // by name
	for _, t := range slices.Backward(s.cfg.Tiers) {
		l, err := t.Repo.List(ctx, who)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			c.Diagnostics = append(c.Diagnostics, prompt.Diagnostic{Severity: prompt.Warning, Code: "skill.repository",
				Message: fmt.Sprintf("the skills of scope %s are left out: %v", t.Scope, err)})
			continue
		}
		c.Diagnostics = append(c.Diagnostics, l.Diagnostics...)
		for _, sk := range l.Skills {
			e := Entry{Skill: sk, Scope: t.Scope}
			if by := has[sk.Name]; by != nil {
				e.ShadowedBy = by.Ref()
				c.Notes = append(c.Notes, prompt.Note{Name: "skill:" + e.Ref(), Path: e.Path, Stage: Stage, Reason: "shadowed by " + e.ShadowedBy})
			} else {
				has[sk.Name] = &e
				c.path = cmp.Or(c.path, l.Path)
			}
			c.Entries = append(c.Entries, e)
		}
	}
	// Tiers were added from the highest down, which the sort keeps.
	slices.SortStableFunc(c.Entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(c.Notes, func(a, b prompt.Note) int { return strings.Compare(a.Name, b.Name) })
	return c, nil
}

// find returns the entry of a name and the repository that holds it.
func (s *Set) find(ctx context.Context, who prompt.Who, name string) (Entry, Repository, error) {
	m, err := s.make(ctx, who)
	if err != nil {
		return Entry{}, nil, err
	}
	e, ok := m.catalog.Find(name)
	if !ok {
		if err := checkSkill(name); err != nil {
			return Entry{}, nil, err
		}
		return Entry{}, nil, unknown(name)
	}
	for _, t := range s.cfg.Tiers {
		if t.Scope == e.Scope {
			return e, t.Repo, nil
		}
	}
	return Entry{}, nil, errors.New("source skills: a scope is gone")
}
