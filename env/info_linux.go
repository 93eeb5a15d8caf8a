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
		i.Dev, i.Inode = uint64(st.Dev), uint64(st.Ino)
		i.Ctime = time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec))
	}
	return i
}
