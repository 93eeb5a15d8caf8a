package jsonl_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/sessiontest"
)

// What is not the content any more is never returned, and can be kept again.
func TestKeptDamage(t *testing.T) {
	dir := t.TempDir()
	s := open(t, jsonl.Config{Dir: dir})
	content := []byte("You are a careful Go programmer.\n")
	sum := session.Sum(content)
	path := filepath.Join(dir, "s.kept", sum)
	keep := func() {
		t.Helper()
		if err := s.Keep(t.Context(), "s", content); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Kept(t.Context(), "s", sum); err != nil || string(got) != string(content) {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	keep()
	add(t, s, 0, sessiontest.Inputs(0, 1)...)
	for name, damage := range map[string]func() error{
		"a byte": func() error {
			return os.WriteFile(path, []byte(strings.Replace(string(content), "Go", "go", 1)), 0o600)
		},
		"cut":      func() error { return os.Truncate(path, 5) },
		"empty":    func() error { return os.Truncate(path, 0) },
		"too long": func() error { return os.Truncate(path, session.MaxKept+1) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Kept(t.Context(), "s", sum); !errors.Is(err, session.ErrDamaged) || !strings.Contains(err.Error(), sum) {
			t.Errorf("%s: got %q, %v, want ErrDamaged", name, got, err)
		}
		if _, err := session.Fork(t.Context(), s, "s", "fork-"+strings.ReplaceAll(name, " ", "-"), 0); err != nil {
			t.Errorf("%s: a fork of a session with a damaged content: %v", name, err)
		}
		keep()
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Kept(t.Context(), "s", sum); !errors.Is(err, session.ErrNotKept) {
		t.Errorf("removed: got %v, want ErrNotKept", err)
	}
}

// Nothing is written for what is kept already, and a store that is opened again
// knows it.
func TestKeepAgain(t *testing.T) {
	dir := t.TempDir()
	counts := &env.Failpoints{Only: []env.Effect{env.EffectWrite, env.EffectRename}}
	for range 2 {
		s := open(t, jsonl.Config{Dir: dir, Env: &env.Env{Fail: counts}})
		for range 3 {
			if err := s.Keep(t.Context(), "s", []byte("one"), []byte("two")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if counts.Hits() != 4 {
		t.Errorf("%d writes and renames, want 4", counts.Hits())
	}
}

// Deleting removes the directory with whatever lies there; a link in its place is
// not followed.
func TestDeleteKept(t *testing.T) {
	dir := t.TempDir()
	s := open(t, jsonl.Config{Dir: dir})
	if err := s.Keep(t.Context(), "s", []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "s.kept", session.Sum(nil)+".new-1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Keep(t.Context(), "s", nil); err != nil { // past what a crash left
		t.Fatal(err)
	}
	if err := s.Keep(t.Context(), "other", []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other.kept", filepath.Join(dir, "s.kept")); err != nil {
		t.Skip(err)
	}
	if err := s.Delete(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "other.kept" {
		t.Errorf("left: %v, %v", entries, err)
	}
	if _, err := s.Kept(t.Context(), "other", session.Sum([]byte("one"))); err != nil {
		t.Error(err)
	}
}

// Each effect of keeping fails in turn: what Keep acknowledged is there, and what
// is there is whole.
func TestKeepFailpoints(t *testing.T) {
	contents := [][]byte{[]byte("first"), []byte("second")}
	for k := 1; ; k++ {
		dir := t.TempDir()
		fail := &env.Failpoints{At: k, Err: &env.ShortWrite{N: 3, Err: env.ErrInjected}}
		s, err := jsonl.Open(jsonl.Config{Dir: dir, Env: &env.Env{Fail: fail}})
		if err == nil {
			err = s.Keep(t.Context(), "s", contents...)
			s.Close()
		}
		if fail.Hits() < k {
			return
		}
		if err == nil {
			continue // it failed where nothing depended on it
		}
		again := open(t, jsonl.Config{Dir: dir})
		for _, c := range contents {
			if got, err := again.Kept(t.Context(), "s", session.Sum(c)); err == nil && string(got) != string(c) || errors.Is(err, session.ErrDamaged) {
				t.Errorf("effect %d: kept is %q, %v", k, got, err)
			}
		}
		if err := again.Keep(t.Context(), "s", contents...); err != nil {
			t.Errorf("effect %d: keeping again: %v", k, err)
		}
		if sums, err := again.Sums(t.Context(), "s"); err != nil || len(sums) != 2 {
			t.Errorf("effect %d: %v, %v", k, sums, err)
		}
	}
}
