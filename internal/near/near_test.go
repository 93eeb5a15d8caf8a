package near_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/internal/near"
)

func TestBest(t *testing.T) {
	names := []string{"path", "limit", "offset"}
	for in, want := range map[string]string{"Path": "path", "pth": "path", "limits": "limit", "zzz": "", "": "", "of": ""} {
		if got := near.Best(in, names); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestShow(t *testing.T) {
	for in, want := range map[string]string{"a b": "a b", "中": "中", "a\nb": `"a\nb"`, "x\u202e": `"x\u202e"`, "\xff": `"\xff"`} {
		if diff := cmp.Diff(near.Show(in), want); diff != "" {
			t.Errorf("%q (-got +want):\n%s", in, diff)
		}
	}
}
