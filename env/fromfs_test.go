package env_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
)

// An embedded tree has the directories above it, and nothing beside it.
func TestFromFS(t *testing.T) {
	files := env.FromFS("/srv/shop", fstest.MapFS{"menu/a.md": {Data: []byte("A")}, "b.md": {Data: []byte("B")}})
	for dir, names := range map[string][]string{"/": {"srv"}, "/srv": {"shop"}, "/srv/shop": {"b.md", "menu"}, "/srv/shop/menu": {"a.md"}} {
		root, err := files.OpenRoot(dir)
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		entries, err := root.ReadDir(".")
		var got []string
		for _, e := range entries {
			got = append(got, e.Name())
		}
		if diff := cmp.Diff(got, names); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", dir, err, diff)
		}
	}
	root, err := files.OpenRoot("/")
	if err != nil {
		t.Fatal(err)
	}
	for name, isFile := range map[string]bool{"srv/shop/menu/a.md": true, "srv/shop/b.md": true, "srv/shop": false, "srv": false} {
		info, err := root.Lstat(name)
		if err != nil || info.Mode().IsRegular() != isFile {
			t.Errorf("%s: %v, %v", name, info.FileInfo, err)
		}
	}
	for _, name := range []string{"sr", "srv/sho", "srv/shopx", "srv/shop/c", "etc"} {
		if _, err := root.Lstat(name); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	for _, dir := range []string{"shop", "/etc", "/srv/shop/b.md", "/srv/sho"} {
		if _, err := files.OpenRoot(dir); err == nil {
			t.Errorf("%s opens", dir)
		}
	}
	sub, err := files.OpenRoot("/srv/shop/menu")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sub.Open("a.md"); err != nil {
		t.Error(err)
	}
}
