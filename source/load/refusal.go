package load

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
)

// A Refusal is the error for something that is there and is not read. Its
// diagnostic names the path that was asked for and never shows content.
type Refusal struct {
	Diagnostic prompt.Diagnostic
	Err        error // the cause, or nil
}

// Error returns the diagnostic as one line.
func (r *Refusal) Error() string {
	return fmt.Sprintf("load %s: %s", r.Diagnostic.Path, r.Diagnostic.Message)
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Err }

// reason is why a file is refused.
type reason struct {
	severity prompt.Severity
	code     string
	message  string
}

var (
	notRegular = reason{prompt.Info, "doc.not_regular", "not a regular file"}
	brokenLink = reason{prompt.Info, "doc.broken_link", "the link leads to nothing"}
	outside    = reason{prompt.Error, "doc.outside_root", "leads out of its root; not read"}
	unreadable = reason{prompt.Warning, "doc.unreadable", "cannot be read"}
)

func refuse(root env.Root, name string, r reason, mode fs.FileMode, cause error) *Refusal {
	m := r.message
	switch {
	case mode.IsDir():
		m = "a directory, not a regular file"
	case mode&fs.ModeNamedPipe != 0:
		m = "a named pipe, not a regular file"
	}
	if cause != nil {
		m += ": " + cause.Error()
	}
	return &Refusal{
		Diagnostic: prompt.Diagnostic{
			Severity: r.severity,
			Code:     r.code,
			Path:     filepath.Join(root.Name(), filepath.FromSlash(name)),
			Message:  m,
		},
		Err: cause,
	}
}

// refuseError returns the refusal that fits an error of the root. If resolving
// failed with err, cause is what went wrong before.
func refuseError(root env.Root, name string, err, cause error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("load %s: %w", name, fs.ErrNotExist)
	case errors.Is(err, env.ErrNotRegular):
		return refuse(root, name, notRegular, 0, nil)
	case errors.Is(err, ErrOutside):
		return refuse(root, name, outside, 0, nil)
	}
	if cause == nil {
		cause = err
	}
	if _, rerr := Resolve(root, name); errors.Is(rerr, ErrOutside) {
		return refuse(root, name, outside, 0, nil)
	}
	var p *fs.PathError // its text repeats the path
	if errors.As(cause, &p) {
		cause = p.Err
	}
	return refuse(root, name, unreadable, 0, cause)
}
