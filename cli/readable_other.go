//go:build !darwin && !linux

package cli

import (
	"context"
	"os"
)

func readable(context.Context, *os.File) error { return errCannotWait }
