//go:build unix

package env

import (
	"errors"
	"syscall"
)

const (
	// openFlags make opening a FIFO or a device return at once. Reads of regular
	// files do not change.
	openFlags = syscall.O_NONBLOCK | syscall.O_CLOEXEC
	dirFlags  = openFlags | syscall.O_DIRECTORY

	canOpenAnything = true
	canSyncDir      = true
)

// refusal turns what the system says of a socket, of a FIFO without a reader,
// of a device without a driver and of a directory opened for writing into
// ErrNotRegular.
func refusal(name string, err error) error {
	if errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENODEV) ||
		errors.Is(err, syscall.EOPNOTSUPP) {
		return notRegular(name)
	}
	return err
}
