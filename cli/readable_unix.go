//go:build darwin || linux

package cli

import (
	"context"
	"os"
	"syscall"
	"unsafe"
)

// readable waits until a file can be read without blocking. It returns early if
// the context is done.
func readable(ctx context.Context, f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return errCannotWait
	}
	wake, ring, err := os.Pipe()
	if err != nil {
		return errCannotWait
	}
	defer wake.Close()
	defer ring.Close()
	stop := context.AfterFunc(ctx, func() { ring.Write([]byte{0}) })
	defer stop()
	bell := int(wake.Fd())
	var waited error
	if err := conn.Control(func(fd uintptr) { waited = waitFor(int(fd), bell) }); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return waited
}

// waitFor waits until one of two descriptors can be read.
func waitFor(a, b int) error {
	for {
		var set syscall.FdSet
		const bits = 8 * int(unsafe.Sizeof(set.Bits[0]))
		for _, fd := range []int{a, b} {
			if fd >= bits*len(set.Bits) {
				return errCannotWait
			}
			set.Bits[fd/bits] |= 1 << (fd % bits)
		}
		if err := selectRead(max(a, b)+1, &set, nil); err != syscall.EINTR {
			return err
		}
	}
}

// ready reports whether a file can be read at this moment without blocking.
func ready(f *os.File) (yes bool) {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	conn.Control(func(fd uintptr) {
		var set syscall.FdSet
		const bits = 8 * int(unsafe.Sizeof(set.Bits[0]))
		if int(fd) >= bits*len(set.Bits) {
			return
		}
		set.Bits[int(fd)/bits] |= 1 << (int(fd) % bits)
		err := selectRead(int(fd)+1, &set, &syscall.Timeval{})
		yes = err == nil && set.Bits[int(fd)/bits] != 0
	})
	return yes
}
