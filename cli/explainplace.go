package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/inspect/explain"
	"github.com/proemhq/proem/source/files"
)

// places turns offsets in files into lines and columns. Each file is read once.
type places struct {
	b     *bench
	files map[string][]byte
}

func newPlaces(b *bench) *places { return &places{b: b, files: map[string][]byte{}} }

// at returns ":line:column", from 1 and in bytes, or "" if the file cannot be
// read.
func (p *places) at(path string, off int) string {
	data, ok := p.files[path]
	if !ok {
		data, _ = readFile(p.b.env, path, maxPart)
		p.files[path] = data
	}
	if off > len(data) || data == nil {
		return ""
	}
	before := data[:off]
	return fmt.Sprintf(":%d:%d", 1+bytes.Count(before, []byte("\n")), off-bytes.LastIndexByte(before, '\n'))
}

// pathOf returns the absolute path of a name: from the working directory, or from
// the root if only there is one.
func (c *command) pathOf(b *bench, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	here := filepath.Join(b.place.cwd, name)
	if !lookAt(b.env, here).Exists {
		if there := filepath.Join(b.place.root, name); lookAt(b.env, there).Exists {
			return there
		}
	}
	return here
}

// lookAt says what is at a path.
func lookAt(e *env.Env, path string) explain.Found {
	out := explain.Found{Known: true}
	root, err := e.Files.OpenRoot(filepath.Dir(path))
	if err != nil {
		return out
	}
	defer root.Close()
	base := filepath.Base(path)
	info, err := root.Lstat(base)
	if err != nil {
		entries, _ := root.ReadDir(".")
		for _, e := range entries {
			if strings.EqualFold(e.Name(), base) {
				out.Similar = e.Name()
			}
		}
		return out
	}
	out.Exists = true
	switch m := info.Mode(); {
	case m.IsDir():
		out.Kind = "directory"
	case m&fs.ModeNamedPipe != 0:
		out.Kind = "named pipe"
	case !m.IsRegular() && m&fs.ModeSymlink == 0:
		out.Kind = "special file"
	case m.IsRegular():
		data, err := readFile(e, path, maxPart)
		out.Blank = err == nil && strings.TrimSpace(string(data)) == ""
	}
	return out
}

// rulesFor returns where files are looked for, and what is at a path.
func (b *bench) rulesFor(path string) explain.Rules {
	k := explain.Rules{File: lookAt(b.env, path)}
	if b.skills == nil { // built in Go: its sources are its own
		return k
	}
	f := b.files()
	k.Root, k.Cwd, k.Markers, k.UserFile, k.Workspace, k.All = b.place.root, b.place.cwd, f.Markers, f.UserFile, b.place.workspace, f.LoadAll
	if f.Names == nil {
		f.Names = files.DefaultNames()
	}
	if k.Markers == nil {
		k.Markers = files.DefaultMarkers()
	}
	k.Names = slices.Concat(f.Names, f.Fallbacks)
	for _, t := range b.skillTiers(nil) {
		k.Skills = append(k.Skills, t.dir)
	}
	if !b.trusted {
		k.Held = b.held
	}
	return k
}
