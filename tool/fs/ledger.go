package fs

import (
	"container/list"
	"sync"

	"github.com/proemhq/proem/env"
)

// maxLedger is how many readings a ledger remembers. The oldest go first; a file
// that was forgotten has to be read again before an edit.
const maxLedger = 16 << 10

// A Ledger remembers which content of which file each session has seen, so that
// an edit rests on what is there and not on what was there. It may be used
// concurrently. Memory only: after a restart a file is read again.
type Ledger struct {
	change sync.Mutex // held while a tool changes a file

	mu    sync.Mutex
	seen  map[reading]*list.Element
	order *list.List // of *reading; the oldest first
}

// reading is a key: a session and where the file lies or which one it is.
type reading struct {
	session    string
	path       string // or
	dev, inode uint64
}

// content is what a reading saw.
type content struct {
	key reading
	sum [32]byte // SHA-256 of the file's bytes
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger { return &Ledger{seen: map[reading]*list.Element{}, order: list.New()} }

// note remembers that the session has seen the content of a file, by the file's
// path without links and by its identity.
func (l *Ledger) note(session, path string, info env.Info, sum [32]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(content{reading{session: session, path: path}, sum})
	if info.Inode != 0 {
		l.put(content{reading{session: session, dev: info.Dev, inode: info.Inode}, sum})
	}
}

func (l *Ledger) put(c content) {
	if old := l.seen[c.key]; old != nil {
		l.order.Remove(old)
	}
	l.seen[c.key] = l.order.PushBack(c)
	for l.order.Len() > maxLedger {
		oldest := l.order.Front()
		delete(l.seen, l.order.Remove(oldest).(content).key)
	}
}

// knowledge is what a session knows of a file.
type knowledge int

const (
	unread knowledge = iota
	stale            // it has seen other content
	fresh            // it has seen this content
)

// knows reports what the session has seen of a file that now holds sum.
func (l *Ledger) knows(session, path string, info env.Info, sum [32]byte) knowledge {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := unread
	for _, key := range []reading{{session: session, path: path}, {session: session, dev: info.Dev, inode: info.Inode}} {
		if e := l.seen[key]; e != nil && key != (reading{session: session}) {
			if k = stale; e.Value.(content).sum == sum {
				return fresh
			}
		}
	}
	return k
}
