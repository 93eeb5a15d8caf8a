package reliability_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/span"
)

// A log is a journal with the places where its records end.
type log struct {
	events []session.Event
	bytes  []byte
	ends   []int

	next    []byte // the record that was last appended behind a cut, and its number
	nextSeq uint64
}

// newLog writes a log of at least so many bytes with inputs of all lengths up to a
// few kilobytes, and of every kind of character that a line may have.
func newLog(t testing.TB, size, longest int) log {
	t.Helper()
	dir := t.TempDir()
	s, err := jsonl.Open(jsonl.Config{Dir: dir, NoSync: true})
	must(t, err)
	defer s.Close()
	var l log
	text := strings.Repeat("a {\"crc\":\"00000000\",\"len\":1,\"event\":}\n \u2028 \x00 \\ \" 漢 é ", 1+longest/32)
	for n := 0; n < size; n = l.ends[len(l.ends)-1] {
		seq := uint64(len(l.events)) + 1
		from := &span.Origin{Section: "input", Trust: span.User}
		m := chat.UserText(strings.ToValidUTF8(text[:(int(seq)*617)%longest], ""), from)
		l.events = append(l.events, session.Event{Seq: seq, Time: t0, Kind: session.Input, Turn: 1, Message: &m})
		must(t, s.Append(t.Context(), id, seq-1, l.events[seq-1]))
		info, err := os.Stat(filepath.Join(dir, id+".jsonl"))
		must(t, err)
		l.ends = append(l.ends, int(info.Size()))
	}
	l.bytes = journal(t, dir)
	return l
}

// TestCut cuts a journal at every byte, appends to what is left, and looks at the
// file: it must be the intact records and the new one (I2).
func TestCut(t *testing.T) {
	l := newLog(t, pick(5<<10, 1_000_000), pick(900, 4000))
	start := time.Now()
	const chunk = 1000
	parallel(t, (len(l.bytes)+chunk)/chunk, func(t testing.TB, i int) {
		dir, remove := ramdir(t)
		defer remove()
		must(t, os.WriteFile(filepath.Join(dir, id+".jsonl"), l.bytes[:i*chunk], 0o600))
		s, err := jsonl.Open(jsonl.Config{Dir: dir, NoSync: true})
		must(t, err)
		defer s.Close()
		l := l // with a record of its own
		for cut := i * chunk; cut < min((i+1)*chunk, len(l.bytes)+1); cut++ {
			l.cut(t, s, dir, cut, cut%chunk == 0)
		}
	})
	report(t, fmt.Sprintf("a journal of %d bytes cut at each of them, appended to, and read", len(l.bytes)),
		"%d cuts: always the exact records before the cut and the new one; %.0f s", len(l.bytes)+1, time.Since(start).Seconds())
}

// cut tries one cut. The file of the store has the bytes of the log up to the
// record in which the cut is, and anything behind.
func (l *log) cut(t testing.TB, s *jsonl.Store, dir string, cut int, whole bool) {
	t.Helper()
	path := filepath.Join(dir, id+".jsonl")
	n, begin := l.before(cut)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	_, intact := l.before(max(0, cut-1)) // behind it stands what the cut before this one left
	must(t, f.Truncate(int64(intact)))
	_, err = f.WriteAt(l.bytes[intact:cut], int64(intact))
	must(t, err)
	next := l.events[0]
	next.Seq = uint64(n) + 1
	must(t, s.Append(t.Context(), id, uint64(n), next))
	must(t, s.Release(id))
	info, err := f.Stat()
	must(t, err)
	got := make([]byte, max(0, int(info.Size())-begin))
	_, err = f.ReadAt(got, int64(begin))
	must(t, err)
	if !bytes.Equal(got, l.next) || l.nextSeq != next.Seq {
		// A line that is no record stands for those before, which need not be read each time.
		events, err := readBytes(append([]byte("none\n"), got...))
		if err != nil || len(events) != 2 || !cmp.Equal(events[1], next) {
			t.Errorf("cut at %d: behind event %d stands %q (%v)", cut, n, got, err)
		}
		l.next, l.nextSeq = got, next.Seq
	}
	aside := filepath.Join(dir, fmt.Sprintf("%s.damaged-%d", id, begin))
	if kept, err := os.ReadFile(aside); cut > begin && (err != nil || !bytes.Equal(kept, l.bytes[begin:cut])) {
		t.Errorf("cut at %d: what was cut is not kept: %v", cut, err)
	} else if cut == begin && err == nil {
		t.Errorf("cut at %d: something was moved", cut)
	}
	_ = os.Remove(aside) // also if it is not there
	if !whole {
		return
	}
	if now := journal(t, dir); !bytes.HasPrefix(now, l.bytes[:begin]) {
		t.Errorf("cut at %d: the intact records were changed", cut)
	}
	events, err := read(t.Context(), s)
	must(t, err)
	if d := cmp.Diff(events, append(l.events[:n:n], next)); d != "" {
		t.Errorf("cut at %d (-got +want):\n%s", cut, d)
	}
}

