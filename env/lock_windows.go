package env

import (
	"syscall"
	"unsafe"
)

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

const (
	lockFailImmediately = 1
	lockExclusive       = 2

	errLockViolation = syscall.Errno(33)
)

// lock locks one byte far behind the end of any file, because a lock on Windows
// keeps others from reading what it covers.
func lock(fd uintptr) error {
	at := syscall.Overlapped{Offset: 0, OffsetHigh: 0x40000000}
	ok, _, err := lockFileEx.Call(fd, lockFailImmediately|lockExclusive, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	switch {
	case ok != 0:
		return nil
	case err == errLockViolation || err == syscall.ERROR_IO_PENDING:
		return ErrLocked
	}
	return err
}
