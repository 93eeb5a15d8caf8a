//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package env

import "errors"

func lock(uintptr) error { return errors.ErrUnsupported }
