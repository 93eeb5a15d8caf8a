package env

import "io/fs"

// Chmod sets the permission bits of an open file. Files that have none are left
// as they are.
func Chmod(f File, mode fs.FileMode) error {
	if c, ok := f.(interface{ Chmod(fs.FileMode) error }); ok {
		return c.Chmod(mode)
	}
	return nil
}

func (f guardedFile) Chmod(mode fs.FileMode) error { return Chmod(f.File, mode) }
