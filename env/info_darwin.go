package env

import (
	"io/fs"
	"os"
	"syscall"
	"time"
)

func infoOf(fi fs.FileInfo, _ *os.File) Info {
	i := Info{FileInfo: fi}
	if fi == nil {
		return i
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		i.Dev, i.Inode = uint64(st.Dev), st.Ino
		i.Ctime = time.Unix(st.Ctimespec.Sec, st.Ctimespec.Nsec)
	}
	return i
}
