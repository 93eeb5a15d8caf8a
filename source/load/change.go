package load

import (
	"io/fs"
	"time"

	"github.com/proemhq/proem/env"
)

// tick is the coarsest step of a file system's clock that is worth a thought:
// the kernel's own at 100 Hz, doubled.
const tick = 20 * time.Millisecond

// isRacy reports whether a file, looked at when the clock said at, could be
// changed once more and still have the same info. Such a file is read again the
// next time; from then on it costs one stat.
func isRacy(info env.Info, at time.Time) bool {
	last := info.ModTime()
	if info.Ctime.After(last) {
		last = info.Ctime
	}
	age := at.Sub(last)
	return age > -tick && age < tick
}

type listing struct {
	entries []fs.DirEntry
	info    env.Info
	racy    bool
}

// List returns the entries of a directory below root, ascending by name. A
// directory that did not change costs one stat. The slice is shared: it must not
// be changed.
func (l *Loader) List(root env.Root, dir string) ([]fs.DirEntry, error) {
	k := key{root: root.Name(), name: dir}
	info, err := root.Stat(dir)
	if err != nil {
		return nil, refuseError(root, dir, err, nil)
	}
	l.mu.Lock()
	old, ok := l.lists[k]
	l.mu.Unlock()
	if ok && !old.racy && old.info.Unchanged(info) {
		return old.entries, nil
	}
	at := l.clock.Now()
	entries, err := root.ReadDir(dir)
	if err != nil {
		return nil, refuseError(root, dir, err, nil)
	}
	l.mu.Lock()
	l.lists[k] = listing{entries, info, !l.Once && isRacy(info, at)}
	l.mu.Unlock()
	return entries, nil
}
