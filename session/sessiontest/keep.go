package sessiontest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/session"
)

// keeper returns the store as a keeper, or skips the test.
func keeper(t *testing.T, s session.Store) session.Keeper {
	k, ok := s.(session.Keeper)
	if !ok {
		t.Skip("not a session.Keeper")
	}
	return k
}

func keep(t *testing.T, k session.Keeper, id string, contents ...string) {
	t.Helper()
	raw := make([][]byte, len(contents))
	for i, c := range contents {
		raw[i] = []byte(c)
	}
	if err := k.Keep(t.Context(), id, raw...); err != nil {
		t.Fatalf("keep: %v", err)
	}
}

// wantKept checks that exactly these contents are kept.
func wantKept(t *testing.T, k session.Keeper, id string, contents ...string) {
	t.Helper()
	var sums []string
	for _, want := range contents {
		sum := session.Sum([]byte(want))
		sums = append(sums, sum)
		if got, err := k.Kept(t.Context(), id, sum); err != nil || string(got) != want {
			t.Errorf("session %s: kept is %.40q, %v, want %.40q", id, got, err, want)
		}
	}
	slices.Sort(sums)
	got, err := k.Sums(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(got, slices.Compact(sums)); d != "" {
		t.Errorf("session %s: sums (-got +want):\n%s", id, d)
	}
}

func testKeep(t *testing.T, s session.Store) {
	k := keeper(t, s)
	wantKept(t, k, "a")
	large := strings.Repeat("x\r\n\x00\xff", 1<<18)
	keep(t, k, "a")
	keep(t, k, "a", "", "one", "one", large)
	keep(t, k, "a", "one", "two")
	wantKept(t, k, "a", "", "one", "two", large)
	keep(t, k, "A", "one") // a session of its own on every file system
	wantKept(t, k, "A", "one")
	_, err := k.Kept(t.Context(), "b", session.Sum([]byte("one")))
	if !errors.Is(err, session.ErrNotKept) || !strings.Contains(err.Error(), "b") {
		t.Errorf("of another session: got %v, want ErrNotKept", err)
	}
	if l, ok := s.(session.Lister); ok {
		if infos, err := l.List(t.Context()); err != nil || len(infos) > 0 {
			t.Errorf("contents alone are a session: %v, %v", infos, err)
		}
	}
	add(t, s, "a", 0, Inputs(0, 2)...)
	want(t, s, "a", Inputs(0, 2))
	wantKept(t, k, "a", "", "one", "two", large)
}

func testKeepRefused(t *testing.T, s session.Store) {
	k := keeper(t, s)
	for _, id := range []string{"", "..", "a/b", "a.b"} {
		if err := k.Keep(t.Context(), id, []byte("x")); err == nil {
			t.Errorf("keep for %q: no error", id)
		}
		if _, err := k.Kept(t.Context(), id, session.Sum(nil)); err == nil {
			t.Errorf("kept of %q: no error", id)
		}
		if _, err := k.Sums(t.Context(), id); err == nil {
			t.Errorf("sums of %q: no error", id)
		}
	}
	good := session.Sum(nil)
	keep(t, k, "a", "")
	for _, sum := range []string{"", "../a.jsonl", good[1:], good + "0", strings.ToUpper(good), "g" + good[1:]} {
		if _, err := k.Kept(t.Context(), "a", sum); err == nil || errors.Is(err, session.ErrNotKept) {
			t.Errorf("kept %q: got %v", sum, err)
		}
	}
	if err := k.Keep(t.Context(), "a", []byte("fits"), make([]byte, session.MaxKept+1)); err == nil {
		t.Error("a content above the limit is kept")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := k.Keep(ctx, "a", []byte("late")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	wantKept(t, k, "a", "")
}

func testKeepForkDelete(t *testing.T, s session.Store) {
	k := keeper(t, s)
	add(t, s, "a", 0, Inputs(0, 3)...)
	keep(t, k, "a", "one", "two")
	if _, err := session.Fork(t.Context(), s, "a", "b", 2); err != nil {
		t.Fatal(err)
	}
	keep(t, k, "b", "three")
	wantKept(t, k, "a", "one", "two")
	wantKept(t, k, "b", "one", "two", "three")
	add(t, s, "c", 0, Inputs(0, 1)...)
	if _, err := session.Fork(t.Context(), s, "a", "c", 0); !errors.Is(err, session.ErrMoved) {
		t.Errorf("fork to a session that exists: got %v", err)
	}
	wantKept(t, k, "c") // a fork that is refused leaves nothing
	d, ok := s.(session.Deleter)
	if !ok {
		return
	}
	for range 2 {
		if err := d.Delete(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
	wantKept(t, k, "a")
	wantKept(t, k, "b", "one", "two", "three")
	keep(t, k, "d", "one") // without a log
	if err := d.Delete(t.Context(), "d"); err != nil {
		t.Fatal(err)
	}
	wantKept(t, k, "d")
}

// testKeepConcurrent keeps the same contents from many sides.
func testKeepConcurrent(t *testing.T, s session.Store) {
	k := keeper(t, s)
	var all []string
	for i := range 10 {
		all = append(all, fmt.Sprint("content ", i))
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range all {
				c := []byte(all[(i+w)%len(all)])
				if err := k.Keep(t.Context(), "a", c); err != nil {
					t.Error(err)
				}
				if got, err := k.Kept(t.Context(), "a", session.Sum(c)); err != nil || !bytes.Equal(got, c) {
					t.Errorf("kept is %q, %v, want %q", got, err, c)
				}
			}
		})
	}
	wg.Wait()
	wantKept(t, k, "a", all...)
}
