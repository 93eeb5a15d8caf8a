package quickjs

import (
	"syscall"
	"time"
)

// overhead is what the process needs besides the values of the code: the program,
// its collector, what is on its way.
const overhead = 512 << 20

// confine takes from the process what it does not need. It can open nothing any
// more: the limit is on the number of a new descriptor.
func confine(memory int64, cpu int) error {
	time.Sleep(time.Microsecond) // timers open descriptors once, when first used
	for _, l := range []struct {
		resource int
		most     uint64
	}{
		{syscall.RLIMIT_CORE, 0},
		{syscall.RLIMIT_FSIZE, 0},
		{syscall.RLIMIT_CPU, uint64(cpu)},
		{syscall.RLIMIT_DATA, 2*uint64(memory) + overhead},
		{syscall.RLIMIT_AS, 2*uint64(memory) + 8*overhead},
		{syscall.RLIMIT_NOFILE, 0},
	} {
		if raced && (l.resource == syscall.RLIMIT_DATA || l.resource == syscall.RLIMIT_AS) {
			continue // the race detector has terabytes of addresses
		}
		if err := syscall.Setrlimit(l.resource, &syscall.Rlimit{Cur: l.most, Max: l.most}); err != nil {
			return err
		}
	}
	return nil
}
