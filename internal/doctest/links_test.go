package doctest_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	linkPattern = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	testPattern = regexp.MustCompile(`\[((?:Test|Example|S)\w*)\]\(([^)\s]+_test\.go)\)`)
	filePattern = regexp.MustCompile("^`([a-z0-9_./]+\\.go)`$")
	namePattern = regexp.MustCompile("`([A-Za-z_.]+)`")
)

// TestLinks checks that what a document links to in the repository exists.
func TestLinks(t *testing.T) {
	for _, name := range documents(t) {
		for _, m := range linkPattern.FindAllStringSubmatch(read(t, name).text(), -1) {
			to, _, _ := strings.Cut(m[1], "#")
			if to == "" || strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(path.Join(path.Dir(name), to)))); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, m[1])
			}
		}
	}
}

// TestNamedTests checks that a link to a test by its name leads to a file that has
// it.
func TestNamedTests(t *testing.T) {
	n := 0
	for _, name := range documents(t) {
		for _, m := range testPattern.FindAllStringSubmatch(read(t, name).text(), -1) {
			n++
			src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path.Join(path.Dir(name), m[2]))))
			if err != nil || !regexp.MustCompile(`\b(?:TestCase)?`+m[1]+`\b`).Match(src) {
				t.Errorf("%s: %s has no test %s: %v", name, m[2], m[1], err)
			}
		}
	}
	if n == 0 {
		t.Error("no document links to a test")
	}
}

// TestPlaces checks the rows of tables that name a file of Go in one cell and,
// in the next, what is declared there.
func TestPlaces(t *testing.T) {
	for _, name := range documents(t) {
		for _, line := range strings.Split(read(t, name).text(), "\n") {
			cells := strings.Split(line, "|")
			for i := range cells {
				m := filePattern.FindStringSubmatch(strings.TrimSpace(cells[i]))
				if m == nil {
					continue
				}
				src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m[1])))
				if err != nil {
					t.Errorf("%s names a file that does not exist: %v", name, err)
					continue
				}
				places, err := declarations(m[1], src)
				if err != nil {
					t.Error(err)
					continue
				}
				if i+1 == len(cells) {
					continue
				}
				for _, n := range namePattern.FindAllStringSubmatch(cells[i+1], -1) {
					if _, ok := places[n[1]]; !ok {
						t.Errorf("%s: %s does not declare %s", name, m[1], n[1])
					}
				}
			}
		}
	}
}
