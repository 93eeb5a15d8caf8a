package cli

import "syscall"

func selectRead(n int, set *syscall.FdSet, most *syscall.Timeval) error {
	return syscall.Select(n, set, nil, nil, most)
}
