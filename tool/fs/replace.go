package fs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/vfs"
)

// target is a file that is about to be written.
type target struct {
	root  env.Root
	at    vfs.Place
	asked string
	info  env.Info // of the file; without FileInfo if there is none
}

func (t target) exists() bool { return t.info.FileInfo != nil }

// target opens the place of a path for writing and looks at what is there. No
// part of the path may be a link. The caller closes the root.
func (p place) target(ctx context.Context, name string) (target, error) {
	root, at, err := p.cfg.Space.Open(ctx, p.files, name)
	if err != nil {
		return target{}, err
	}
	t := target{root: root, at: at, asked: near.Show(name)}
	if err = t.look(); err == nil {
		err = p.allowed(ctx, root, at.Name)
	}
	if err != nil {
		root.Close()
		return target{}, err
	}
	return t, nil
}

// look walks down to the file.
func (t *target) look() error {
	switch {
	case t.at.ReadOnly:
		return fmt.Errorf("%s is read-only for these tools", t.asked)
	case t.at.Name == ".":
		return fmt.Errorf("%s is a directory; name a file in it", t.asked)
	}
	for i := 0; i <= len(t.at.Name); i++ {
		if i < len(t.at.Name) && t.at.Name[i] != '/' {
			continue
		}
		part := t.at.Name[:i]
		info, err := t.root.Lstat(part)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("%s cannot be written: %w", t.asked, vfs.Cause(err))
		case info.Mode()&fs.ModeSymlink != 0:
			return t.linked(part)
		case i < len(t.at.Name) && !info.IsDir():
			return fmt.Errorf("%s cannot be written: %s is not a directory", t.asked, near.Show(part))
		case i == len(t.at.Name) && info.IsDir():
			return fmt.Errorf("%s is a directory; name a file in it", t.asked)
		case i == len(t.at.Name) && !info.Mode().IsRegular():
			return fmt.Errorf("%s is not a regular file and is not written", t.asked)
		case i == len(t.at.Name):
			t.info = info
		}
	}
	return nil
}

// linked refuses a link and says what to use in its place.
func (t *target) linked(part string) error {
	real, err := vfs.Real(t.root, t.at.Name)
	if err != nil {
		return fmt.Errorf("%s leads through the link %s to a place that cannot be written", t.asked, near.Show(part))
	}
	return fmt.Errorf("%s leads through the link %s, and links are not written through; the file is %s", t.asked, near.Show(part), near.Show(real))
}

// content reads the file as a whole, at most limit bytes.
func (t target) content(limit int64) ([]byte, [32]byte, error) {
	f, err := t.root.Open(t.at.Name)
	if err != nil {
		return nil, [32]byte{}, explain(t.root, t.asked, t.at.Name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !same(info, t.info) {
		return nil, [32]byte{}, fmt.Errorf("%s was replaced while it was opened; read it again", t.asked)
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, [32]byte{}, fmt.Errorf("%s cannot be read: %w", t.asked, vfs.Cause(err))
	}
	if int64(len(b)) > limit {
		return nil, [32]byte{}, fmt.Errorf("%s has more than %d MiB", t.asked, limit>>20)
	}
	return b, sha256.Sum256(b), nil
}

// replace puts data in the file's place: written beside it, made durable and
// renamed, so that a reader sees the old content or the new. A file that changed
// since it was looked at stays. It returns what the new file is.
func (p place) replace(ctx context.Context, t target, data []byte) (env.Info, error) {
	dir := path.Dir(t.at.Name)
	fail := func(err error) (env.Info, error) {
		return env.Info{}, fmt.Errorf("%s cannot be written: %w", t.asked, vfs.Cause(err))
	}
	if err := ctx.Err(); err != nil {
		return env.Info{}, err
	}
	if dir != "." {
		if err := t.root.MkdirAll(dir, 0o777); err != nil {
			return fail(err)
		}
	}
	beside := path.Join(dir, "."+p.ids.New("proem")+".tmp")
	info, err := t.write(beside, data)
	if err == nil {
		err = t.unchanged()
	}
	if err == nil {
		err = t.root.Rename(beside, t.at.Name)
	}
	if err != nil {
		if rerr := t.root.Remove(beside); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("and %s stays behind: %w", beside, vfs.Cause(rerr)))
		}
		return fail(err)
	}
	if err := t.root.SyncDir(dir); err != nil {
		return fail(fmt.Errorf("it is in its place, but that is not yet durable: %w", vfs.Cause(err)))
	}
	return info, nil
}

// write makes a file with the mode of the one that it will replace.
func (t target) write(name string, data []byte) (env.Info, error) {
	perm := fs.FileMode(0o666)
	if t.exists() {
		perm = t.info.Mode().Perm()
	}
	f, err := t.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return env.Info{}, err
	}
	_, err = f.Write(data)
	if err == nil && t.exists() { // against the process's mask
		err = env.Chmod(f, t.info.Mode())
	}
	if err == nil {
		err = f.Sync()
	}
	info, serr := f.Stat()
	if err == nil {
		err = serr
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return info, err
}

var errMeanwhile = errors.New("somebody changed it in this moment; read it again")

// unchanged reports an error if the file is not as it was looked at.
func (t target) unchanged() error {
	now, err := t.root.Lstat(t.at.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !t.exists():
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil || !t.exists() || !now.Unchanged(t.info):
		return errMeanwhile
	}
	return nil
}
