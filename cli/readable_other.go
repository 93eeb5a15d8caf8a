//go:build !darwin && !linux

package cli

import (
	"context"
	"os"
)

func readable(context.Context, *os.File) error { return errCannotWait }

func ready(*os.File) bool { return false }
