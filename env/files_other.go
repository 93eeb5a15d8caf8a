//go:build !unix

package env

const (
	openFlags = 0
	dirFlags  = 0

	// canOpenAnything is false: what is not a regular file is looked at before it
	// is opened.
	canOpenAnything = false
	canSyncDir      = false
)

func refusal(_ string, err error) error { return err }
