package vfs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/vfs"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestLocate(t *testing.T) {
	roots := []vfs.Root{{Dir: "/w", Name: "project"}, {Dir: "/w/.proem", Name: "workspace", ReadOnly: true}, {Dir: "/ref"}}
	const use = "; use a path below /w or /w/.proem or /ref"
	for _, tt := range []struct {
		mode vfs.Mode
		name string
		want string
	}{
		{vfs.Rooted, "a/../b", "/w b"},
		{vfs.Rooted, ".", "/w ."},
		{vfs.Rooted, "/w", "/w ."},
		{vfs.Rooted, "/ref/x", "/ref x"},
		{vfs.Rooted, ".proem/agent.yaml", "/w/.proem agent.yaml read-only"},
		{vfs.Rooted, "/w/.proem", "/w/.proem . read-only"},
		{vfs.Rooted, ".proemx", "/w .proemx"},
		{vfs.Rooted, "/w-evil/x", "/w-evil/x lies outside what can be used" + use},
		{vfs.Rooted, "../x", "../x lies outside what can be used" + use},
		{vfs.Rooted, "//etc", "//etc lies outside what can be used" + use},
		{vfs.Rooted, "~/x", "~/x begins with ~, which is not expanded" + use},
		{vfs.Rooted, "~x", "/w ~x"},
		{vfs.Rooted, "a\x00", "path holds a NUL character; no file has such a name"},
		{vfs.Rooted, "", `path is empty; give a path relative to the project root, such as "README.md"`},
		{vfs.Anchored, "/etc/passwd", "/w etc/passwd"},
		{vfs.Anchored, "/ref/x", "/w ref/x"},
		{vfs.Anchored, "a", "/w a"},
		{vfs.Anchored, "/", "/w ."},
		{vfs.Anchored, "/../x", "/../x lies outside what can be used; use a path relative to the project root"},
		{vfs.Unrestricted, "/etc/passwd", "/ etc/passwd"},
		{vfs.Unrestricted, "../x", "/ x"},
		{vfs.Unrestricted, "/ref/x", "/ref x"},
	} {
		s := vfs.Space{Roots: roots, Mode: tt.mode}
		p, err := s.Locate(t.Context(), tt.name)
		got := p.Dir + " " + p.Name
		if p.ReadOnly {
			got += " read-only"
		}
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("mode %d %q:\n got %s\nwant %s", tt.mode, tt.name, got, tt.want)
		}
	}
	_, err := vfs.Space{Roots: roots}.Locate(t.Context(), "/x")
	if !errors.Is(err, vfs.ErrOutside) {
		t.Errorf("got %v", err)
	}
}

func TestResolve(t *testing.T) {
	s := vfs.Space{Roots: []vfs.Root{{Dir: "/w"}}, Resolve: func(_ context.Context, name string) (string, string, bool) {
		return "/state/u1", "MEMORY.md", name == "MEMORY.md"
	}}
	p, err := s.Locate(t.Context(), "MEMORY.md")
	must(t, err)
	if diff := cmp.Diff(p, vfs.Place{Dir: "/state/u1", Name: "MEMORY.md", ReadOnly: true}); diff != "" {
		t.Errorf("place (-got +want):\n%s", diff)
	}
}

func TestDescribe(t *testing.T) {
	w, ref, ws := vfs.Root{Dir: "/w", Name: "project"}, vfs.Root{Dir: "/ref", ReadOnly: true}, vfs.Root{Dir: "/h/ws", Name: "workspace"}
	for _, tt := range []struct {
		space vfs.Space
		want  string
	}{
		{vfs.Space{}, ""},
		{vfs.Space{Roots: []vfs.Root{w}}, "A relative path is meant below /w (project). An absolute path must lie in it; anything else is refused.\n"},
		{vfs.Space{Roots: []vfs.Root{w, ws, ref}}, "A relative path is meant below /w (project). An absolute path must lie there or in one of these directories; anything else is refused:\n" +
			"- /h/ws (workspace)\n- /ref (read-only)\n"},
		{vfs.Space{Roots: []vfs.Root{ref}, Mode: vfs.Anchored}, "Paths are relative to the project root, which is also \"/\". There are no files outside it. Nothing can be written there.\n"},
		{vfs.Space{Roots: []vfs.Root{w, ref}, Mode: vfs.Unrestricted}, "A relative path is meant below /w (project). An absolute path may lead anywhere.\n"},
	} {
		if diff := cmp.Diff(tt.space.Describe(), tt.want); diff != "" {
			t.Errorf("(-got +want):\n%s", diff)
		}
	}
}

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "d"), 0o777))
	for at, to := range map[string]string{"ln": "d", "broken": "none", "out": "/"} {
		if err := os.Symlink(to, filepath.Join(dir, at)); err != nil {
			t.Skip(err)
		}
	}
	root, err := env.System().Files.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	for name, want := range map[string]string{"d": "d", "ln/x/y": "ln/x/y d/x/y", "new": "new", "broken": "broken", "out/etc": "out/etc", ".": "."} {
		var got []string
		for _, p := range vfs.Paths(root, vfs.Place{Dir: dir, Name: name}) {
			rel, err := filepath.Rel(dir, p)
			must(t, err)
			got = append(got, rel)
		}
		if diff := cmp.Diff(strings.Join(got, " "), want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", name, diff)
		}
	}
}

// FuzzLocate checks that no path leads out of a root.
func FuzzLocate(f *testing.F) {
	for _, s := range []string{"a", "../x", "/w/../x", "//", "~", "a/../../b", `..\x`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, mode := range []vfs.Mode{vfs.Rooted, vfs.Anchored} {
			p, err := vfs.Space{Roots: []vfs.Root{{Dir: "/w"}}, Mode: mode}.Locate(context.Background(), name)
			if err == nil && (!filepath.IsLocal(filepath.FromSlash(p.Name)) || p.Dir != "/w" || p.Path() != "/w" && !strings.HasPrefix(p.Path(), "/w/")) {
				t.Errorf("%q became %+v", name, p)
			}
		}
	})
}

func ExampleSpace_Locate() {
	s := vfs.Space{Roots: []vfs.Root{{Dir: "/w", Name: "project"}, {Dir: "/ref", ReadOnly: true}}}
	for _, name := range []string{"docs/a.md", "/ref/b.md", "/etc/passwd"} {
		p, err := s.Locate(context.Background(), name)
		fmt.Println(p.Path(), p.ReadOnly, err)
	}
	// Output:
	// /w/docs/a.md false <nil>
	// /ref/b.md true <nil>
	//  false /etc/passwd lies outside what can be used; use a path below /w or /ref
}
