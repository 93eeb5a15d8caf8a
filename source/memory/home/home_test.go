package home_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/source/memory/home"
)

func TestUser(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".proem/u1", ".proem/knowledge"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(name)), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".proem", "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("u1", filepath.Join(dir, ".proem", "link")); err != nil {
		t.Skip(err)
	}
	l := load.New(nil)
	root, err := l.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, tt := range []struct {
		user, tenant, want string
		refused            bool
	}{
		{user: "u1", want: ".proem/u1"},
		{user: ""},
		{user: "u2"},
		{user: "U1"},
		{user: "file"},
		{user: "link"},
		{user: "knowledge", refused: true},
		{user: "Knowledge", refused: true},
		{user: "..", refused: true},
		{user: "a/b", refused: true},
		{user: "ü", refused: true},
		{user: strings.Repeat("x", 65), refused: true},
		{user: "u1", tenant: "t", refused: true},
		{user: "", tenant: "t", refused: true},
	} {
		got, ok, err := home.Home{Root: dir, Dir: ".proem"}.User(l, root, prompt.Who{User: tt.user, Tenant: tt.tenant})
		if got != tt.want || ok != (tt.want != "") || (err != nil) != tt.refused {
			t.Errorf("%+v: %q, %t, %v", tt, got, ok, err)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		name, dir string
		want      bool
	}{
		{"a/b", "a", true}, {"a", "a", true}, {"ab", "a", false}, {"a", "a/b", false}, {"x", ".", true},
	} {
		if got := home.Within(tt.name, tt.dir); got != tt.want {
			t.Errorf("Within(%s, %s) = %t", tt.name, tt.dir, got)
		}
	}
}

// FuzzCheckUser: an id that is accepted is one plain element of a path.
func FuzzCheckUser(f *testing.F) {
	f.Add("u1")
	f.Add("../x")
	f.Fuzz(func(t *testing.T, id string) {
		if home.CheckUser(id) == nil && (!filepath.IsLocal(id) || strings.ContainsAny(id, "./\\\x00 ")) {
			t.Errorf("%q is accepted", id)
		}
	})
}
