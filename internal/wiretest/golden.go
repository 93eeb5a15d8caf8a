package wiretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/proemhq/proem/wire"
)

// EncodeGolden encodes the request of every archive in testdata/encode and
// compares the body, its marks and its losses, or writes them anew.
func (s Suite) EncodeGolden(t *testing.T, update bool) {
	for _, file := range archives(t, "testdata/encode") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			ar := txtar.Parse(raw)
			var q spec
			d := json.NewDecoder(bytes.NewReader(ar.Files[0].Data))
			d.DisallowUnknownFields()
			if err := d.Decode(&q); err != nil {
				t.Fatal(err)
			}
			r, err := q.request()
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if b, err := s.Dialect.Encode(nil, r); err != nil {
				got = fmt.Sprintf("-- error --\n%v\n", err)
			} else {
				got = render(b)
				s.CheckMarks(t, b)
				s.Turns(t, b, !r.Capability.ConsecutiveUser)
			}
			head := string(txtar.Format(&txtar.Archive{Comment: ar.Comment, Files: ar.Files[:1]}))
			if update {
				if err := os.WriteFile(file, []byte(head+got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(head+got, string(raw)); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
		})
	}
}

func archives(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no archives: %v", dir, err)
	}
	return files
}

// shown is the most bytes of a marked text that a golden file repeats.
const shown = 60

// render is a body as the golden files write it: the bytes, the marks with the
// text they cover, the breakpoints and the losses.
func render(b wire.Body) string {
	var out strings.Builder
	fmt.Fprintf(&out, "-- body --\n%s\n-- marks --\n", b.JSON)
	for _, m := range b.Marks {
		name := "-"
		if m.From != nil {
			name = m.From.Section + m.From.Source
		}
		text := string(b.JSON[m.Lo:m.Hi])
		if len(text) > shown {
			text = text[:shown] + "…"
		}
		fmt.Fprintf(&out, "%s %d %s\n", name, m.Off, text)
	}
	if len(b.Breakpoints) > 0 {
		out.WriteString("-- breakpoints --\n")
		for _, p := range b.Breakpoints {
			fmt.Fprintf(&out, "%s %s %s\n", p.Name, p.TTL, b.JSON[p.Lo:p.Hi])
		}
	}
	out.WriteString("-- losses --\n")
	for _, l := range b.Losses {
		name := "-"
		if l.From != nil {
			name = l.From.Section
		}
		fmt.Fprintf(&out, "%s (%s)\n", l.Diagnostic, name)
	}
	return out.String()
}