// before returns how many records are whole before a place, and where the last of
// them ends.
func (l *log) before(at int) (n, end int) {
	n, exact := slices.BinarySearch(l.ends, at)
	if exact {
		n++
	}
	if n > 0 {
		end = l.ends[n-1]
	}
	return n, end
}

func readBytes(b []byte) (events []session.Event, err error) {
	for e, err := range jsonl.Read(bytes.NewReader(b)) {
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
	return events, nil
}

// TestFlip flips single bits of a journal: one bit in every third record at the
// same time, until each byte had its turn (I2). What is damaged must be reported,
// and all else be there.
func TestFlip(t *testing.T) {
	l := newLog(t, pick(8<<10, 1_000_000), pick(200, 120))
	longest := 0
	for i := range l.ends {
		longest = max(longest, l.ends[i]-l.begin(i))
	}
	start := time.Now()
	var flips, lost atomic.Int64
	parallel(t, 3*longest, func(t testing.TB, i int) {
		third, off := i%3, i/3
		b := bytes.Clone(l.bytes)
		hit := map[int]bool{} // the records, from 0
		for n := third; n < len(l.ends); n += 3 {
			if at := l.begin(n) + off; at < l.ends[n] {
				b[at] ^= 1 << (n % 8) // each bit in some record
				hit[n] = true
			}
		}
		flips.Add(int64(len(hit)))
		got, err := readBytes(b)
		if err != nil {
			t.Errorf("byte %d of each third record from %d on: %v", off, third, err)
			return
		}
		n, err := l.compare(got, hit)
		if err != nil {
			t.Errorf("byte %d of each third record from %d on: %v", off, third, err)
		}
		lost.Add(int64(n))
	})
	if !t.Failed() && flips.Load() != int64(len(l.bytes)) {
		t.Errorf("%d flips in %d bytes", flips.Load(), len(l.bytes))
	}
	report(t, fmt.Sprintf("%d single bits flipped in a journal of %d bytes", flips.Load(), len(l.bytes)),
		"none unnoticed; each loss was reported, %d events in all, and every other event is what was written; %.0f s", lost.Load(), time.Since(start).Seconds())
}

func (l *log) begin(n int) int {
	if n == 0 {
		return 0
	}
	return l.ends[n-1]
}

// compare checks that the events are those of the log but for reported losses, and
// that no record that was hit passes for whole. It returns how many are lost.
func (l *log) compare(got []session.Event, hit map[int]bool) (lost int, err error) {
	at := 0 // the next event that is accounted for
	for _, e := range got {
		if e.Kind == session.Lost {
			n := e.Loss.Count()
			if n < 0 {
				n = len(l.events) - at
			}
			for i := at; i < at+n; i++ {
				// A line end that is hit takes the next record with it.
				if !hit[i] && !hit[i-1] {
					return lost, fmt.Errorf("event %d was not hit and is lost", i+1)
				}
			}
			at, lost = at+n, lost+n
			continue
		}
		if at >= len(l.events) || hit[at] || !cmp.Equal(e, l.events[at]) {
			return lost, fmt.Errorf("event %d stands where event %d should, or is not what was written", e.Seq, at+1)
		}
		at++
	}
	if at != len(l.events) {
		return lost, fmt.Errorf("the events from %d on are missing, and nothing says so", at+1)
	}
	return lost, nil
}
