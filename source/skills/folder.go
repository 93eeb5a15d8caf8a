package skills

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/source/memory/home"
	"github.com/proemhq/proem/span"
)

// A FolderConfig says where the folders of skills lie.
type FolderConfig struct {
	Env    *env.Env     // nil: the operating system's
	Loader *load.Loader // nil: one of its own
	Root   string       // absolute: no link leads out of it, such as the project's root
	Dir    string       // slash-separated, below Root; each folder in it is a skill
	// PerUser, if not empty, makes Dir the agent's home: the skills of a user lie in
	// the folder of this name below the user's own, and there are none for nobody.
	PerUser string
	Tenant  string // the tenant whose users have folders, as in [home.Home]
	Trust   span.Trust
}

// A Folder is a repository of folders: <Dir>/<folder>/SKILL.md, and nothing
// deeper. Folders that begin with a dot and node_modules are passed over. A
// folder may be a link inside Root; its files then stay inside what it leads to.
//
// As long as nothing changed, a listing costs the stats of the directory and of
// each SKILL.md.
type Folder struct {
	cfg     FolderConfig
	loader  *load.Loader
	virtual bool // the root is that of an fs.FS, which need not look like a path here

	mu    sync.Mutex
	state map[string]*state // by directory
}

var (
	_ Repository = (*Folder)(nil)
	_ Browser    = (*Folder)(nil)
)

// NewFolder returns a repository. Nothing is read yet; what is wrong with c is
// reported when it is used.
func NewFolder(c FolderConfig) *Folder {
	f := &Folder{cfg: c, loader: c.Loader, state: make(map[string]*state)}
	if f.loader == nil {
		f.loader = load.New(c.Env)
	}
	return f
}

// maxManifest bounds how much of a SKILL.md is read.
const maxManifest = 256 << 10

// maxStates is for how many directories a listing is remembered.
const maxStates = 1 << 10

// state is one look at a directory, and what follows from it.
type state struct {
	looks   []look
	listing Listing
	folders map[string]string // by name of skill: that of its folder below the root
	version string
}

// look is what was found in one folder.
type look struct {
	folder string
	link   bool
	file   *load.File        // nil: there is no SKILL.md, or it is refused
	no     *load.Refusal     // nil: it is not refused
	said   prompt.Diagnostic // that of no
}

func (a look) equal(b look) bool {
	return a.folder == b.folder && a.link == b.link && a.file == b.file && a.said == b.said
}

// List implements [Repository].
func (f *Folder) List(ctx context.Context, who prompt.Who) (Listing, error) {
	s, err := f.look(ctx, who)
	if err != nil {
		return Listing{}, err
	}
	return s.listing, nil
}

// Version implements [Repository].
func (f *Folder) Version(ctx context.Context, who prompt.Who) (string, error) {
	s, err := f.look(ctx, who)
	if err != nil {
		return "", err
	}
	return s.version, nil
}

// dir returns the directory that holds somebody's skills; it is empty if there
// is none.
func (f *Folder) dir(root env.Root, who prompt.Who) (string, error) {
	if f.cfg.PerUser == "" {
		return path.Clean(filepath.ToSlash(f.cfg.Dir)), nil
	}
	own, ok, err := f.home().User(f.loader, root, who)
	if err != nil || !ok {
		return "", err
	}
	return path.Join(own, f.cfg.PerUser), nil
}

func (f *Folder) home() home.Home {
	return home.Home{Root: f.cfg.Root, Dir: f.cfg.Dir, Tenant: f.cfg.Tenant}
}

// empty is the state of a repository that is not there.
var empty = &state{version: "none"}

// look looks at every place where a SKILL.md may be.
func (f *Folder) look(ctx context.Context, who prompt.Who) (*state, error) {
	if err := f.home().Check(); err != nil && !f.virtual {
		return nil, fmt.Errorf("skills: %w", err)
	}
	root, err := f.loader.OpenRoot(f.cfg.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return nil, fmt.Errorf("skills: %w", err)
	}
	defer root.Close()
	return f.lookIn(ctx, root, who)
}

func (f *Folder) lookIn(ctx context.Context, root env.Root, who prompt.Who) (*state, error) {
	dir, err := f.dir(root, who)
	if err != nil {
		return nil, fmt.Errorf("skills: %w", err)
	}
	if dir == "" {
		return empty, nil
	}
	entries, err := f.loader.List(root, dir)
	if err != nil { // an absolute link that stays inside is followed by hand
		if real, rerr := load.Resolve(root, dir); rerr == nil && real != dir {
			dir = real
			entries, err = f.loader.List(root, dir)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return empty, nil
	case err != nil:
		return nil, fmt.Errorf("skills: %w", err)
	}
	var looks []look
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("skills: %w", err)
		}
		if !mayBeSkill(e) {
			continue
		}
		looks = append(looks, f.lookAt(root, dir, e))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if old := f.state[dir]; old != nil && slices.EqualFunc(old.looks, looks, look.equal) {
		return old, nil
	}
	if len(f.state) >= maxStates {
		clear(f.state)
	}
	s := f.build(root, dir, looks)
	f.state[dir] = s
	return s, nil
}

