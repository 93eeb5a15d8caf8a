package permit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/tool/permit"
	shelltool "github.com/proemhq/proem/tool/shell"
)

// A command that changes what runs later without naming it is found out.
func TestWatch(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	filetest.Must(t, err)
	filetest.Write(t, dir, map[string]string{
		".git/config": "[core]\n", ".git/HEAD": "ref: x\n", ".git/objects/": "", ".proem/agent.yaml": "name: a\n",
		"touch.sh": "printf 'name: b\\n' > .proem/agen''t.yaml\nmkdir -p .git/hooks\nprintf x > .git/hooks/pre-commit\nprintf 'ref: y\\n' > .git/HEAD\nprintf x > .git/objects/x\n",
		"quiet.sh": "printf x > other.txt\n",
	})
	policy, err := permit.New(permit.Config{Roots: []string{dir}})
	filetest.Must(t, err)
	sh, err := shelltool.New(shelltool.Config{Dir: dir, Environ: os.Environ()})
	filetest.Must(t, err)
	w := policy.Watch(sh, env.System().Files)
	r, err := w.Call(t.Context(), []byte(`{"command":"sh quiet.sh"}`))
	if err != nil || len(r.Diagnostics) > 0 {
		t.Errorf("a harmless command: %v, %v", r.Diagnostics, err)
	}
	r, err = w.Call(t.Context(), []byte(`{"command":"sh touch.sh"}`))
	filetest.Must(t, err)
	want := "while it ran, protected files changed: " + filepath.ToSlash(dir) + "/.git/hooks/pre-commit (new), " + filepath.ToSlash(dir) + "/.proem/agent.yaml;"
	if len(r.Diagnostics) != 1 || !strings.Contains(r.Diagnostics[0].Message, want) {
		t.Errorf("got %v", r.Diagnostics)
	}
	if !strings.Contains(r.Text.String(), "[protected files changed meanwhile: ") {
		t.Errorf("the model reads %q", r.Text.String())
	}
}
