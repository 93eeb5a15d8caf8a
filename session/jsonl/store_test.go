package jsonl_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/sessiontest"
)

func open(t testing.TB, c jsonl.Config) *jsonl.Store {
	t.Helper()
	s, err := jsonl.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func read(t testing.TB, s session.Store) []session.Event {
	t.Helper()
	events, err := sessiontest.Read(context.Background(), s, "s")
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func add(t testing.TB, s session.Store, after uint64, events ...session.Event) {
	t.Helper()
	if err := s.Append(context.Background(), "s", after, events...); err != nil {
		t.Fatal(err)
	}
}

// journal returns the bytes of a log.
func journal(t testing.TB, events []session.Event) []byte {
	t.Helper()
	dir := t.TempDir()
	s := open(t, jsonl.Config{Dir: dir, NoSync: true})
	add(t, s, 0, events...)
	b, err := os.ReadFile(filepath.Join(dir, "s.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestStore(t *testing.T) {
	sessiontest.Run(t, func(t *testing.T) session.Store { return open(t, jsonl.Config{Dir: t.TempDir()}) })
}

// A store with one open file does everything that another does.
func TestStoreOfOneFile(t *testing.T) {
	sessiontest.Run(t, func(t *testing.T) session.Store {
		return open(t, jsonl.Config{Dir: t.TempDir(), NoSync: true, MaxOpen: 1})
	})
}

// The form is that of every log ever written.
func TestForm(t *testing.T) {
	got := string(journal(t, sessiontest.Sample()[:1]))
	want := `{"crc":"8825f4f1","len":72,"event":{"seq":1,"time":"2026-03-01T12:00:00.123456789Z","kind":"session.start"}}` + "\n"
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("log (-got +want):\n%s", d)
	}
}

func TestLocked(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, jsonl.Config{Dir: dir}), open(t, jsonl.Config{Dir: dir})
	log := sessiontest.Inputs(0, 4)
	add(t, a, 0, log[0])
	if err := b.Append(t.Context(), "s", 1, log[1]); !errors.Is(err, session.ErrLocked) {
		t.Errorf("second store: got %v, want ErrLocked", err)
	}
	if err := b.Delete(t.Context(), "s"); !errors.Is(err, session.ErrLocked) {
		t.Errorf("delete by the second store: got %v, want ErrLocked", err)
	}
	if d := cmp.Diff(read(t, b), log[:1]); d != "" {
		t.Errorf("read by the second store (-got +want):\n%s", d)
	}
	if err := a.Release("s"); err != nil {
		t.Fatal(err)
	}
	add(t, b, 1, log[1])
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Append(t.Context(), "s", 2, log[2]); err == nil {
		t.Errorf("append to a closed store: no error")
	}
	if err := a.Append(t.Context(), "s", 1, log[1]); !errors.Is(err, session.ErrMoved) {
		t.Errorf("first store: got %v, want ErrMoved", err)
	}
	add(t, a, 2, log[2], log[3])
	if d := cmp.Diff(read(t, a), log); d != "" {
		t.Errorf("log (-got +want):\n%s", d)
	}
}

// Who writes past the lock is noticed, not overwritten.
func TestForeignWriter(t *testing.T) {
	log := sessiontest.Inputs(0, 3)
	whole := journal(t, log)
	dir := t.TempDir()
	s := open(t, jsonl.Config{Dir: dir})
	add(t, s, 0, log[0])
	if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), whole[:len(whole)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "s", 1, log[1]); !errors.Is(err, session.ErrMoved) {
		t.Errorf("append: got %v, want ErrMoved", err)
	}
	add(t, s, 2, log[2])
	if d := cmp.Diff(read(t, s), log); d != "" {
		t.Errorf("log (-got +want):\n%s", d)
	}
}

// One sync of the file for each append, and one of the directory for each log.
func TestSyncs(t *testing.T) {
	count := &env.Counters{}
	s := open(t, jsonl.Config{Dir: t.TempDir(), Env: &env.Env{Count: count}})
	log := sessiontest.Inputs(0, 10)
	add(t, s, 0, log[:3]...)
	add(t, s, 3, log[3:]...)
	got := count.Load()
	if got.Syncs != 3 || got.Writes != 2 {
		t.Errorf("got %d syncs and %d writes, want 3 and 2", got.Syncs, got.Writes)
	}
}

func TestDiskFull(t *testing.T) {
	full := errors.New("no space left on device")
	log := sessiontest.Inputs(0, 3)
	for _, n := range []int{0, 1, 50, 1 << 20} {
		dir := t.TempDir()
		fail := &env.Failpoints{At: 2, Only: []env.Effect{env.EffectWrite}, Err: &env.ShortWrite{N: n, Err: full}}
		s := open(t, jsonl.Config{Dir: dir, Env: &env.Env{Fail: fail}})
		add(t, s, 0, log[0])
		before, _ := os.ReadFile(filepath.Join(dir, "s.jsonl"))
		if err := s.Append(t.Context(), "s", 1, log[1], log[2]); !errors.Is(err, full) {
			t.Errorf("%d bytes: got %v, want %v", n, err, full)
		}
		after, _ := os.ReadFile(filepath.Join(dir, "s.jsonl"))
		if d := cmp.Diff(string(after), string(before)); d != "" {
			t.Errorf("%d bytes: not rolled back (-got +want):\n%s", n, d)
		}
		add(t, s, 1, log[1], log[2])
		if d := cmp.Diff(read(t, s), log); d != "" {
			t.Errorf("%d bytes: log (-got +want):\n%s", n, d)
		}
		if r := s.Repairs(); len(r) != 0 {
			t.Errorf("%d bytes: repairs %v, want none", n, r)
		}
	}
}

// TestFailpoints fails each effect of a small run in turn, once alone and once
// with everything after it, and checks what is left.
func TestFailpoints(t *testing.T) {
	log := sessiontest.Sample()
	for _, mode := range []struct {
		name  string
		after bool
		err   error
	}{{"once", false, nil}, {"for good", true, nil}, {"short", true, &env.ShortWrite{N: 70, Err: env.ErrInjected}}} {
		for k := 1; ; k++ {
			dir := t.TempDir()
			fail := &env.Failpoints{At: k, After: mode.after, Err: mode.err}
			acked, err := runSmall(jsonl.Config{Dir: dir, Env: &env.Env{Fail: fail}}, log)
			if fail.Hits() < k {
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			if err == nil {
				t.Errorf("%s: effect %d failed without an error", mode.name, k)
			}
			checkRecovery(t, dir, log, acked)
			if t.Failed() {
				t.Fatalf("%s: at effect %d", mode.name, k)
			}
		}
	}
}

// runSmall appends a log in pieces to session s and returns how many events were
// acknowledged.
func runSmall(c jsonl.Config, log []session.Event) (acked int, err error) {
	s, err := jsonl.Open(c)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	for acked < len(log) {
		n := min(1+acked%3, len(log)-acked)
		if err := s.Append(context.Background(), "s", uint64(acked), log[acked:acked+n]...); err != nil {
			return acked, err
		}
		acked += n
	}
	return acked, nil
}

// checkRecovery checks that the log in dir is a prefix of what was written and
// has everything that was acknowledged, and that it can be continued.
func checkRecovery(t *testing.T, dir string, log []session.Event, acked int) {
	t.Helper()
	s := open(t, jsonl.Config{Dir: dir, NoSync: true})
	defer s.Close()
	got := read(t, s)
	if len(got) < acked || len(got) > len(log) {
		t.Fatalf("got %d events, %d were acknowledged of %d", len(got), acked, len(log))
	}
	if d := diff(got, log[:len(got)]); d != "" {
		t.Fatalf("log (-got +want):\n%s", d)
	}
	if len(got) < len(log) {
		add(t, s, uint64(len(got)), log[len(got):]...)
	}
	if d := diff(read(t, s), log); d != "" {
		t.Fatalf("continued log (-got +want):\n%s", d)
	}
}

// diff is cmp.Diff for logs, quicker where they are equal, and makes no
// difference between a log without events and none.
func diff(got, want []session.Event) string {
	if len(got) == 0 && len(want) == 0 || reflect.DeepEqual(got, want) {
		return ""
	}
	return cmp.Diff(got, want)
}

func TestRepairKeepsWhatItRemoves(t *testing.T) {
	log := sessiontest.Inputs(0, 2)
	intact := journal(t, log[:1])
	dir := t.TempDir()
	var reported []prompt.Diagnostic
	junk := "{\"crc\":\"0000\nand more\n{\"crc\":\"12"
	for n, name := range []string{"", "-2"} {
		if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), append(intact[:len(intact):len(intact)], junk...), 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, jsonl.Config{Dir: dir, Report: func(d prompt.Diagnostic) { reported = append(reported, d) }})
		lossy := read(t, s)
		if len(lossy) != 2 || lossy[1].Kind != session.Lost || lossy[1].Loss.Count() != -1 || lossy[1].Loss.Bytes != int64(len(junk)) {
			t.Errorf("before the repair: got %+v", lossy)
		}
		add(t, s, 1, log[1])
		if d := cmp.Diff(read(t, s), log); d != "" {
			t.Errorf("log (-got +want):\n%s", d)
		}
		aside := "s.damaged-" + itoa(len(intact)) + name
		if b, err := os.ReadFile(filepath.Join(dir, aside)); err != nil || string(b) != junk {
			t.Errorf("set aside: got %q, %v", b, err)
		}
		if d := cmp.Diff(s.Repairs(), reported[n:]); d != "" {
			t.Errorf("repairs (-got +want):\n%s", d)
		}
		r := reported[n]
		if r.Code != "session.repaired" || r.Offset != len(intact) || !strings.Contains(r.Message, aside) {
			t.Errorf("reported %v", r)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, jsonl.Config{Dir: dir})
	if err := s.Delete(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("after deleting: %v is left", left)
	}
}
