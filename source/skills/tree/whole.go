package tree

import (
	"path"
	"strings"
)

// Whole is [New] for files that belong together, such as those of a project: a
// link that leads to a file or a directory among them is that one, in whatever
// folder it lies, and its RealName says so. Links that lead out, to nothing or in a circle lead to nothing.
func Whole(files []File) (*FS, []string) { return build(files, true) }

// follow returns what a name leads to, element by element as an operating system
// looks for it, or nil. A link that the name itself is, is followed if last is set.
func (f *FS) follow(name string, last bool) *node {
	at, left, links := ".", name, 0
	for left != "" {
		first, rest, _ := strings.Cut(left, "/")
		if first == ".." && at == "." {
			return nil
		}
		at, left = path.Join(at, first), rest
		n := f.nodes[at]
		switch {
		case n == nil, left != "" && !n.dir && n.file.Link == "":
			return nil
		case n.file.Link == "" || left == "" && !last:
			continue
		}
		if links++; links > maxLinks || path.IsAbs(n.file.Link) || strings.Contains(n.file.Link, "\\") {
			return nil
		}
		at, left = path.Dir(at), strings.TrimSuffix(n.file.Link+"/"+left, "/")
	}
	found := *f.nodes[at]
	found.name, found.real = path.Base(name), at
	return &found
}
