package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/internal/markdown"
)

func TestScan(t *testing.T) {
	for _, tt := range []struct {
		in             string
		code, comments []string
		open           int
	}{
		{"plain", nil, nil, -1},
		{"run `make` <!-- why --> now", []string{"`make`"}, []string{"<!-- why -->"}, -1},
		{"```sh\nmake\n```\ntext\n", []string{"```sh\nmake\n```\n"}, nil, -1},
		{"text\n~~~\nmake <!-- no -->\n", []string{"~~~\nmake <!-- no -->\n"}, nil, 5},
		{"- ````\n  ```\n  ````\n> ```\n> x\n", []string{"- ````\n  ```\n  ````\n", "> ```\n> x\n"}, nil, 20},
		{"<!-- ` --> ` <!-- not closed", nil, []string{"<!-- ` -->"}, -1},
	} {
		got := markdown.Scan(tt.in)
		cut := func(rs []markdown.Range) (out []string) {
			for _, r := range rs {
				out = append(out, tt.in[r.Lo:r.Hi])
			}
			return out
		}
		if diff := cmp.Diff([]any{cut(got.Code), cut(got.Comments), got.Open}, []any{tt.code, tt.comments, tt.open}); diff != "" {
			t.Errorf("%q (-got +want):\n%s", tt.in, diff)
		}
		for _, r := range got.Code {
			if want := strings.Contains(tt.in[r.Lo:r.Hi], "\n"); r.IsFence(tt.in) != want {
				t.Errorf("%q: IsFence is %v", tt.in[r.Lo:r.Hi], !want)
			}
		}
	}
}
