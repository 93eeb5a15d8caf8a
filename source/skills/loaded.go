package skills

import (
	"context"
	"errors"
	"fmt"

	"github.com/proemhq/proem/internal/frontmatter"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// A Loaded is a skill with its text.
type Loaded struct {
	Entry
	Body  span.Text // what stands below the front matter
	Files []string  // what Open can read besides, ascending; nil if the repository does not tell
	// More says that there are further files, which are not named.
	More bool
	// SHA256 is that of the whole Manifest, in hex: while it is the same, so is the
	// body. It is empty if the repository does not tell.
	SHA256      string
	Diagnostics []prompt.Diagnostic // of the reading
}

// Load returns a skill, by its name or with "@" and a scope behind it. The error
// is an *[Error] if it is the skill's.
func (s *Set) Load(ctx context.Context, who prompt.Who, name string) (*Loaded, error) {
	e, repo, err := s.find(ctx, who, name)
	if err != nil {
		return nil, err
	}
	res, err := repo.Open(ctx, who, e.Name, Manifest)
	if err != nil {
		return nil, err
	}
	own(&e, &res)
	doc, err := frontmatter.Parse(res.Text)
	var bad *frontmatter.Error
	if errors.As(err, &bad) { // it was changed since it was listed
		return nil, &Error{Code: CodeRefused, Skill: name, Path: Manifest, Message: bad.Error(), Err: err}
	}
	l := &Loaded{Entry: e, SHA256: res.SHA256, Diagnostics: res.Diagnostics}
	l.Body = res.Spans.Slice(doc.Body, len(res.Text))
	if res.Partial {
		mark := fmt.Sprintf("\n[cut here: the skill has %d bytes]\n", res.Size)
		l.Body = append(l.Body, span.Span{Text: mark, From: span.Generated("truncated"), Off: span.NoOffset})
	}
	if b, ok := repo.(Browser); ok {
		paths, all, err := b.Files(ctx, who, e.Name)
		if err != nil {
			return nil, err
		}
		l.Files, l.More = paths, !all
	}
	return l, nil
}

// Open reads a file of a skill; the path is relative to the skill. The error is
// an *[Error] if it is the skill's or the path's.
func (s *Set) Open(ctx context.Context, who prompt.Who, name, path string) (Resource, error) {
	if err := checkSkill(name); err != nil {
		return Resource{}, err
	}
	clean, err := CheckPath(name, path)
	if err != nil {
		return Resource{}, err
	}
	e, repo, err := s.find(ctx, who, name)
	if err != nil {
		return Resource{}, err
	}
	res, err := repo.Open(ctx, who, e.Name, clean)
	if err != nil {
		return Resource{}, err
	}
	own(&e, &res)
	return res, nil
}

// own gives the text of a repository that does not know of spans an origin.
func own(e *Entry, r *Resource) {
	if r.Spans == nil {
		r.Spans = span.Of(r.Text, &span.Origin{Section: "skill:" + e.Name, Source: "skill", Path: r.Path, Trust: e.Trust})
	}
}
