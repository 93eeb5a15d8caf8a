//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package env

import "syscall"

// lock takes a lock that belongs to the open file, not to the process: a second
// open of the same file is refused as another process would be.
func lock(fd uintptr) error {
	for {
		switch err := syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case nil:
			return nil
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return ErrLocked
		default:
			return err
		}
	}
}
