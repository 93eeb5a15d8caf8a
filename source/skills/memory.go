package skills

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills/tree"
	"github.com/proemhq/proem/span"
)

// A Memory is a repository whose skills the program itself puts in and takes
// out, at any time. The list in the prompt follows with the next step. It may be
// used concurrently.
type Memory struct {
	trust span.Trust

	mu     sync.Mutex
	skills map[string]map[string]string
	folder *Folder // of what skills holds; it is replaced, never changed
}

var (
	_ Repository = (*Memory)(nil)
	_ Browser    = (*Memory)(nil)
)

// NewMemory returns a repository without skills.
func NewMemory(trust span.Trust) *Memory {
	m := &Memory{trust: trust, skills: map[string]map[string]string{}}
	m.folder = m.lay(nil)
	return m
}

// Put adds a skill, or replaces all of it. folder is what its folder would be
// called, which is the skill's name by custom; the names of its files are
// slash-separated and begin below the folder. One is [Manifest]; what is wrong in
// it, the listing says. The error is about a name, and then nothing is changed.
func (m *Memory) Put(folder string, files map[string]string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := maps.Clone(m.skills)
	next[folder] = maps.Clone(files)
	return m.replace(next)
}

// Remove takes a skill out. There need not be one.
func (m *Memory) Remove(folder string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := maps.Clone(m.skills)
	delete(next, folder)
	_ = m.replace(next) // fewer names cannot be wrong
}

// Replace puts the given skills, by folder, in the place of all that there are.
// No listing sees a part of them.
func (m *Memory) Replace(skills map[string]map[string]string) error {
	next := make(map[string]map[string]string, len(skills))
	for folder, files := range skills {
		next[folder] = maps.Clone(files)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.replace(next)
}

func (m *Memory) replace(next map[string]map[string]string) error {
	var files []tree.File
	for _, folder := range slices.Sorted(maps.Keys(next)) {
		if !fs.ValidPath(folder) || strings.HasPrefix(folder, ".") || strings.ContainsAny(folder, `/\`) {
			return fmt.Errorf("skills: %.200q is not the name of a folder", folder)
		}
		for _, name := range slices.Sorted(maps.Keys(next[folder])) {
			if !fs.ValidPath(name) {
				return fmt.Errorf("skills: %.200q of %s is no path below the skill", name, folder)
			}
			files = append(files, tree.Bytes(path.Join(folder, name), []byte(next[folder][name])))
		}
	}
	fsys, problems := tree.New(files)
	if len(problems) > 0 {
		return fmt.Errorf("skills: %s", problems[0])
	}
	m.skills, m.folder = next, m.lay(fsys)
	return nil
}

// lay returns the repository of a file system; nil is an empty one.
func (m *Memory) lay(fsys *tree.FS) *Folder {
	if fsys == nil {
		fsys, _ = tree.New(nil)
	}
	return NewFS(fsys, ".", "/memory", m.trust)
}

func (m *Memory) now() *Folder {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.folder
}

// List implements [Repository].
func (m *Memory) List(ctx context.Context, who prompt.Who) (Listing, error) {
	return m.now().List(ctx, who)
}

// Open implements [Repository].
func (m *Memory) Open(ctx context.Context, who prompt.Who, skill, path string) (Resource, error) {
	return m.now().Open(ctx, who, skill, path)
}

// Version implements [Repository].
func (m *Memory) Version(ctx context.Context, who prompt.Who) (string, error) {
	return m.now().Version(ctx, who)
}

// Files implements [Browser].
func (m *Memory) Files(ctx context.Context, who prompt.Who, skill string) ([]string, bool, error) {
	return m.now().Files(ctx, who, skill)
}
