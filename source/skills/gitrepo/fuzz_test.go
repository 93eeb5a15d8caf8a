package gitrepo_test

import (
	"testing"

	"github.com/proemhq/proem/source/skills/gitrepo"
)

// FuzzParse: whatever git prints, it is read or refused, and what is read was
// there.
func FuzzParse(f *testing.F) {
	id := "0123456789012345678901234567890123456789"
	f.Add([]byte("100644 blob " + id + "      12\ta/SKILL.md\x00160000 commit " + id + "       -\tsub\x00"))
	f.Add([]byte(id + " blob 4\ntext\n" + id + " missing\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		list, err := gitrepo.ParseList(out)
		if err != nil && list != nil {
			t.Error("a list with an error")
		}
		for rest := out; len(rest) > 0; {
			_, content, next, err := gitrepo.Next(rest)
			if err != nil {
				break
			}
			if len(content) > len(rest) || len(next) >= len(rest) {
				t.Fatalf("%d bytes of %d, %d follow", len(content), len(rest), len(next))
			}
			rest = next
		}
	})
}
