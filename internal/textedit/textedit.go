// Package textedit replaces text in a file and leaves every other byte as it is.
//
// Whoever edits has seen the file normalised, as internal/textnorm shows it:
// without byte order mark, in UTF-8, with LF line ends and without invisible
// characters. What to replace is looked for there, and what is found is replaced
// in the file's own bytes:
//
//	d, err := textedit.Parse([]byte("\xef\xbb\xbfone\r\ntwo\r\n"))
//	at := d.Find("one\ntwo")              // [0]
//	b, err := d.Replace(at, "one\ntwo", "one\n2\ntwo")
//	// "\xef\xbb\xbfone\r\n2\r\ntwo\r\n"
//
// The package is pure and uses the standard library only.
package textedit

import (
	"bytes"
	"errors"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/internal/textnorm"
)

// The errors of Parse and Replace.
var (
	ErrBinary  = errors.New("it holds NUL bytes, so it is a binary file")
	ErrUTF16   = errors.New("it begins as UTF-16 and is not valid UTF-16")
	ErrInvalid = errors.New("the text to replace holds bytes that are not valid UTF-8 (shown as U+FFFD); leave them out of it")
	ErrNUL     = errors.New("it holds a NUL character")
)

// A Doc is a file to be edited. It does not change.
type Doc struct {
	mark []byte // byte order mark
	wide order  // how UTF-16 is written; nil: UTF-8
	raw  []byte // the rest, in UTF-8 unless bytes are invalid
	view textnorm.Result
	ends []string // the line ends in use
}

// Parse takes the bytes of a file, which are not changed afterwards.
func Parse(b []byte) (*Doc, error) {
	d := &Doc{raw: b}
	switch {
	case bytes.HasPrefix(b, utf8Mark):
		d.mark, d.raw = b[:3], b[3:]
	case bytes.HasPrefix(b, littleMark), bytes.HasPrefix(b, bigMark):
		d.mark, d.wide = b[:2], orderOf(b)
		raw, ok := d.wide.decode(b[2:])
		if !ok {
			return nil, ErrUTF16
		}
		d.raw = raw
	}
	if bytes.IndexByte(d.raw, 0) >= 0 {
		return nil, ErrBinary
	}
	d.view = textnorm.Rest(d.raw, false)
	d.ends = lineEnds(d.raw)
	return d, nil
}

// Text returns the file as it is shown.
func (d *Doc) Text() string { return d.view.Text }

// Line returns the number, from 1, of the line that holds byte i of the text.
func (d *Doc) Line(i int) int { return 1 + strings.Count(d.view.Text[:i], "\n") }

// Find returns where old begins in the text. Places may overlap.
func (d *Doc) Find(old string) []int {
	old = Shown(old)
	var at []int
	for from := 0; old != "" && from <= len(d.view.Text)-len(old); {
		i := strings.Index(d.view.Text[from:], old)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		_, size := utf8.DecodeRuneInString(d.view.Text[from+i:])
		from += i + size
	}
	return at
}

// Shown returns text as it would be shown if it stood in a file.
func Shown(s string) string { return textnorm.Rest([]byte(s), false).Text }

// Replace returns the file with the text old, which begins at each of the given
// places, replaced by new; of places that overlap the first counts. What is
// equal at both ends of old and new is not touched. New lines end as the lines
// around them do.
func (d *Doc) Replace(at []int, old, new string) ([]byte, error) {
	if strings.ContainsRune(old, 0) || strings.ContainsRune(new, 0) {
		return nil, ErrNUL
	}
	old, new = Shown(old), strings.ReplaceAll(new, "\r\n", "\n")
	prefix, suffix := common(old, new)
	insert := new[prefix : len(new)-suffix]
	var out []byte
	done, last := 0, -1
	for _, i := range at {
		if i < last {
			continue
		}
		last = i + len(old)
		lo, hi, err := d.span(i+prefix, last-suffix)
		if err != nil {
			return nil, err
		}
		from, to, _ := d.span(i, last)
		out = append(out, d.raw[done:lo]...)
		out = append(out, strings.ReplaceAll(insert, "\n", d.lineEnd(min(from, lo), max(to, hi)))...)
		done = hi
	}
	out = append(out, d.raw[done:]...)
	if d.wide != nil {
		if !utf8.Valid(out) {
			return nil, ErrUTF16
		}
		out = d.wide.encode(out)
	}
	return append(d.mark[:len(d.mark):len(d.mark)], out...), nil
}

// common returns how many bytes are equal at the beginning and at the end,
// counted in whole characters and without an overlap.
func common(a, b string) (prefix, suffix int) {
	for prefix < len(a) && prefix < len(b) {
		r, n := utf8.DecodeRuneInString(a[prefix:])
		s, m := utf8.DecodeRuneInString(b[prefix:])
		if r != s || n != m {
			break
		}
		prefix += n
	}
	a, b = a[prefix:], b[prefix:]
	for suffix < len(a) && suffix < len(b) {
		r, n := utf8.DecodeLastRuneInString(a[:len(a)-suffix])
		s, m := utf8.DecodeLastRuneInString(b[:len(b)-suffix])
		if r != s || n != m {
			break
		}
		suffix += n
	}
	return prefix, suffix
}

// span returns the bytes of raw that the range of the text stands for. Nothing
// that is not shown is part of it at its ends, except the CR of a line end.
func (d *Doc) span(lo, hi int) (from, to int, err error) {
	to = d.end(hi)
	if lo >= hi {
		to = d.end(lo)
		return to, to, nil
	}
	for k := d.piece(lo); k < len(d.view.Pieces) && d.view.Pieces[k].Lo < hi; k++ {
		if p := d.view.Pieces[k]; p.Rewritten && d.view.Text[p.Lo:p.Hi] != "\n" {
			err = ErrInvalid
		}
	}
	p := d.view.Pieces[d.piece(lo)]
	from = p.Off
	if !p.Rewritten {
		from += lo - p.Lo
	}
	if from > 0 && d.raw[from] == '\n' && d.raw[from-1] == '\r' {
		from--
	}
	return from, to, err
}

// end returns where the character before byte i of the text ends in raw.
func (d *Doc) end(i int) int {
	if i == 0 {
		return 0
	}
	p := d.view.Pieces[d.piece(i-1)]
	if p.Rewritten {
		if d.view.Text[p.Lo:p.Hi] == "\n" { // of a lone CR
			return p.Off + 1
		}
		if k := d.piece(i-1) + 1; k < len(d.view.Pieces) {
			return d.view.Pieces[k].Off
		}
		return len(d.raw)
	}
	return p.Off + i - p.Lo
}

// piece returns the index of the piece that holds byte i of the text.
func (d *Doc) piece(i int) int {
	return sort.Search(len(d.view.Pieces), func(k int) bool { return d.view.Pieces[k].Hi > i })
}
