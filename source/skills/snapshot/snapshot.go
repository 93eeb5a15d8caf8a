// Package snapshot keeps a repository of skills that lies elsewhere: in Git, in a
// database, behind HTTP. A function fetches all of it as it is at one time; this
// package asks it again when it is due, shows what it brought, and goes on with
// the last good state when it fails:
//
//	repo := snapshot.New(snapshot.Config{
//		Trust: span.User,
//		Every: time.Minute,
//		Fetch: func(ctx context.Context, last *snapshot.Tree) (*snapshot.Tree, error) {
//			rev, err := head(ctx)
//			if err != nil || last != nil && last.Version == rev {
//				return last, err // nothing is read again
//			}
//			return readAll(ctx, rev)
//		},
//	})
//
// A fetch has its own time and outlives who started it. As long as there is a
// state to go on with, nobody waits long for the next one.
package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/skills/tree"
	"github.com/proemhq/proem/span"
)

// CodeStale is the code of the warning that a repository cannot be read now and
// that what it held before is used.
const CodeStale = "skill.stale"

// CodeFile is the code of the warning that a file of a repository is left out.
const CodeFile = "skill.file"

// MaxFile is how much of a file anybody reads. One byte more tells a repository
// that there is more.
const MaxFile = 1 << 20

// The defaults of a Config.
const (
	DefaultTimeout = 30 * time.Second
	retry          = 5 * time.Second        // after a failure, and twice as long after the next
	patience       = 500 * time.Millisecond // how long a fetch is waited for when there is a state
)

// A Tree is all files of a repository at one time. It is shared and not changed.
type Tree struct {
	Path    string // where it lies, for people; the names of files follow
	Version string // for the function that fetches, to tell whether anything changed
	// Files begin with the folder of their skill. A content that is read later is
	// that of this version, or an error.
	Files       []tree.File
	Diagnostics []prompt.Diagnostic
}

// A Config says what is kept.
type Config struct {
	Env     *env.Env // nil: the operating system's; its clock says when a fetch is due
	Trust   span.Trust
	Every   time.Duration // how long a state is good for; 0: until somebody asks again
	Timeout time.Duration // of one fetch; 0: DefaultTimeout
	// Fetch returns the present state. last is the one before, or nil; the same one
	// comes back if nothing changed. It is not called concurrently.
	Fetch func(ctx context.Context, last *Tree) (*Tree, error)
}

// A Repository is one that is kept. It may be used concurrently.
type Repository struct {
	cfg Config
	env *env.Env

	mu       sync.Mutex
	state    *state
	err      error // of the last fetch
	failures int   // in a row
	due      time.Time
	fetching chan struct{} // closed when the fetch that runs is over; nil: none runs
}

var (
	_ skills.Repository = (*Repository)(nil)
	_ skills.Browser    = (*Repository)(nil)
)

// state is a tree with what follows from it.
type state struct {
	tree    *Tree
	folder  *skills.Folder
	listing skills.Listing
	version string
}

// New returns a repository. Nothing is fetched yet.
func New(c Config) *Repository { return &Repository{cfg: c, env: env.OrSystem(c.Env)} }

// List implements [skills.Repository].
func (r *Repository) List(ctx context.Context, _ prompt.Who) (skills.Listing, error) {
	s, stale, err := r.now(ctx)
	if err != nil {
		return skills.Listing{}, err
	}
	l := s.listing
	if stale != nil {
		l.Diagnostics = append(l.Diagnostics[:len(l.Diagnostics):len(l.Diagnostics)], prompt.Diagnostic{
			Severity: prompt.Warning, Code: CodeStale, Path: s.tree.Path,
			Message: fmt.Sprintf("the skills cannot be read anew: %v; those from before are used", stale)})
	}
	return l, nil
}

// Version implements [skills.Repository].
func (r *Repository) Version(ctx context.Context, _ prompt.Who) (string, error) {
	s, stale, err := r.now(ctx)
	switch {
	case err != nil:
		return "", err
	case stale != nil:
		return s.version + " " + stale.Error(), nil
	}
	return s.version, nil
}

