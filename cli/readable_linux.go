package cli

import "syscall"

func selectRead(n int, set *syscall.FdSet) error {
	_, err := syscall.Select(n, set, nil, nil, nil)
	return err
}
