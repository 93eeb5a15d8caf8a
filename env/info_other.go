//go:build !linux && !darwin && !windows

package env

import (
	"io/fs"
	"os"
)

func infoOf(fi fs.FileInfo, _ *os.File) Info { return Info{FileInfo: fi} }