// mayBeSkill reports whether an entry is a folder to look into.
func mayBeSkill(e fs.DirEntry) bool {
	if strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" {
		return false
	}
	return e.IsDir() || e.Type()&fs.ModeSymlink != 0
}

func (f *Folder) lookAt(root env.Root, dir string, e fs.DirEntry) look {
	l := look{folder: e.Name(), link: !e.IsDir()}
	file, err := f.loader.Load(root, path.Join(dir, e.Name(), Manifest), maxManifest)
	switch {
	case errors.As(err, &l.no):
		l.said = l.no.Diagnostic
		if errors.Is(err, errLink) {
			l.said.Code = CodeOutside
		}
	case err == nil:
		l.file = file
	}
	return l
}

// build makes the listing of what was found.
func (f *Folder) build(root env.Root, dir string, looks []look) *state {
	at := filepath.Join(root.Name(), filepath.FromSlash(dir))
	s := &state{looks: looks, listing: Listing{Path: at}, folders: make(map[string]string)}
	h := sha256.New()
	fmt.Fprintf(h, "%q %d\n", at, f.cfg.Trust)
	first := make(map[string]look)
	for _, l := range looks {
		name := path.Join(dir, l.folder)
		skill, diags, ok := f.one(root, name, l)
		fmt.Fprintf(h, "%q %q %q\n", l.folder, skill.SHA256, diags)
		if by, taken := first[skill.Name]; ok && taken {
			ok = false
			if !by.file.Same(l.file) {
				diags = append(diags, prompt.Diagnostic{Severity: prompt.Warning, Code: "skill.duplicate", Path: skill.Path,
					Message: fmt.Sprintf("%s is the name of the skill in %s too; this one is left out", skill.Name, by.folder)})
			}
		}
		s.listing.Diagnostics = append(s.listing.Diagnostics, diags...)
		if ok {
			first[skill.Name] = l
			s.folders[skill.Name] = name
			s.listing.Skills = append(s.listing.Skills, skill)
		}
	}
	slices.SortFunc(s.listing.Skills, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	s.version = hex.EncodeToString(h.Sum(nil)[:16])
	return s
}

// one makes the skill of one folder.
func (f *Folder) one(root env.Root, name string, l look) (Skill, []prompt.Diagnostic, bool) {
	manifest := filepath.Join(root.Name(), filepath.FromSlash(name), Manifest)
	if l.file == nil && l.link {
		info, err := root.Stat(name)
		switch {
		case err == nil && !info.IsDir(): // a link to a file
			return Skill{}, nil, false
		case errors.Is(err, fs.ErrNotExist):
			return Skill{}, []prompt.Diagnostic{{Severity: prompt.Info, Code: "doc.broken_link", Path: filepath.Dir(manifest),
				Message: "the link leads to nothing"}}, false
		}
	}
	switch {
	case l.no != nil:
		return Skill{}, []prompt.Diagnostic{refused(l.said)}, false
	case l.file == nil:
		return Skill{}, f.otherCase(root, name), false
	}
	if real, err := load.Resolve(root, name); err != nil || !home.Within(l.file.Real, real) {
		return Skill{}, []prompt.Diagnostic{{Severity: prompt.Warning, Code: CodeOutside, Path: manifest,
			Message: "leads out of the skill; not read"}}, false
	}
	return parse(l.file, l.folder, f.cfg.Trust)
}

// refused turns the loader's word on a SKILL.md into a warning: what is lost is
// one skill.
func refused(d prompt.Diagnostic) prompt.Diagnostic {
	d.Severity = prompt.Warning
	if d.Code == "doc.outside_root" {
		d.Code = CodeOutside
	}
	return d
}

// otherCase finds a file whose name differs from SKILL.md in case only.
func (f *Folder) otherCase(root env.Root, name string) []prompt.Diagnostic {
	entries, err := f.loader.List(root, name)
	if err != nil {
		return nil // a link to a file, or a folder that is gone again
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name(), Manifest) && e.Name() != Manifest {
			return []prompt.Diagnostic{{Severity: prompt.Info, Code: "skill.case",
				Path:    filepath.Join(root.Name(), filepath.FromSlash(name), e.Name()),
				Message: fmt.Sprintf("found %s; expected %s", e.Name(), Manifest)}}
		}
	}
	return nil
}
