// Package gitrepo has the skills of a Git repository on this machine, bare or
// with a work tree, as they stand in one revision:
//
//	repo := gitrepo.New(gitrepo.Config{Repo: "/srv/skills.git", Ref: "main", Dir: "skills", Trust: span.User})
//	set := skills.New(skills.Config{Tiers: []skills.Tier{{Scope: "team", Repo: repo}}})
//
// What is read is what was committed; the work tree and the index are not looked
// at. The commit that the revision names is found anew each time somebody asks,
// at most as often as Every says, and only another commit is read. A full hash
// always names the same commit and is looked up once.
//
// The git program does the reading, and the repository is a stranger to it: no
// hook, filter, text conversion or other program that its configuration or its
// files name is started, nothing is fetched, and neither the user's nor the
// system's configuration has a say. The contents are taken as the repository has
// them: git does not check that they have the hashes they are stored under.
// A link to a file of the same skill is that file; other links, and submodules,
// lead nowhere.
package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/source/skills/snapshot"
	"github.com/proemhq/proem/source/skills/tree"
	"github.com/proemhq/proem/span"
)

// A Config says what to read.
type Config struct {
	Env  *env.Env // nil: the operating system's
	Repo string   // absolute: a bare repository, or a folder with a .git
	// Ref is the name of a branch, a tag or the like, or a hash; behind it may stand
	// ~N or ^N, for an ancestor. Empty: HEAD.
	Ref   string
	Dir   string // slash-separated, in the revision; each folder in it is a skill; empty: all of it
	Trust span.Trust
	// Every is for how long a commit that a name led to is good; 0: until somebody
	// asks again, which costs one short process.
	Every time.Duration
	Git   string // the program; empty: git, as it is found on the PATH
}

// maxRef is the length of a revision's name.
const maxRef = 1 << 10

// New returns a repository. Nothing is read yet; what is wrong with c is reported
// when it is used.
func New(c Config) *snapshot.Repository {
	r := &repo{cfg: c, env: env.OrSystem(c.Env)}
	return snapshot.New(snapshot.Config{Env: c.Env, Trust: c.Trust, Every: c.Every, Fetch: r.fetch})
}

type repo struct {
	cfg   Config
	env   *env.Env
	whole bool // it is a project, not a folder of skills
}

// check refuses what git could take for something else than it is.
func (c *Config) check() error {
	ref := ancestor.ReplaceAllString(c.Ref, "")
	switch {
	case !filepath.IsAbs(c.Repo):
		return fmt.Errorf("the repository %.200q is not an absolute path", c.Repo)
	case len(c.Ref) > maxRef || strings.HasPrefix(ref, "-") || ref == "" && c.Ref != "" || strings.Contains(ref, "@{") || strings.Contains(ref, "..") ||
		strings.ContainsFunc(ref, func(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune(" :^~?*[\\", r) }):
		return fmt.Errorf("the revision %.200q is not the name of one; give a branch, a tag or a full hash", c.Ref)
	case c.Dir != "" && !fs.ValidPath(path.Clean(c.Dir)) || strings.ContainsFunc(c.Dir, unicode.IsControl):
		return fmt.Errorf("the folder %.200q leads out of the repository", c.Dir)
	}
	return nil
}

// ancestor matches what may stand behind a name.
var ancestor = regexp.MustCompile(`(?:[~^][0-9]{0,6}){1,20}$`)

// hash matches a full hash, which names what it names.
var hash = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// fetch implements the function of a snapshot.
func (r *repo) fetch(ctx context.Context, last *snapshot.Tree) (*snapshot.Tree, error) {
	t, err := r.read(ctx, last)
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", r.cfg.Repo, err)
	}
	return t, nil
}

func (r *repo) read(ctx context.Context, last *snapshot.Tree) (*snapshot.Tree, error) {
	if err := r.cfg.check(); err != nil {
		return nil, err
	}
	ref := r.cfg.Ref
	if ref == "" {
		ref = "HEAD"
	}
	if last != nil && hash.MatchString(ref) {
		return last, nil
	}
	g, err := r.open()
	if err != nil {
		return nil, err
	}
	commit, err := g.commit(ctx, ref)
	if err != nil {
		return nil, err
	}
	if last != nil && last.Version == commit {
		return last, nil
	}
	entries, err := g.list(ctx, commit, r.cfg.Dir, r.whole)
	if err != nil {
		return nil, err
	}
	files, diags, err := g.files(ctx, entries, r.whole)
	if err != nil {
		return nil, err
	}
	where := filepath.ToSlash(r.cfg.Repo) + "@" + commit[:12]
	if dir := path.Clean(r.cfg.Dir); dir != "." {
		where = path.Join(where, dir)
	}
	for i := range diags {
		diags[i].Path = path.Join(where, diags[i].Path)
	}
	return &snapshot.Tree{Path: where, Version: commit, Files: files, Diagnostics: diags}, nil
}

// Tree returns the files of a revision as a file system that reads them when they
// are opened, with a file .git as a linked checkout has one, the hash of the commit,
// and what was left out and why. A link to a file or a directory of the revision is
// that one; others lead to nothing.
func Tree(ctx context.Context, c Config) (fsys fs.FS, commit string, problems []string, err error) {
	r := &repo{cfg: c, env: env.OrSystem(c.Env), whole: true}
	t, err := r.fetch(ctx, nil)
	if err != nil {
		return nil, "", nil, err
	}
	made, problems := tree.Whole(append(t.Files, tree.Bytes(".git", []byte("commit "+t.Version+"\n"))))
	for _, d := range t.Diagnostics {
		problems = append(problems, d.Path+": "+d.Message)
	}
	return made, t.Version, problems, nil
}

// open finds the directory that git works on. It is named to git, which then
// looks for none: whose it is does not matter, and no other is found.
func (r *repo) open() (*git, error) {
	root, err := r.env.Files.OpenRoot(r.cfg.Repo)
	if err != nil {
		return nil, errors.New("there is no repository; give its folder")
	}
	defer root.Close()
	dir := r.cfg.Repo
	if _, err := root.Lstat(".git"); err == nil {
		dir = filepath.Join(dir, ".git")
	}
	program := r.cfg.Git
	if program == "" {
		program = "git"
	}
	return &git{env: r.env, program: program, at: r.cfg.Repo, dir: dir}, nil
}
