package files

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
)

// hintCase says that a directory without an instruction file has one whose name
// differs in case only. The directory is listed only when it changed.
func (w *walk) hintCase(root env.Root, dir string, names []string) {
	entries, err := w.loader.List(root, dir)
	if err != nil {
		return // what is wrong with the directory was said of its files
	}
	for _, e := range entries {
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

// maxStub is the longest path that a link checked out as text may hold.
const maxStub = 512

// stub returns the file that f stands for if f is a symbolic link that was
// checked out as text, as happens on systems without links: its only content is
// the path of another file.
func (w *walk) stub(root env.Root, f *load.File) *load.File {
	to := f.Text
	if len(to) > maxStub || f.Partial || to == "" || strings.ContainsAny(to, "\n\\") ||
		to != strings.TrimSpace(to) || filepath.IsAbs(to) {
		return nil
	}
	name := path.Join(path.Dir(f.Name), to)
	if !filepath.IsLocal(filepath.FromSlash(name)) || name == f.Name || load.InGit(name) {
		return nil
	}
	target, err := w.loader.Load(root, name, w.rawMax())
	if err != nil || target.Same(f) {
		return nil
	}
	w.report(prompt.Diagnostic{
		Severity: prompt.Warning,
		Code:     "doc.symlink_stub",
		Path:     f.Path,
		Message:  fmt.Sprintf("a symbolic link checked out as text; read %s instead", name),
	})
	return target
}
