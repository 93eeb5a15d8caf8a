package env

import (
	"errors"
	"io"
	"io/fs"
	"time"
)

// ErrNotRegular says that a name is not a regular file: a directory, a FIFO, a
// device or a socket. Errors that wrap it are of type *fs.PathError.
var ErrNotRegular = errors.New("not a regular file")

// ErrLocked says that somebody else holds the lock of a file.
var ErrLocked = errors.New("locked by another process")

// Files opens directories. Below a directory everything goes through its Root.
type Files interface {
	// OpenRoot opens a directory that exists.
	OpenRoot(dir string) (Root, error)
	// MkdirAll creates a directory and its parents, for OpenRoot. It is no error
	// if the directory exists.
	MkdirAll(dir string, perm fs.FileMode) error
}

// A Root is an open directory. Names are slash-separated and relative, "." is
// the directory itself; no name and no symbolic link leads out of it, also while
// links are being changed (it is an [os.Root] in the operating system's
// implementation).
type Root interface {
	// Open opens a regular file for reading without ever blocking: a FIFO, a
	// device, a socket or a directory is refused with ErrNotRegular.
	Open(name string) (File, error)
	// OpenFile opens a regular file for writing with the flags of package os, with
	// the same promise.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	Stat(name string) (Info, error)  // follows links that stay inside
	Lstat(name string) (Info, error) // does not follow
	// ReadDir returns the entries in ascending order of names. What an entry's
	// Info method reads is not counted; Lstat is.
	ReadDir(name string) ([]fs.DirEntry, error)
	Readlink(name string) (string, error)
	MkdirAll(name string, perm fs.FileMode) error
	Rename(from, to string) error
	Remove(name string) error
	// SyncDir makes what was created, renamed and removed in a directory durable,
	// where the system can.
	SyncDir(name string) error
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
	// somebody else holds it, be it another File of the same process.
	Lock() error
}

// Info describes a file. Two files are the same if Dev and Inode are equal;
// a file that was not changed has the same Info. Where the system has no such
// numbers they are zero, and only size and times can be compared.
type Info struct {
	fs.FileInfo
	Dev   uint64    // the device, or the serial number of the volume
	Inode uint64    // the file on that device
	Ctime time.Time // change time; the zero time where there is none
}

// Unchanged reports whether both describe the same state of the same file, as
// far as the system tells.
func (i Info) Unchanged(j Info) bool {
	if i.FileInfo == nil || j.FileInfo == nil {
		return false
	}
	return i.Dev == j.Dev && i.Inode == j.Inode && i.Size() == j.Size() && i.Mode() == j.Mode() &&
		i.ModTime().Equal(j.ModTime()) && i.Ctime.Equal(j.Ctime)
}
