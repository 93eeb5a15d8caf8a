package cli

import "syscall"

func selectRead(n int, set *syscall.FdSet) error { return syscall.Select(n, set, nil, nil, nil) }
