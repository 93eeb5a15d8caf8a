package explain

import (
	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/internal/visible"
	"github.com/proemhq/proem/wire"
)

// Check compares the ranges that should stand as they do in a file with the file.
// Read returns a file's bytes; what cannot be read stays as it is. A range that
// the file does not hold is no longer exact and has no place in it: the file was
// changed since, or was rewritten when it was read in a way that spans do not
// tell. It also says what stands in the unused ranges of files.
func (r *Report) Check(read func(path string) ([]byte, bool)) {
	c := checker{read: read, files: map[string][]byte{}}
	for i := range r.Texts {
		c.text(&r.Texts[i], func(s string) string { return s })
	}
	c.text(&r.Body, func(s string) string { return string(wire.AppendEscaped(nil, s)) })
	for i := range r.Sections {
		for j := range r.Sections[i].Unused {
			u := &r.Sections[i].Unused[j]
			if data := c.file(u.Path); u.End <= len(data) {
				u.Text = beginning(string(data[u.Start:u.End]))
			}
		}
	}
}

// checker reads each file once.
type checker struct {
	read  func(path string) ([]byte, bool)
	files map[string][]byte
}

// file returns the bytes of a file, or nil.
func (c *checker) file(path string) []byte {
	data, known := c.files[path]
	if !known {
		if got, ok := c.read(path); ok {
			data = got
		}
		c.files[path] = data
	}
	return data
}

// text checks the ranges of a text that writes the bytes of files in a form of
// its own.
func (c *checker) text(t *Text, form func(string) string) {
	for i := range t.Ranges {
		g := &t.Ranges[i]
		if !g.Exact {
			continue
		}
		data := c.file(g.Path)
		if data == nil {
			continue
		}
		if g.SrcEnd > len(data) || form(string(data[g.SrcStart:g.SrcEnd])) != t.Text[g.Start:g.End] {
			g.Exact, g.SrcStart, g.SrcEnd = false, -1, -1
		}
	}
}

// maxBeginning is how much of an unused range is shown, in bytes.
const maxBeginning = 60

// beginning returns the first bytes of a text for showing in one line.
func beginning(s string) string {
	s = textnorm.Redact(s)
	more := ""
	if len(s) > maxBeginning {
		s, more = s[:maxBeginning], "…"
		for len(s) > 0 && s[len(s)-1] >= 0x80 { // whole characters
			s = s[:len(s)-1]
		}
	}
	return visible.Line(s) + more
}
