package vfs

import (
	"errors"
	"io/fs"
	"os"
)

// Cause returns an error without the path that it repeats.
func Cause(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}
