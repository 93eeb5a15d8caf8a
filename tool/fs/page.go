package fs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// page is a run of lines of a file.
type page struct {
	bytes []byte // as they stand in the file
	off   int64  // where they begin
	first int    // the first line, from 1
	lines int    // how many lines begin on the page
	total int    // lines of the file before its end was met; only if end
	end   bool   // the page holds the end of the file
	cut   bool   // the last line is too long and not complete
}

// readPage reads up to limit lines from line first on, at most room bytes.
func readPage(ctx context.Context, f io.Reader, first, limit, room int) (page, error) {
	p := page{first: first}
	r := bufio.NewReaderSize(f, 64<<10)
	if mark, _ := r.Peek(2); isUTF16(mark) {
		return readWide(r, first, limit, room)
	}
	line := 1
	for ; line < first; line++ {
		n, err := skipLine(ctx, r)
		p.off += n
		if err == io.EOF {
			p.total, p.end = line, true
			if n == 0 {
				p.total--
			}
			return p, nil
		}
		if err != nil {
			return p, err
		}
	}
	for p.lines < limit {
		if err := ctx.Err(); err != nil {
			return p, err
		}
		b, err := takeLine(r, room-len(p.bytes)+1)
		if len(p.bytes)+len(b) > room {
			if p.lines == 0 { // not even one line fits
				p.bytes, p.lines, p.cut = b[:room], 1, true
			}
			return p, nil
		}
		if len(b) > 0 {
			p.bytes = append(p.bytes, b...)
			p.lines++
		}
		if err == io.EOF {
			p.total, p.end = first-1+p.lines, true
			return p, nil
		}
		if err != nil {
			return p, err
		}
	}
	if _, err := r.Peek(1); err == io.EOF {
		p.total, p.end = first-1+p.lines, true
	}
	return p, nil
}

// skipLine passes over a line and returns its length.
func skipLine(ctx context.Context, r *bufio.Reader) (n int64, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		b, err := r.ReadSlice('\n')
		n += int64(len(b))
		if err != bufio.ErrBufferFull {
			return n, err
		}
	}
}

// takeLine reads a line, but not much more than room bytes of it.
func takeLine(r *bufio.Reader, room int) ([]byte, error) {
	var out []byte
	for {
		b, err := r.ReadSlice('\n')
		out = append(out, b...)
		if err != bufio.ErrBufferFull {
			return out, err
		}
		if len(out) >= room {
			return out, nil
		}
	}
}

func isUTF16(b []byte) bool {
	return bytes.Equal(b, []byte("\xff\xfe")) || bytes.Equal(b, []byte("\xfe\xff"))
}

// maxWide bounds a file in UTF-16, which is read as a whole.
const maxWide = 8 << 20

var errWide = errors.New("it is a file in UTF-16 of more than 8 MiB")

// readWide reads a page of a file in UTF-16. Its bytes are given in UTF-8, and
// begin at line first; off is where the file begins.
func readWide(r io.Reader, first, limit, room int) (page, error) {
	p := page{first: first, off: -1}
	b, err := io.ReadAll(io.LimitReader(r, maxWide+1))
	if err != nil {
		return p, err
	}
	if len(b) > maxWide {
		return p, errWide
	}
	for line := range strings.SplitAfterSeq(textnorm.Bytes(b, false).Text, "\n") {
		if line == "" {
			break
		}
		if p.total++; p.total < first {
			continue
		}
		full := p.lines == limit || len(p.bytes)+len(line) > room
		if full && p.lines > 0 {
			return p, nil
		}
		p.lines++
		if full {
			p.bytes, p.cut = []byte(line[:room]), true
			return p, nil
		}
		p.bytes = append(p.bytes, line...)
	}
	p.end = true
	return p, nil
}

// result makes the text for the model: the lines, then notices in brackets.
func (p page) result(name string, from span.Origin) tool.Result {
	if p.lines == 0 && p.total > 0 {
		return tool.Errorf("read_file: %s has %d lines; offset %d is after its end", name, p.total, p.first)
	}
	if p.lines == 0 {
		return tool.Result{Text: notice(nil, "[the file is empty]")}
	}
	normal := textnorm.Rest
	if p.off == 0 {
		normal = textnorm.Bytes
	}
	r := normal(p.bytes, p.cut)
	var said []string
	binary := false
	for _, f := range r.Findings {
		if f.Kind == textnorm.Secret {
			continue
		}
		binary = binary || f.Kind == textnorm.Binary
		said = append(said, f.Message)
	}
	if binary && (strings.TrimSpace(r.Text) == "" || strings.Contains(r.Text, "\uFFFD")) {
		return tool.Errorf("read_file: %s is a binary file; it has no text to show", name)
	}
	text := p.spans(r, from)
	if p.off > 0 && len(said) > 0 {
		said = append(said, fmt.Sprintf("these offsets count from byte %d", p.off))
	}
	if len(said) > 0 {
		text = notice(text, "["+strings.Join(said, "; ")+"]")
	}
	if next := p.first + p.lines; !p.end || p.cut {
		what := fmt.Sprintf("[lines %d to %d are shown; the file goes on: read on with offset %d]", p.first, next-1, next)
		if p.lines == 1 {
			what = fmt.Sprintf("[line %d is shown; the file goes on: read on with offset %d]", p.first, next)
		}
		if p.cut {
			what = fmt.Sprintf("[line %d is longer than %d bytes and cut here; the next line is offset %d]", p.first, len(p.bytes), next)
		}
		text = notice(text, what)
	}
	return tool.Result{Text: text}
}

// spans returns the page's text with its places in the file.
func (p page) spans(r textnorm.Result, from span.Origin) span.Text {
	changed := from
	changed.Stage = load.Stage
	out := make(span.Text, 0, len(r.Pieces)+2)
	for _, piece := range r.Pieces {
		s := span.Span{Text: r.Text[piece.Lo:piece.Hi], From: &from, Off: span.NoOffset}
		if off := p.off + int64(piece.Off); p.off >= 0 && off <= math.MaxInt32 {
			s.Off = int32(off)
		}
		if piece.Rewritten || p.off < 0 {
			s.From = &changed
		}
		out = append(out, s)
	}
	return out
}

var noticeOrigin = span.Generated("notice")

// notice appends a line that the tool writes itself.
func notice(t span.Text, s string) span.Text {
	if n := len(t); n > 0 && !strings.HasSuffix(t[n-1].Text, "\n") {
		s = "\n" + s
	}
	return append(t, span.Span{Text: s + "\n", From: noticeOrigin, Off: span.NoOffset})
}
