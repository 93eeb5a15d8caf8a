package jsonl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/session"
)

// log is a session's file. The store's lock guards users and used, the log's own
// the rest.
type log struct {
	store *Store
	id    string
	name  string // of the file
	users int
	used  int64

	mu   sync.Mutex
	file env.File // nil: not open; otherwise locked against other processes
	size int64    // the file is intact up to here and ends here
	last uint64   // the last event
}

// Append implements [session.Store]. The events are written and synced at once;
// after a crash in between, a first part of them may have survived. Another
// process that holds the session makes it fail with [session.ErrLocked].
func (s *Store) Append(ctx context.Context, id string, after uint64, events ...session.Event) error {
	if err := session.CheckAppend(id, after, events); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	if len(events) == 0 {
		return nil
	}
	frames, err := encode(events)
	if err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	l, err := s.acquire(id)
	if err != nil {
		return err
	}
	defer s.release(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.append(after, frames, len(events)); err != nil {
		if _, ok := errors.AsType[*session.MovedError](err); ok {
			return err // names the session
		}
		return fmt.Errorf("session %s: %w", id, err)
	}
	return nil
}

func encode(events []session.Event) ([]byte, error) {
	var frames []byte
	for i := range events {
		payload, err := events[i].MarshalJSON()
		if err != nil {
			return nil, err
		}
		if len(payload) > maxRecord {
			return nil, fmt.Errorf("event %d: %d bytes are more than the %d that a record may have", events[i].Seq, len(payload), maxRecord)
		}
		frames = appendFrame(frames, payload)
	}
	return frames, nil
}

func (l *log) append(after uint64, frames []byte, n int) error {
	if err := l.recheck(); err != nil {
		return err
	}
	if l.file == nil {
		if err := l.open(after); err != nil {
			return err
		}
	}
	if l.last != after {
		return &session.MovedError{ID: l.id, After: after, Last: l.last}
	}
	if _, err := l.file.Seek(l.size, io.SeekStart); err != nil {
		return err
	}
	k, err := l.file.Write(frames)
	if err == nil && k < len(frames) {
		err = io.ErrShortWrite
	}
	if err != nil {
		// The log is as before if the partial record can be removed; otherwise it is
		// closed, and the next append repairs it.
		if terr := l.file.Truncate(l.size); terr != nil {
			return errors.Join(err, terr, l.close())
		}
		return err
	}
	if err := l.sync(); err != nil {
		// What a system keeps after a sync that failed is not known. The file is
		// closed, so that the next append looks at it again.
		return errors.Join(err, l.file.Truncate(l.size), l.close())
	}
	l.size += int64(len(frames))
	l.last += uint64(n)
	return nil
}

// recheck closes a log that somebody has written to past the lock, as can happen
// on a network file system or with an editor, so that it is read again.
func (l *log) recheck() error {
	if l.file == nil {
		return nil
	}
	info, err := l.file.Stat()
	if err == nil && info.Size() == l.size {
		return nil
	}
	return errors.Join(err, l.close())
}

func (l *log) sync() error {
	if l.store.config.NoSync {
		return nil
	}
	return l.file.Sync()
}

func (l *log) close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// open takes the lock of the session, reads its log to the end and repairs it.
func (l *log) open(after uint64) error {
	if l.store.isClosed() {
		return errClosed
	}
	f, err := l.lock(after == 0)
	if errors.Is(err, fs.ErrNotExist) {
		return &session.MovedError{ID: l.id, After: after}
	}
	if err != nil {
		return err
	}
	l.file = f
	if err := l.load(); err != nil {
		return errors.Join(err, l.close())
	}
	return nil
}

// lock opens the file and locks it. The file may be deleted between the two, so
// it is made sure that the locked one is the one with the name.
func (l *log) lock(create bool) (env.File, error) {
	flag := os.O_RDWR // not os.O_APPEND: Windows does not truncate such a file
	if create {
		flag |= os.O_CREATE
	}
	for range 100 {
		f, err := l.store.root.OpenFile(l.name, flag, 0o600)
		if err != nil {
			return nil, err
		}
		if err := f.Lock(); err != nil {
			f.Close()
			if errors.Is(err, env.ErrLocked) {
				return nil, session.ErrLocked
			}
			return nil, err
		}
		same, err := l.isNamed(f)
		if same {
			return f, nil
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the log is deleted again and again")
}

func (l *log) isNamed(f env.File) (bool, error) {
	open, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := l.store.root.Stat(l.name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if open.Inode == 0 || named.Inode == 0 {
		return true, nil // not known; such systems do not delete open files
	}
	return open.Dev == named.Dev && open.Inode == named.Inode, nil
}

// load finds the end of the intact log, reports damage before it and removes
// what stands behind it.
func (l *log) load() error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 && !l.store.config.NoSync {
		if err := l.store.root.SyncDir("."); err != nil {
			return err
		}
	}
	s := newScanner(io.NewSectionReader(l.file, 0, info.Size()))
	for {
		rec, err := s.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if rec.loss != nil && rec.loss.Offset < s.end {
			l.reportDamage(*rec.loss)
		}
	}
	l.size, l.last = s.end, s.last
	if l.size == info.Size() {
		return nil
	}
	return l.repair(info.Size())
}

var (
	_ session.Store    = (*Store)(nil)
	_ session.Lister   = (*Store)(nil)
	_ session.Deleter  = (*Store)(nil)
	_ session.Releaser = (*Store)(nil)
)
