package files

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
)

// hints looks through a directory without an instruction file for one whose name
// differs in case only, and for those of other tools. The directory is listed
// only when it changed.
func (w *walk) hints(root env.Root, dir string, names []string) {
	entries, err := w.loader.List(root, dir)
	if err != nil {
		return // what is wrong with the directory was said of its files
	}
	for _, e := range entries {
		w.foreignIn(root, dir, e)
		for _, want := range names {
			if e.Name() == want || !strings.EqualFold(e.Name(), want) || e.IsDir() {
				continue
			}
			w.report(prompt.Diagnostic{
				Severity: prompt.Info,
				Code:     "doc.case",
				Path:     filepath.Join(root.Name(), filepath.FromSlash(path.Join(dir, e.Name()))),
				Message:  fmt.Sprintf("found %s; expected %s", e.Name(), want),
			})
			break
		}
	}
}

// A foreignFile is an instruction file of another tool, and the configuration that
// loads it.
type foreignFile struct{ name, load string }

var foreign = []foreignFile{
	{".claude/skills", "skills.roots: [.claude/skills]"},
	{".cursorrules", "project.fallbacks: [.cursorrules]"},
	{".github/copilot-instructions.md", "project.fallbacks: [.github/copilot-instructions.md]"},
	{"CLAUDE.md", "project.fallbacks: [CLAUDE.md]"},
	{"GEMINI.md", "project.fallbacks: [GEMINI.md]"},
}

// foreignIn remembers the files of other tools that an entry is or holds.
func (w *walk) foreignIn(root env.Root, dir string, e fs.DirEntry) {
	for _, f := range foreign {
		first, _, deep := strings.Cut(f.name, "/")
		if first != e.Name() || slices.Contains(w.cfg.names(), f.name) {
			continue
		}
		name := path.Join(dir, f.name)
		if deep {
			if _, err := root.Lstat(name); err != nil {
				continue
			}
		}
		w.others = append(w.others, prompt.Diagnostic{
			Severity: prompt.Info,
			Code:     "doc.foreign",
			Path:     filepath.Join(root.Name(), filepath.FromSlash(name)),
			Message:  f.name + " belongs to another tool and is not read; to load it: " + f.load,
		})
	}
}

// reportForeign reports what was remembered if the project has nothing else.
func (w *walk) reportForeign() {
	for i := range w.docs {
		if w.docs[i].trust == span.Project {
			return
		}
	}
	for _, d := range w.others {
		w.report(d)
	}
}

// maxStub is the longest path that a link checked out as text may hold.
const maxStub = 512

// stub returns the file that f stands for if f is a symbolic link that was
// checked out as text, as happens on systems without links: its only content is
// the path of another file. Otherwise it is nil.
func (w *walk) stub(root env.Root, f *load.File) (*load.File, prompt.Diagnostic) {
	var d prompt.Diagnostic
	to := f.Text
	if len(to) > maxStub || f.Partial || to == "" || strings.ContainsAny(to, "\n\\") ||
		to != strings.TrimSpace(to) || filepath.IsAbs(to) {
		return nil, d
	}
	name := path.Join(path.Dir(f.Name), to)
	if !filepath.IsLocal(filepath.FromSlash(name)) || name == f.Name || load.InGit(name) {
		return nil, d
	}
	target, err := w.loader.Load(root, name, w.rawMax())
	if err != nil || target.Same(f) {
		return nil, d
	}
	return target, prompt.Diagnostic{
		Severity: prompt.Warning,
		Code:     "doc.symlink_stub",
		Path:     f.Path,
		Message:  fmt.Sprintf("a symbolic link checked out as text; read %s instead", name),
	}
}
