package env

import "sync/atomic"

// Counters count what was done through an Env, for tests and reports that say
// what a step costs. The zero value is ready for use, also concurrently.
type Counters struct {
	Opens     atomic.Int64 // files and directories opened
	Reads     atomic.Int64 // calls that read a file
	BytesRead atomic.Int64
	Writes    atomic.Int64 // calls that write a file
	Syncs     atomic.Int64 // files and directories made durable
	Stats     atomic.Int64 // Stat, Lstat and Readlink
	ReadDirs  atomic.Int64
	Processes atomic.Int64
}

// Counts are the values of Counters at one moment.
type Counts struct {
	Opens, Reads, BytesRead, Writes, Syncs, Stats, ReadDirs, Processes int64
}

// Load returns the present values. A nil *Counters has zero ones.
func (c *Counters) Load() Counts {
	if c == nil {
		return Counts{}
	}
	return Counts{
		Opens: c.Opens.Load(), Reads: c.Reads.Load(), BytesRead: c.BytesRead.Load(),
		Writes: c.Writes.Load(), Syncs: c.Syncs.Load(),
		Stats: c.Stats.Load(), ReadDirs: c.ReadDirs.Load(), Processes: c.Processes.Load(),
	}
}

// Sub returns what was counted since old.
func (c Counts) Sub(old Counts) Counts {
	return Counts{
		Opens: c.Opens - old.Opens, Reads: c.Reads - old.Reads, BytesRead: c.BytesRead - old.BytesRead,
		Writes: c.Writes - old.Writes, Syncs: c.Syncs - old.Syncs,
		Stats: c.Stats - old.Stats, ReadDirs: c.ReadDirs - old.ReadDirs, Processes: c.Processes - old.Processes,
	}
}
