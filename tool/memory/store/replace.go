package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/vfs"
)

// maxRead bounds a file of a memory that is going to be changed.
const maxRead = 4 << 20

// A state is what a file holds at one moment.
type state struct {
	text string
	sum  [32]byte
	info env.Info // without FileInfo if there is no file
}

func (s state) exists() bool { return s.info.FileInfo != nil }

// read returns what a file holds. A file that is not there is empty.
func (t *seat) read(name string) (state, error) {
	fail := func(err error) (state, error) { return state{}, fmt.Errorf("%s: %w", path.Base(name), vfs.Cause(err)) }
	if err := t.noLinks(name); err != nil {
		return state{}, err
	}
	f, err := t.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return state{sum: sha256.Sum256(nil)}, nil
	}
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fail(err)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	switch {
	case err != nil:
		return fail(err)
	case len(b) > maxRead:
		return fail(fmt.Errorf("it has more than %d MiB; shorten it first", maxRead>>20))
	case !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0:
		return fail(errors.New("it is not a text in UTF-8, so nothing is added to it; repair it first"))
	}
	return state{string(b), sha256.Sum256(b), info}, nil
}

// A draft is what a change makes of a file, and further files that are written
// before it, so that what leaves the one already stands in the other.
type draft struct {
	text  string
	aside []aside
}

type aside struct{ name, text string }

// updates is how often a change is made again because an editor was faster.
const updates = 8

// update changes a file. edit is given what is there and says what shall be
// there; it is called again if somebody who does not ask for the lock changed the
// file meanwhile. A draft without change writes nothing.
func (t *seat) update(ctx context.Context, name string, edit func(old state) (draft, error)) error {
	for range updates {
		old, err := t.read(name)
		if err != nil {
			return err
		}
		d, err := edit(old)
		if err != nil {
			return err
		}
		if d.text == old.text && old.exists() {
			return nil
		}
		err = t.replace(ctx, name, d, old)
		if !errors.Is(err, ErrChanged) {
			return err
		}
	}
	return ErrChanged
}

// replace puts a text in a file's place: written beside it, made durable and
// renamed. If the file is no longer what it was, it stays, with ErrChanged.
func (t *seat) replace(ctx context.Context, name string, d draft, old state) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	dir := path.Dir(name)
	if err := t.mkdir(dir); err != nil {
		return err
	}
	beside := path.Join(dir, "."+t.store.env.IDs.New("memory")+tmpSuffix)
	defer func() {
		if err == nil {
			return
		}
		if rerr := t.root.Remove(beside); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("%s stays behind: %w", beside, vfs.Cause(rerr)))
		}
	}()
	if err := t.write(beside, d.text, old); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path.Base(name), vfs.Cause(err))
	}
	now, err := t.read(name)
	if err != nil {
		return err
	}
	if now.exists() != old.exists() || now.sum != old.sum {
		return ErrChanged
	}
	for _, a := range d.aside {
		if err := t.replace(ctx, a.name, draft{text: a.text}, state{sum: sha256.Sum256(nil)}); err != nil {
			return err
		}
	}
	if err := t.root.Rename(beside, name); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path.Base(name), vfs.Cause(err))
	}
	if err := t.root.SyncDir(dir); err != nil {
		return fmt.Errorf("%s is written, but that is not yet durable: %w", path.Base(name), vfs.Cause(err))
	}
	return nil
}

// write makes a file with the mode of the one that it will replace.
func (t *seat) write(name, text string, old state) error {
	perm := fs.FileMode(0o666)
	if old.exists() {
		perm = old.info.Mode().Perm()
	}
	f, err := t.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, strings.NewReader(text))
	if err == nil && old.exists() { // against the process's mask
		err = env.Chmod(f, old.info.Mode())
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
