// Package env is the one seam between proem and the machine: clock, ids,
// randomness, files, processes and network. Everything that is not pure reaches
// the world through an [Env], so that a run can be simulated, replayed and
// failed at any effect.
package env

import (
	"context"
	"io"
	"io/fs"
	"net/http"
	"time"
)

// An Env is a set of doors to the machine. A nil field falls back to the
// operating system's.
type Env struct {
	Clock Clock
	IDs   IDs
	Files Files
	Net   http.RoundTripper
	// Fail, if not nil, is asked before every effect.
	Fail *Failpoints
	// Count, if not nil, counts what was done through Files.
	Count *Counters
}

// A Clock tells the time.
type Clock interface {
	Now() time.Time
	// Sleep returns after d, or earlier with the context's error.
	Sleep(ctx context.Context, d time.Duration) error
}

// IDs makes identifiers that match [A-Za-z0-9_-]{1,64}.
type IDs interface {
	New(prefix string) string
}

// Files opens directories. Below a directory everything goes through its Root.
type Files interface {
	OpenRoot(dir string) (Root, error)
}

// A Root is an open directory. Names are slash-separated and relative; no name
// and no symbolic link leads out of it, also while links are being changed (it
// is an [os.Root] in the operating system's implementation).
type Root interface {
	// Open opens a regular file for reading without ever blocking: a FIFO, a
	// device, a socket or a directory is refused with ErrNotRegular.
	Open(name string) (File, error)
	// OpenFile opens for writing with the flags of package os.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	Stat(name string) (Info, error)             // follows links that stay inside
	Lstat(name string) (Info, error)            // does not follow
	ReadDir(name string) ([]fs.DirEntry, error) // in ascending order of names
	Readlink(name string) (string, error)
	MkdirAll(name string, perm fs.FileMode) error
	Rename(from, to string) error
	Remove(name string) error
	Name() string // the directory as it was opened
	Close() error
}

// A File is an open file.
type File interface {
	io.ReadWriteCloser
	io.ReaderAt
	io.Seeker
	Stat() (Info, error)
	Sync() error
	Truncate(size int64) error
	// Lock takes an exclusive lock that other processes see, without waiting; it
	// is released by Close or the end of the process. It returns ErrLocked if
	// somebody else holds it.
	Lock() error
}

// Info describes a file. Two files are the same if Dev and Inode are equal;
// a file that was not changed has the same Info.
type Info struct {
	fs.FileInfo
	Dev, Inode uint64
	Ctime      time.Time // change time; the zero time where there is none
}
