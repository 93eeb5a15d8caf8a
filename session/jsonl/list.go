package jsonl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/proemhq/proem/session"
)

const (
	suffix       = ".jsonl"
	damagedInfix = ".damaged-"
)

// fileName returns the name of a session's file: the id, in which a capital
// letter is written as "+" and the small one, because some file systems do not
// tell them apart.
func fileName(id string) string {
	var b strings.Builder
	for i := range len(id) {
		c := id[i]
		if 'A' <= c && c <= 'Z' {
			b.WriteByte('+')
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String() + suffix
}

// idOf returns the id of a session whose file has that name.
func idOf(name string) (string, bool) {
	stem, ok := strings.CutSuffix(name, suffix)
	if !ok {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(stem); i++ {
		c := stem[i]
		if c == '+' && i+1 < len(stem) {
			i++
			c = stem[i] - ('a' - 'A')
		}
		b.WriteByte(c)
	}
	id := b.String()
	return id, session.CheckID(id) == nil && fileName(id) == name
}

// Events implements [session.Store]. It takes no lock and reads what is there;
// see [Read].
func (s *Store) Events(ctx context.Context, id string) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		if err := session.CheckID(id); err != nil {
			yield(session.Event{}, err)
			return
		}
		fail := func(err error) { yield(session.Event{}, fmt.Errorf("session %s: %w", id, err)) }
		if err := ctx.Err(); err != nil {
			fail(err)
			return
		}
		f, err := s.root.Open(fileName(id))
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			fail(err)
			return
		}
		defer f.Close()
		for e, err := range Read(f) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				fail(err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// List implements [session.Lister]. Files that are not logs of sessions are
// passed over.
func (s *Store) List(ctx context.Context) ([]session.Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	entries, err := s.root.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	var out []session.Info
	for _, entry := range entries {
		id, ok := idOf(entry.Name())
		if !ok {
			continue
		}
		info, err := s.root.Lstat(entry.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("session %s: %w", id, err)
		}
		if info.Mode().IsRegular() && info.Size() > 0 {
			out = append(out, session.Info{ID: id, Updated: info.ModTime(), Bytes: info.Size()})
		}
	}
	slices.SortFunc(out, func(a, b session.Info) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// Delete implements [session.Deleter]. It removes the log, what was set aside when
// it was repaired, and the kept contents. A session that another process holds is not deleted.
func (s *Store) Delete(ctx context.Context, id string) error {
	if err := session.CheckID(id); err != nil {
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
	if err := l.delete(); err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	return nil
}

func (l *log) delete() error {
	if l.file == nil {
		f, err := l.lock(false)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		l.file = f // nil if there is no log
	}
	root := l.store.root
	entries, err := root.ReadDir(".")
	if err != nil {
		return errors.Join(err, l.close())
	}
	aside := strings.TrimSuffix(l.name, suffix) + damagedInfix
	var errs []error
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), aside) || entry.Name() == l.name && l.file != nil {
			errs = append(errs, root.Remove(entry.Name()))
		}
	}
	errs = append(errs, l.deleteKept())
	if !l.store.config.NoSync {
		errs = append(errs, root.SyncDir("."))
	}
	return errors.Join(append(errs, l.close())...)
}
