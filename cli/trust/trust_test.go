package trust_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/cli/trust"
	"github.com/proemhq/proem/source/load"
)

// read loads a file of the project through a guard.
func read(t *testing.T, g *trust.Guard, root, name string) error {
	t.Helper()
	l := load.New(nil)
	l.Allow = g.Allow
	dir, err := l.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	_, err = l.Load(dir, name, 1<<20)
	return err
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A record covers the content it was given for: what changed or came later is
// held back, what is outside the folder is not looked at.
func TestRecordCoversContent(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, "AGENTS.md"), "one\n")
	write(t, filepath.Join(root, "other.md"), "same\n")
	write(t, filepath.Join(elsewhere, "user.md"), "user\n")
	store := trust.Store{Dir: filepath.Join(t.TempDir(), "trust")}
	if _, ok, err := store.Load(root); ok || err != nil {
		t.Fatalf("trusted before it was: %v, %v", ok, err)
	}
	c := trust.Collect(root)
	for _, n := range []string{"other.md", "AGENTS.md"} {
		if err := read(t, c, root, n); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Save(trust.Record{Root: root, Since: "now", Files: c.Seen()}); err != nil {
		t.Fatal(err)
	}
	record, ok, err := store.Load(root)
	if !ok || err != nil {
		t.Fatalf("not trusted: %v", err)
	}
	if _, ok, _ := store.Load(elsewhere); ok {
		t.Error("another folder is trusted too")
	}
	g := record.Guard(root)
	write(t, filepath.Join(root, "AGENTS.md"), "two\n")
	write(t, filepath.Join(root, "new.md"), "new\n")
	for name, held := range map[string]bool{"AGENTS.md": true, "new.md": true, "other.md": false} {
		if err := read(t, g, root, name); (err != nil) != held {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := read(t, g, elsewhere, "user.md"); err != nil {
		t.Errorf("a file outside the folder is held back: %v", err)
	}
	want := []trust.Change{
		{Path: filepath.Join(root, "AGENTS.md"), Old: "one\n", Text: "two\n"},
		{Path: filepath.Join(root, "new.md"), New: true, Text: "new\n"},
	}
	if d := cmp.Diff(g.Changes(), want); d != "" {
		t.Errorf("changes (-got +want)\n%s", d)
	}
	if err := store.Forget(root); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := store.Load(root); ok {
		t.Error("still trusted after it was revoked")
	}
}

// A record that was damaged is an error and no trust.
func TestDamagedRecord(t *testing.T) {
	root := t.TempDir()
	store := trust.Store{Dir: filepath.Join(t.TempDir(), "trust")}
	if err := store.Save(trust.Record{Root: root}); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(store.Dir, "*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, text := range []string{"", "{", `{"schema":"proem.trust/1","root":"/elsewhere"}`, `{"schema":"other","root":"` + root + `"}`} {
		write(t, names[0], text)
		if _, ok, err := store.Load(root); ok || err == nil {
			t.Errorf("%q: trusted %v, error %v", text, ok, err)
		}
	}
}

// A record of more text than it can hold stays readable, and covers all files.
func TestRecordOfManyTexts(t *testing.T) {
	store := trust.Store{Dir: filepath.Join(t.TempDir(), "trust")}
	var files []trust.File
	for i := range 400 {
		files = append(files, trust.File{Path: fmt.Sprintf("f%03d.md", i), SHA256: "x", Text: strings.Repeat("\x01", 60<<10)})
	}
	if err := store.Save(trust.Record{Root: "/w", Files: files}); err != nil {
		t.Fatal(err)
	}
	r, ok, err := store.Load("/w")
	if err != nil || !ok || len(r.Files) != len(files) || r.Files[0].Text == "" {
		t.Errorf("got %d files, %t, %v", len(r.Files), ok, err)
	}
}

// What a guard did not look at stays covered when a change is confirmed.
func TestCovered(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a.md"), "new\n")
	old := trust.Record{Root: root, Files: []trust.File{{Path: "a.md", SHA256: "old"}, {Path: "b.md", SHA256: "b"}}}
	g := old.Guard(root)
	if err := read(t, g, root, "a.md"); err == nil {
		t.Error("a changed file is not held back")
	}
	got := g.Covered()
	if len(got) != 2 || got[0].Text != "new\n" || got[1] != old.Files[1] {
		t.Errorf("got %+v", got)
	}
}

// However a file is read, the record has the whole hash of its content, so that
// one way knows what the other recorded.
func TestHashOfContent(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a.md"), "abc")
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-4's example
	loaded, checked := trust.Collect(root), trust.Collect(root)
	if err := read(t, loaded, root, "a.md"); err != nil {
		t.Fatal(err)
	}
	if d := checked.Check(filepath.Join(root, "a.md"), []byte("abc")); d != nil {
		t.Fatal(d)
	}
	for _, g := range []*trust.Guard{loaded, checked} {
		files := g.Seen()
		if len(files) != 1 || files[0].SHA256 != abc {
			t.Errorf("got %+v", files)
		}
	}
	g := trust.Record{Root: root, Files: loaded.Seen()}.Guard(root)
	if d := g.Check(filepath.Join(root, "a.md"), []byte("abc")); d != nil {
		t.Error(d)
	}
	if d := g.Check(filepath.Join(root, "a.md"), []byte("abd")); d == nil {
		t.Error("another content passes")
	}
}
