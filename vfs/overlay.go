package vfs

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/proemhq/proem/env"
)

// ErrLower says that something lies in the lower tree of an [Overlay], which is
// not changed: it can be neither removed nor renamed.
var ErrLower = errors.New("it belongs to the lower tree, which is not changed")

// An Overlay is two trees that look like one. A name is looked for in the upper
// tree first. What is written goes to the upper tree; a file of the lower one is
// copied there before it changes.
type Overlay struct {
	At           string    // the absolute directory at which the one tree appears
	Upper, Lower env.Files // may be the same
	UpperDir     string    // absolute; made when the first root is opened
	LowerDir     string    // absolute
}

// Files returns the overlay as a file system, in which only At and what is below
// it exist. It may be used concurrently if its trees may.
func (o Overlay) Files() env.Files { return overlay{o, new(sync.Mutex)} }

type overlay struct {
	o       Overlay
	copying *sync.Mutex // held while a file is copied
}

func (f overlay) inside(op, dir string) (string, error) {
	rel, err := filepath.Rel(f.o.At, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return "", &fs.PathError{Op: op, Path: dir, Err: fs.ErrNotExist}
	}
	return filepath.ToSlash(rel), nil
}

func (f overlay) OpenRoot(dir string) (env.Root, error) {
	rel, err := f.inside("open", dir)
	if err != nil {
		return nil, err
	}
	if err := f.o.Upper.MkdirAll(f.o.UpperDir, 0o777); err != nil {
		return nil, err
	}
	upper, err := f.o.Upper.OpenRoot(f.o.UpperDir)
	if err != nil {
		return nil, err
	}
	lower, err := f.o.Lower.OpenRoot(f.o.LowerDir)
	if err != nil {
		return nil, errors.Join(err, upper.Close())
	}
	r := overlayRoot{upper: upper, lower: lower, dir: dir, at: rel, copying: f.copying}
	if info, err := r.Stat("."); err != nil || !info.IsDir() {
		r.Close()
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	return r, nil
}

func (f overlay) MkdirAll(dir string, perm fs.FileMode) error {
	rel, err := f.inside("mkdir", dir)
	if err != nil {
		return err
	}
	return f.o.Upper.MkdirAll(filepath.Join(f.o.UpperDir, filepath.FromSlash(rel)), perm)
}
