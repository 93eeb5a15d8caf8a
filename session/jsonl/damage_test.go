package jsonl_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/sessiontest"
)

func itoa(n int) string { return strconv.Itoa(n) }

// TestTruncation cuts a log at every byte, appends, and reads it again.
func TestTruncation(t *testing.T) {
	log := sessiontest.Sample()[:5]
	whole := journal(t, log)
	var ends []int // of the records
	for i, b := range whole {
		if b == '\n' {
			ends = append(ends, i+1)
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	for cut := 0; cut <= len(whole); cut++ {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		n := 0
		for n < len(ends) && ends[n] <= cut {
			n++
		}
		s := open(t, jsonl.Config{Dir: dir, NoSync: true})
		if d := diff(read(t, s), log[:n]); d != "" {
			t.Fatalf("cut at %d, before the append (-got +want):\n%s", cut, d)
		}
		next := sessiontest.Inputs(uint64(n), 1)
		add(t, s, uint64(n), next...)
		want := append(log[:n:n], next...)
		if d := diff(read(t, s), want); d != "" {
			t.Fatalf("cut at %d (-got +want):\n%s", cut, d)
		}
		clean := cut == 0 || n > 0 && ends[n-1] == cut
		if r := s.Repairs(); (len(r) == 0) != clean {
			t.Fatalf("cut at %d: repairs %v", cut, r)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d offsets", len(whole)+1)
}

// TestBitFlips flips each bit of a log. None may pass unnoticed, whatever is
// still read must be what was written, and the rest of the log must be there.
func TestBitFlips(t *testing.T) {
	log := sessiontest.Inputs(0, 3)
	whole := journal(t, log)
	b := bytes.Clone(whole)
	for bit := range len(whole) * 8 {
		b[bit/8] ^= 1 << (bit % 8)
		checkDamaged(t, b, log)
		if t.Failed() {
			t.Fatalf("bit %d of byte %d", bit%8, bit/8)
		}
		b[bit/8] = whole[bit/8]
	}
	t.Logf("%d flips, all noticed", len(whole)*8)
}

// checkDamaged reads a damaged log: intact events, in order, and a report of
// exactly those that are missing.
func checkDamaged(t *testing.T, b []byte, log []session.Event) {
	t.Helper()
	at, losses := 0, 0
	for e, err := range jsonl.Read(bytes.NewReader(b)) {
		if err != nil {
			t.Errorf("read: %v", err)
			return
		}
		if e.Kind == session.Lost {
			losses++
			if n := e.Loss.Count(); n >= 0 {
				at += n
			} else {
				at = len(log)
			}
			continue
		}
		if at >= len(log) || e.Seq != log[at].Seq {
			t.Errorf("event %d stands where number %d should", e.Seq, at+1)
			return
		}
		if got, want := e.Message.Text().String(), log[at].Message.Text().String(); got != want {
			t.Errorf("event %d: got %q, want %q", e.Seq, got, want)
		}
		at++
	}
	if losses != 1 || at != len(log) {
		t.Errorf("%d losses reported, events up to %d accounted for, want 1 and %d", losses, at, len(log))
	}
}

// Zeros in the middle of a file are what a crash of a machine leaves.
func TestHole(t *testing.T) {
	log := sessiontest.Inputs(0, 10)
	whole := journal(t, log)
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	line := bytes.IndexByte(whole, '\n') + 1
	b := bytes.Clone(whole)
	clear(b[line*3+10 : line*5+20]) // events 4, 5 and 6
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, jsonl.Config{Dir: dir})
	next := sessiontest.Inputs(10, 1)
	add(t, s, 10, next...)
	want := append(log[:3:3], session.Event{Kind: session.Lost, Loss: &session.Loss{First: 4, Last: 6, Offset: int64(line * 3), Bytes: int64(line * 3)}})
	want = append(append(want, log[6:]...), next...)
	got := read(t, s)
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("log (-got +want):\n%s", d)
	}
	view, err := session.Fold(got)
	if err != nil || view.Seq != 11 || len(view.Messages) != 8 || len(view.Losses) != 1 {
		t.Errorf("fold: got %+v, %v", view, err)
	}
	r := s.Repairs()
	if len(r) != 1 || r[0].Code != "session.damaged" || r[0].Offset != line*3 {
		t.Errorf("reported %v", r)
	}
	if now, _ := os.ReadFile(path); !bytes.HasPrefix(now, b) {
		t.Errorf("the damaged part was changed")
	}
}

// Records that are intact but not in order are never guessed at.
func TestForeignRecords(t *testing.T) {
	a := journal(t, sessiontest.Inputs(0, 3))
	line := bytes.IndexByte(a, '\n') + 1
	for name, b := range map[string][]byte{
		"twice": append(bytes.Clone(a), a[2*line:]...),
		"gap":   append(bytes.Clone(a[:line]), a[2*line:]...),
		"start": a[line:],
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, jsonl.Config{Dir: dir})
		if _, err := sessiontest.Read(t.Context(), s, "s"); err == nil {
			t.Errorf("%s: read without an error", name)
		}
		if err := s.Append(t.Context(), "s", 3, sessiontest.Inputs(3, 1)...); err == nil || errors.Is(err, session.ErrMoved) {
			t.Errorf("%s: append: got %v, want an error of its own", name, err)
		}
		if now, _ := os.ReadFile(filepath.Join(dir, "s.jsonl")); !bytes.Equal(now, b) {
			t.Errorf("%s: the log was changed", name)
		}
	}
}

// FuzzDecode reads arbitrary bytes as a log: what is accepted is well formed and
// in order, and appending it to an empty store gives the same events.
func FuzzDecode(f *testing.F) {
	whole := journal(f, sessiontest.Inputs(0, 2))
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add(append([]byte("\x00\n"), whole...))
	f.Add([]byte("{\"crc\":\"00000000\",\"len\":0,\"event\":}\n"))
	f.Add([]byte("{\"crc\":\"00000000\",\"len\":999999999,\"event\":"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var last uint64
		for e, err := range jsonl.Read(bytes.NewReader(b)) {
			if err != nil {
				return
			}
			if e.Kind == session.Lost {
				if l := e.Loss; l.Bytes <= 0 || l.Offset+l.Bytes > int64(len(b)) || l.First != 0 && l.First != last+1 {
					t.Fatalf("loss %+v after event %d in %d bytes", l, last, len(b))
				}
				last = max(last, e.Loss.Last)
				continue
			}
			if e.Seq != last+1 {
				t.Fatalf("event %d after %d", e.Seq, last)
			}
			last = e.Seq
			if _, err := json.Marshal(e); err != nil {
				t.Fatalf("read but not written: %v", err)
			}
		}
	})
}
