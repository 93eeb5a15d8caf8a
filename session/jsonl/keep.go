package jsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/proemhq/proem/session"
)

// keptSuffix is that of the directory beside a log that holds its contents, each
// in a file named by its sum.
const keptSuffix = ".kept"

func keptDir(name string) string { return strings.TrimSuffix(name, suffix) + keptSuffix }

// Keep implements [session.Keeper]. Each content is a file of its own, which
// appears whole or not at all. All of one call are made durable together.
func (s *Store) Keep(ctx context.Context, id string, contents ...[]byte) error {
	if err := session.CheckKeep(id, contents); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	l, err := s.acquire(id)
	if err != nil {
		return err
	}
	defer s.release(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.keep(contents); err != nil {
		return fmt.Errorf("session %s: keep: %w", id, err)
	}
	return nil
}

func (l *log) keep(contents [][]byte) error {
	if len(contents) == 0 {
		return nil
	}
	dir, made := keptDir(l.name), false
	for _, data := range contents {
		name := dir + "/" + session.Sum(data)
		if old, err := l.store.readKept(name); err == nil && bytes.Equal(old, data) {
			continue
		}
		if !made {
			made = true
			if err := l.makeKeptDir(dir); err != nil {
				return err
			}
		}
		if err := l.writeKept(name, data); err != nil {
			return err
		}
	}
	if l.store.config.NoSync {
		return nil
	}
	return l.store.root.SyncDir(dir) // also for what was there: an earlier try may have failed here
}

func (l *log) makeKeptDir(dir string) error {
	root := l.store.root
	if _, err := root.Lstat(dir); err == nil {
		return nil
	}
	if err := root.MkdirAll(dir, 0o700); err != nil || l.store.config.NoSync {
		return err
	}
	return root.SyncDir(".")
}

// writeKept writes a file under another name and gives it its own when it is on
// disk.
func (l *log) writeKept(name string, data []byte) error {
	root := l.store.root
	for n := 1; ; n++ {
		part := name + ".new-" + strconv.Itoa(n)
		f, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && n < 1000 {
			continue // another process writes it, or did so when it ended
		}
		if err != nil {
			return err
		}
		k, err := f.Write(data)
		if err == nil && k < len(data) {
			err = io.ErrShortWrite
		}
		if err == nil && !l.store.config.NoSync {
			err = f.Sync()
		}
		if err = errors.Join(err, f.Close()); err == nil {
			err = root.Rename(part, name)
		}
		if err != nil {
			return errors.Join(err, root.Remove(part))
		}
		return nil
	}
}

// Kept implements [session.Keeper]. It takes no lock.
func (s *Store) Kept(ctx context.Context, id, sum string) ([]byte, error) {
	if err := session.CheckID(id); err != nil {
		return nil, err
	}
	err := session.CheckSum(sum)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	data, err := s.readKept(keptDir(fileName(id)) + "/" + sum)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = session.ErrNotKept
	case err == nil && session.Sum(data) != sum:
		err = session.ErrDamaged
	}
	if err != nil {
		return nil, fmt.Errorf("session %s: content %s: %w", id, sum, err)
	}
	return data, nil
}

// readKept reads a file, and no more of it than a content may have.
func (s *Store) readKept(name string) ([]byte, error) {
	f, err := s.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, session.MaxKept+1))
	if len(data) > session.MaxKept {
		return nil, session.ErrDamaged
	}
	return data, err
}

// Sums implements [session.Keeper].
func (s *Store) Sums(ctx context.Context, id string) ([]string, error) {
	if err := session.CheckID(id); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	entries, err := s.root.ReadDir(keptDir(fileName(id)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	var sums []string
	for _, e := range entries {
		if session.CheckSum(e.Name()) == nil {
			sums = append(sums, e.Name())
		}
	}
	return sums, nil
}

// deleteKept removes the contents of the session. A link in place of their
// directory is removed and not followed.
func (l *log) deleteKept() error {
	root, dir := l.store.root, keptDir(l.name)
	info, err := root.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var errs []error
	if err == nil && info.IsDir() {
		var entries []fs.DirEntry
		entries, err = root.ReadDir(dir)
		for _, e := range entries {
			errs = append(errs, root.Remove(dir+"/"+e.Name()))
		}
	}
	if err == nil {
		err = errors.Join(append(errs, root.Remove(dir))...)
	}
	return err
}

var _ session.Keeper = (*Store)(nil)
