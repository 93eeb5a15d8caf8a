package jsonl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
)

// repair removes what stands behind the last intact record, after it was kept in
// a file of its own.
func (l *log) repair(size int64) error {
	aside, err := l.keepAside(size)
	if err != nil {
		return fmt.Errorf("keep %d damaged bytes at offset %d: %w", size-l.size, l.size, err)
	}
	if err := l.file.Truncate(l.size); err != nil {
		return err
	}
	if err := l.sync(); err != nil {
		return err
	}
	l.store.report(prompt.Diagnostic{
		Severity: prompt.Warning, Code: "session.repaired", Path: l.path(l.name), Offset: int(l.size),
		Message: fmt.Sprintf("%d damaged bytes behind event %d were moved to %s", size-l.size, l.last, aside),
	})
	return nil
}

func (l *log) reportDamage(loss session.Loss) {
	l.store.report(prompt.Diagnostic{
		Severity: prompt.Error, Code: "session.damaged", Path: l.path(l.name), Offset: int(loss.Offset), Message: loss.String(),
	})
}

func (l *log) path(name string) string { return filepath.Join(l.store.root.Name(), name) }

// keepAside copies the bytes from the end of the intact log on to a new file and
// returns its name.
func (l *log) keepAside(size int64) (string, error) {
	root := l.store.root
	base := l.name[:len(l.name)-len(suffix)] + damagedInfix + strconv.FormatInt(l.size, 10)
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && n < 1000 {
			continue // from an earlier damage or an earlier attempt
		}
		if err != nil {
			return "", err
		}
		_, err = io.Copy(f, io.NewSectionReader(l.file, l.size, size-l.size))
		if err == nil && !l.store.config.NoSync {
			err = f.Sync()
		}
		err = errors.Join(err, f.Close())
		if err == nil && !l.store.config.NoSync {
			err = root.SyncDir(".")
		}
		if err != nil {
			return "", errors.Join(err, root.Remove(name))
		}
		return name, nil
	}
}
