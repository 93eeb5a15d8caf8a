//go:build unix

package permit

import (
	"syscall"

	"github.com/proemhq/proem/env"
)

// linkCount is how many names a file has; 0: it cannot be told.
func linkCount(i env.Info) uint64 {
	if st, ok := i.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 0
}
