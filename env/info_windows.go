package env

import (
	"io/fs"
	"os"
	"syscall"
)

// infoOf asks an open file for its volume and index. A name alone does not tell
// them without opening the file, so they are zero then. Windows keeps no change
// time that package syscall can read.
func infoOf(fi fs.FileInfo, f *os.File) Info {
	i := Info{FileInfo: fi}
	if fi == nil || f == nil {
		return i
	}
	c, err := f.SyscallConn()
	if err != nil {
		return i
	}
	var d syscall.ByHandleFileInformation
	var dErr error
	err = c.Control(func(fd uintptr) { dErr = syscall.GetFileInformationByHandle(syscall.Handle(fd), &d) })
	if err == nil && dErr == nil {
		i.Dev = uint64(d.VolumeSerialNumber)
		i.Inode = uint64(d.FileIndexHigh)<<32 | uint64(d.FileIndexLow)
	}
	return i
}
