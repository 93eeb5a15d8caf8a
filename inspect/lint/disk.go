package lint

import (
	"sort"
	"strings"

	"github.com/proemhq/proem/internal/markdown"
	"github.com/proemhq/proem/internal/textnorm"
)

// A diskFile is a file as it lies on disk.
type diskFile struct {
	path  string
	raw   []byte // nil: it cannot be read
	lines []int  // where each line begins
	norm  textnorm.Result
	md    *markdown.Text // of the normalised text; nil: not looked for yet
}

// file returns a file as it lies on disk, and remembers it as one of those that are
// looked at whole.
func (l *linter) file(path string) *diskFile {
	if d, ok := l.disk[path]; ok {
		return d
	}
	d := &diskFile{path: path}
	if l.in.Reader != nil {
		if raw, err := l.in.Reader.Read(path); err == nil {
			d.raw = raw
			d.lines = lineStarts(raw)
			d.norm = textnorm.Bytes(raw, false)
		}
	}
	l.disk[path] = d
	l.paths = append(l.paths, path)
	return d
}

// lineStarts returns where the lines of a text begin. Lines end in LF, CR LF or CR.
func lineStarts(raw []byte) []int {
	out := []int{0}
	for i, c := range raw {
		if c == '\n' || c == '\r' && (i+1 == len(raw) || raw[i+1] != '\n') {
			out = append(out, i+1)
		}
	}
	return out
}

// place returns a range of a file.
func (d *diskFile) place(lo, hi int) Place {
	p := Place{Path: d.path, Start: lo, End: hi}
	if d.raw == nil || lo > len(d.raw) || hi > len(d.raw) {
		return Place{Path: d.path}
	}
	p.Line, p.Column = d.at(lo)
	p.EndLine, p.EndColumn = d.at(hi)
	return p
}

// at returns line and column of an offset.
func (d *diskFile) at(off int) (line, column int) {
	line = sort.SearchInts(d.lines, off+1)
	return line, off - d.lines[line-1] + 1
}

// offset returns the offset of a line and column; 0 if it is not known.
func (d *diskFile) offset(line, column int) int {
	if line < 1 || line > len(d.lines) || column < 1 || d.lines[line-1]+column-1 > len(d.raw) {
		return 0
	}
	return d.lines[line-1] + column - 1
}

// markdown returns what of the normalised text is no prose.
func (d *diskFile) markdown() *markdown.Text {
	if d.md == nil {
		m := markdown.Scan(d.norm.Text)
		d.md = &m
	}
	return d.md
}

// normal returns the place of a range of the normalised text.
func (d *diskFile) normal(lo, hi int) Place {
	last := d.norm.Offset(max(lo, hi-1)) + 1
	if hi <= lo {
		last--
	}
	return d.place(d.norm.Offset(lo), min(last, len(d.raw)))
}

// lineOf returns the range of a line, without its end.
func lineOf(text string, line int) (lo, hi int, ok bool) {
	starts := lineStarts([]byte(text))
	if line < 1 || line > len(starts) {
		return 0, 0, false
	}
	lo, hi = starts[line-1], len(text)
	if line < len(starts) {
		hi = starts[line]
	}
	return lo, lo + len(strings.TrimRight(text[lo:hi], "\r\n")), true
}