// Open implements [skills.Repository]. It reads from the state that was seen
// last.
func (r *Repository) Open(ctx context.Context, who prompt.Who, skill, path string) (skills.Resource, error) {
	s, err := r.seen(ctx)
	if err != nil {
		return skills.Resource{}, &skills.Error{Code: skills.CodeRefused, Skill: skill, Path: path, Message: err.Error(), Err: err}
	}
	return s.folder.Open(ctx, who, skill, path)
}

// Files implements [skills.Browser], likewise.
func (r *Repository) Files(ctx context.Context, who prompt.Who, skill string) ([]string, bool, error) {
	s, err := r.seen(ctx)
	if err != nil {
		return nil, false, &skills.Error{Code: skills.CodeRefused, Skill: skill, Message: err.Error(), Err: err}
	}
	return s.folder.Files(ctx, who, skill)
}

// seen returns the state that is there, and fetches only if none is.
func (r *Repository) seen(ctx context.Context) (*state, error) {
	r.mu.Lock()
	s := r.state
	r.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, _, err := r.now(ctx)
	return s, err
}

// now returns the present state, or the last good one with the reason why there
// is no newer one.
func (r *Repository) now(ctx context.Context) (s *state, stale, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	r.mu.Lock()
	if r.fetching == nil && !r.env.Clock.Now().Before(r.due) {
		r.fetching = make(chan struct{})
		go r.fetch(context.WithoutCancel(ctx), r.state)
	}
	fetching, held := r.fetching, r.state != nil
	r.mu.Unlock()
	if fetching != nil {
		if err := wait(ctx, fetching, held); err != nil {
			return nil, nil, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state == nil {
		return nil, nil, r.err
	}
	return r.state, r.err, nil
}

// wait returns when a fetch is over, or when who waits loses patience with it or
// has no more time.
func wait(ctx context.Context, fetching <-chan struct{}, held bool) error {
	var enough <-chan time.Time
	if held {
		t := time.NewTimer(patience)
		defer t.Stop()
		enough = t.C
	}
	select {
	case <-fetching:
	case <-enough:
	case <-ctx.Done():
		if !held {
			return ctx.Err()
		}
	}
	return nil
}

// fetch asks for the present state and takes it in.
func (r *Repository) fetch(ctx context.Context, last *state) {
	limit := r.cfg.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s, err := r.take(ctx, last)

	r.mu.Lock()
	defer r.mu.Unlock()
	again := r.cfg.Every
	if r.err = err; err != nil {
		again = min(retry<<min(r.failures, 10), max(again, retry))
		r.failures++
	} else {
		r.state, r.failures = s, 0
	}
	r.due = r.env.Clock.Now().Add(again)
	close(r.fetching)
	r.fetching = nil
}

// take fetches a state. It runs by itself, so a panic would find nobody.
func (r *Repository) take(ctx context.Context, last *state) (s *state, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("reading the skills panicked: %v", p)
		}
	}()
	var before *Tree
	if last != nil {
		before = last.tree
	}
	t, err := r.cfg.Fetch(ctx, before)
	switch {
	case err != nil:
		return nil, err
	case last != nil && t == before:
		return last, nil
	}
	return build(ctx, t, r.cfg.Trust)
}

// build lists a tree.
func build(ctx context.Context, t *Tree, trust span.Trust) (*state, error) {
	fsys, problems := tree.New(t.Files)
	s := &state{tree: t, folder: skills.NewFS(fsys, ".", t.Path, trust)}
	diags := t.Diagnostics[:len(t.Diagnostics):len(t.Diagnostics)]
	for _, p := range problems {
		diags = append(diags, prompt.Diagnostic{Severity: prompt.Warning, Code: CodeFile, Path: t.Path, Message: p})
	}
	var err error
	if s.listing, err = s.folder.List(ctx, prompt.Who{}); err != nil {
		return nil, err
	}
	if s.version, err = s.folder.Version(ctx, prompt.Who{}); err != nil {
		return nil, err
	}
	if len(diags) > 0 {
		h := sha256.New()
		for _, d := range diags {
			fmt.Fprintf(h, "%s\n", d)
		}
		s.version += " " + hex.EncodeToString(h.Sum(nil)[:8])
		s.listing.Diagnostics = append(diags, s.listing.Diagnostics...)
	}
	return s, nil
}
