// Package jsonl keeps sessions in files, one log for each, one event a line:
//
//	{"crc":"89826976","len":62,"event":{"seq":1,"time":"2026-03-01T12:00:00Z","kind":"session.start"}}
//
// Each line is JSON, so a log can be read with any tool, and carries the length
// and the CRC-32C of its event, so damage is noticed:
//
//   - A record that was not written to its end is removed before the next one is
//     appended, never joined with it.
//   - Damage in the middle is skipped, and what is lost is said: the events
//     behind it are still there.
//   - What a repair removes is first kept in a file beside the log.
//   - An append that fails, as on a full disk, is taken back.
//
// When Append returns, its events are on disk: the file is synced once for each
// call, and the directory when a log is created.
//
//	store, err := jsonl.Open(jsonl.Config{Dir: dir, Report: func(d prompt.Diagnostic) { log.Print(d) }})
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	err = store.Append(ctx, "s1", 0, session.Event{Seq: 1, Time: now, Kind: session.Start})
//
// What the request events name by hash is kept in a directory beside the log, in
// a file for each content; see [session.Keeper].
//
// A session belongs to the process that first appends to it, until the store is
// closed, the session is released, or the process ends in whatever way; anybody
// may read meanwhile. Locks are the operating system's and need no cleaning up.
package jsonl

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
)

// Config says where a store is and how it works.
type Config struct {
	// Dir is the directory of the logs. It is created if it does not exist, for
	// nobody but the user.
	Dir string
	// Env is the machine; nil: the operating system.
	Env *env.Env
	// Report, if not nil, is told of every repair and damage when a log is opened
	// for appending: codes session.repaired and session.damaged. It is called by
	// Append, possibly concurrently, and must not use the store.
	Report func(prompt.Diagnostic)
	// NoSync leaves it to the operating system when to write to disk: events then
	// survive the end of the process, but not that of the machine.
	NoSync bool
	// MaxOpen is how many sessions may be held open for appending; the one that
	// was used least recently is released. 0: 64.
	MaxOpen int
}

// A Store keeps sessions in the files of a directory. It is a [session.Store],
// a [session.Keeper], a [session.Lister], a [session.Deleter] and a
// [session.Releaser], for concurrent use.
type Store struct {
	config Config
	root   env.Root

	mu      sync.Mutex
	closed  bool
	tick    int64
	logs    map[string]*log
	repairs []prompt.Diagnostic
}

// Open returns the store of a directory. The caller closes it.
func Open(c Config) (*Store, error) {
	if c.Dir == "" {
		return nil, errors.New("session store: no directory")
	}
	if c.MaxOpen <= 0 {
		c.MaxOpen = 64
	}
	e := env.OrSystem(c.Env)
	if err := e.Files.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("session store: %w", err)
	}
	root, err := e.Files.OpenRoot(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("session store: %w", err)
	}
	return &Store{config: c, root: root, logs: map[string]*log{}}, nil
}

// Repairs returns what was repaired or found damaged since the store was opened:
// the diagnostics that Report was given.
func (s *Store) Repairs() []prompt.Diagnostic {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.repairs)
}

func (s *Store) report(d prompt.Diagnostic) {
	s.mu.Lock()
	s.repairs = append(s.repairs, d)
	s.mu.Unlock()
	if s.config.Report != nil {
		s.config.Report(d)
	}
}

// Release implements [session.Releaser].
func (s *Store) Release(id string) error {
	if err := session.CheckID(id); err != nil {
		return err
	}
	l, err := s.acquire(id)
	if err != nil {
		return err
	}
	defer s.release(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.close()
}

// Close releases all sessions. Appends in progress are waited for, later calls
// fail.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	all := slices.Collect(maps.Values(s.logs)) // in any order: only closed
	for _, l := range all {
		l.users++
	}
	s.mu.Unlock()
	var errs []error
	for _, l := range all {
		l.mu.Lock()
		errs = append(errs, l.close())
		l.mu.Unlock()
		s.release(l)
	}
	return errors.Join(append(errs, s.root.Close())...)
}

func (s *Store) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// errClosed is the error of a store that was closed.
var errClosed = errors.New("session store: closed")

// acquire returns the log of a session, which stays in the table until it is
// released as often as it was acquired.
func (s *Store) acquire(id string) (*log, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	l := s.logs[id]
	if l == nil {
		l = &log{store: s, id: id, name: fileName(id)}
		s.logs[id] = l
	}
	s.tick++
	l.users++
	l.used = s.tick
	return l, nil
}

// release gives a log back and closes the least recently used ones if too many
// are open. A log without users is nobody's, so its own lock is not needed.
func (s *Store) release(l *log) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.users--
	if l.users == 0 && l.file == nil {
		delete(s.logs, l.id)
	}
	for len(s.logs) > s.config.MaxOpen {
		var oldest *log
		for _, l := range s.logs {
			if l.users == 0 && (oldest == nil || l.used < oldest.used) {
				oldest = l
			}
		}
		if oldest == nil {
			return
		}
		delete(s.logs, oldest.id)
		// Everything acknowledged is on disk already; there is nothing to lose.
		_ = oldest.close()
	}
}
