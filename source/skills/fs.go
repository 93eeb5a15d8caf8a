package skills

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
)

// NewFS returns a repository of the folders below dir in fsys, such as skills
// that are embedded in a program; dir is slash-separated, and "." is all of
// fsys. The paths that people see begin with mount, such as "/embedded".
//
// Links are not followed where fsys can tell them, which those of [os.DirFS] and
// [os.Root.FS] can.
func NewFS(fsys fs.FS, dir, mount string, trust span.Trust) *Folder {
	mount = path.Join("/", mount)
	files := &env.Env{Files: env.FromFS(mount, linkless{fsys})}
	f := NewFolder(FolderConfig{Loader: load.New(files), Root: mount, Dir: dir, Trust: trust})
	f.virtual = true
	return f
}

// errLink is why a link of a file system is not followed.
var errLink = errors.New("links are not followed here")

// linkless is a file system without the links of another one.
type linkless struct{ fs.FS }

// Open opens a file unless it or one of its directories is a link.
func (l linkless) Open(name string) (fs.File, error) {
	if links, ok := l.FS.(fs.ReadLinkFS); ok && fs.ValidPath(name) && name != "." {
		for i := 0; i < len(name); {
			if n := strings.IndexByte(name[i:], '/'); n >= 0 {
				i += n
			} else {
				i = len(name)
			}
			info, err := links.Lstat(name[:i])
			if err != nil {
				return nil, err
			}
			if info.Mode()&fs.ModeSymlink != 0 {
				return nil, &fs.PathError{Op: "open", Path: name, Err: errLink}
			}
			i++
		}
	}
	return l.FS.Open(name)
}
