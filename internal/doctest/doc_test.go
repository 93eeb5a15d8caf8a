// Package doctest_test keeps the documents of the module true: code in them is
// that of a tested file, output in them is what the command prints today, and
// links and names of functions lead somewhere.
//
//	go test ./internal/doctest            # says what is stale
//	go test ./internal/doctest -update    # rewrites it
//
// A block of Go follows a marker that names a file and, if it is not all of it,
// the declarations:
//
//	<!-- code: examples/tutorial/main.go newAgent stock.Call -->
//
// A block of the language console is a session at a shell: lines that begin with
// "$ " are run in order, the others are their output. The home directory is
// /home/you, the time is 2026-01-02 03:04:05 UTC. What the session finds there
// stands in the document as well, each file in a block behind a marker:
//
//	<!-- file: shop/AGENTS.md -->
//
// A comment that begins with "server" holds the script of a model that answers
// at http://127.0.0.1:8080/v1, in the form that package scripted reads.
package doctest_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what is stale in the documents")

// root is the module's folder.
var root = filepath.Join("..", "..")

// others are documents that are kept true by other means.
var others = []string{"docs/benchmarks.md"}

// documents returns the slash-separated names of all documents.
func documents(t *testing.T) []string {
	t.Helper()
	names := []string{}
	for _, pattern := range []string{"*.md", "examples/*/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".md" {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range names {
		rel, err := filepath.Rel(root, n)
		if err != nil {
			t.Fatal(err)
		}
		names[i] = filepath.ToSlash(rel)
	}
	slices.Sort(names)
	return names
}

// A document is a Markdown file in pieces that join to the whole.
type document struct {
	name   string
	pieces []*piece
}

// A piece is a fenced block with the marker before it, or the text between two.
type piece struct {
	head   string // of a block: all up to the end of the fence's first line
	marker string // "code: a.go", "file: a.md" …, or empty
	lang   string // of a block, or empty
	body   string
	tail   string // of a block: the closing fence
	line   int    // where the body begins, from 1
}

// blockPattern finds fenced blocks with the marker before them. Fences of four
// backquotes hold blocks with fences of three.
var blockPattern = regexp.MustCompile("(?ms)(^<!-- *([a-z]+:[^\n]*?) *-->\n+)?^(````|```)([a-z]*)\n(.*?)^(````|```)$")

func read(t *testing.T, name string) *document {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	d := &document{name: name}
	at, line := 0, 1
	add := func(p piece) {
		p.line = line + strings.Count(p.head, "\n")
		line += strings.Count(p.head+p.body+p.tail, "\n")
		d.pieces = append(d.pieces, &p)
	}
	for _, m := range blockPattern.FindAllStringSubmatchIndex(text, -1) {
		group := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return text[m[2*i]:m[2*i+1]]
		}
		add(piece{body: text[at:m[0]]})
		add(piece{head: text[m[0]:m[10]], marker: group(2), lang: group(4), body: group(5), tail: group(6)})
		at = m[1]
	}
	add(piece{body: text[at:]})
	return d
}

// text returns the text outside of blocks.
func (d *document) text() string {
	var b strings.Builder
	for _, p := range d.pieces {
		if p.head == "" {
			b.WriteString(p.body)
		}
	}
	return b.String()
}

// settle compares the body of a block with what it should be, or puts that in
// its place.
func (d *document) settle(t *testing.T, p *piece, want string) (changed bool) {
	t.Helper()
	if p.body == want {
		return false
	}
	if *update {
		p.body = want
		return true
	}
	t.Errorf("%s:%d: the block is stale; go test ./internal/doctest -update rewrites it\n%s", d.name, p.line, difference(p.body, want))
	return false
}

func (d *document) write(t *testing.T) {
	t.Helper()
	var b strings.Builder
	for _, p := range d.pieces {
		b.WriteString(p.head + p.body + p.tail)
	}
	if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(d.name)), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// difference shows the first lines that differ.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < min(len(g), len(w)) && g[i] == w[i] {
		i++
	}
	show := func(lines []string) string {
		return strings.Join(lines[min(i, len(lines)):min(i+5, len(lines))], "\n\t")
	}
	return "it says\n\t" + show(g) + "\nand should say\n\t" + show(w)
}

// checked returns the documents whose blocks are checked here.
func checked(t *testing.T) []string {
	return slices.DeleteFunc(documents(t), func(n string) bool { return slices.Contains(others, n) })
}
