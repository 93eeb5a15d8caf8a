package toolset

import (
	"context"
	"slices"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
)

// Shows reports whether a skill exists for somebody, in the session that the context
// is of.
type Shows func(ctx context.Context, who prompt.Who, name string) bool

// Only shows the named skills and no others.
func Only(names ...string) Shows {
	return func(_ context.Context, _ prompt.Who, name string) bool { return slices.Contains(names, name) }
}

// Filter returns a repository without the skills that are not shown. They are
// neither listed nor loaded, so the list is the border of what a session may use. It
// is listed for every request.
func Filter(r skills.Repository, shows Shows) skills.Repository { return filtered{r, shows} }

type filtered struct {
	skills.Repository
	shows Shows
}

var _ skills.Browser = filtered{}

// List implements [skills.Repository].
func (f filtered) List(ctx context.Context, who prompt.Who) (skills.Listing, error) {
	l, err := f.Repository.List(ctx, who)
	if err != nil {
		return l, err
	}
	l.Skills = slices.DeleteFunc(slices.Clone(l.Skills), func(s skills.Skill) bool { return !f.shows(ctx, who, s.Name) })
	return l, nil
}

// Version implements [skills.Repository]: what is shown may change at any time.
func (f filtered) Version(context.Context, prompt.Who) (string, error) { return "", nil }

// Open implements [skills.Repository].
func (f filtered) Open(ctx context.Context, who prompt.Who, skill, path string) (skills.Resource, error) {
	if !f.shows(ctx, who, skill) {
		return skills.Resource{}, f.unknown(skill, path)
	}
	return f.Repository.Open(ctx, who, skill, path)
}

// Files implements [skills.Browser].
func (f filtered) Files(ctx context.Context, who prompt.Who, skill string) ([]string, bool, error) {
	if !f.shows(ctx, who, skill) {
		return nil, false, f.unknown(skill, "")
	}
	if b, ok := f.Repository.(skills.Browser); ok {
		return b.Files(ctx, who, skill)
	}
	return nil, false, nil
}

func (f filtered) unknown(skill, path string) error {
	return &skills.Error{Code: skills.CodeUnknown, Skill: skill, Path: path, Message: "there is no such skill"}
}
