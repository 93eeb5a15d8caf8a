// Package frontmatter splits a Markdown file into the YAML between its two first
// lines of dashes and the text that follows.
//
// The YAML is read strictly: each key once, no anchors and aliases, little, and
// not deep. Files that people write by hand hold slips all the same, so what
// cannot be read is tried once more, key by key, with the values that are no
// YAML taken as plain text. Every such slip is reported with its line:
//
//	doc, err := frontmatter.Parse("---\ndescription: Use when: a, b\n---\nBody.\n")
//	v, _ := doc.Get("description")
//	v.Text          // "Use when: a, b"
//	doc.Slips[0]    // line 2: description: taken as plain text …
//	text[doc.Body:] // "Body.\n"
//
// The text is one that package load normalised: it has no byte order mark and
// ends its lines with LF. Values are normalised again, because an escape can
// write what the file does not show.
package frontmatter

import (
	"fmt"
	"strings"
)

// Bounds of the YAML.
const (
	MaxBytes = 16 << 10
	MaxDepth = 10
)

// A Document is a text divided in two.
type Document struct {
	Present bool    // there is front matter
	Fields  []Field // in the order in which they are written
	Body    int     // where the body begins, in bytes of the text
	Line    int     // the line on which it begins, from 1
	Slips   []Slip  // what was read in spite of its form
}

// A Slip is a fault that was understood.
type Slip struct {
	Line    int // from 1
	Message string
}

// An Error says why front matter cannot be read.
type Error struct {
	Line    int // from 1
	Column  int // in bytes from 1; 0: the whole line
	Message string
}

// Error returns the place and the message.
func (e *Error) Error() string {
	if e.Column > 0 {
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

// Get returns the value of a key.
func (d *Document) Get(name string) (Value, bool) {
	for _, f := range d.Fields {
		if f.Name == name {
			return f.Value, true
		}
	}
	return Value{}, false
}

// Parse divides a text and reads its front matter. A text without any is all
// body. The error is an *[Error].
func Parse(text string) (Document, error) {
	doc := Document{Line: 1}
	open, blank := opening(text)
	if open < 0 {
		return doc, nil
	}
	doc.Present = true
	first := blank + 2 // the line after the dashes
	end, body := closing(text, open)
	if end < 0 {
		return doc, &Error{Line: blank + 1, Message: "the front matter that begins here is not closed by a line of three dashes"}
	}
	src := text[open:end]
	doc.Body = body
	doc.Line = first + strings.Count(text[open:body], "\n")
	if body > 0 && text[body-1] != '\n' { // the text ends with the dashes
		doc.Line++
	}
	if len(src) > MaxBytes {
		return doc, &Error{Line: blank + 1, Message: fmt.Sprintf("the front matter is longer than %d bytes", MaxBytes)}
	}
	if blank > 0 {
		doc.Slips = append(doc.Slips, Slip{Line: blank + 1, Message: "the front matter belongs at the start of the file"})
	}
	fields, slips, err := read(src, first)
	doc.Fields, doc.Slips = fields, append(doc.Slips, slips...)
	return doc, err
}

// read reads the YAML that begins on a line: strictly, and if that fails with
// the slips repaired.
func read(src string, line int) ([]Field, []Slip, error) {
	fields, slips, err := parse(src, line)
	if err == nil {
		return fields, slips, nil
	}
	if err.final {
		return nil, nil, &err.Error
	}
	repaired, found := repair(src, line)
	if len(found) == 0 {
		return nil, nil, &err.Error
	}
	fields, slips, again := parse(repaired, line)
	if again == nil {
		return fields, append(found, slips...), nil
	}
	if again.final {
		err = again
	}
	return nil, nil, &err.Error
}

// opening returns where the YAML begins, after the line of dashes, and how many
// blank lines stand before that; or -1.
func opening(text string) (open, blank int) {
	at := 0
	for at < len(text) {
		line, next := lineAt(text, at)
		switch {
		case isDashes(line):
			return next, blank
		case strings.TrimSpace(line) != "":
			return -1, 0
		}
		blank++
		at = next
	}
	return -1, 0
}

// closing returns where the YAML ends and where the body begins, or -1.
func closing(text string, at int) (end, body int) {
	for at < len(text) {
		line, next := lineAt(text, at)
		if isDashes(line) {
			return at, next
		}
		at = next
	}
	return -1, -1
}

// lineAt returns the line that begins at a place, without its end, and where the
// next one begins.
func lineAt(text string, at int) (line string, next int) {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return text[at : at+i], at + i + 1
	}
	return text[at:], len(text)
}

func isDashes(line string) bool {
	return strings.HasPrefix(line, "---") && strings.TrimRight(line, " \t") == "---"
}
