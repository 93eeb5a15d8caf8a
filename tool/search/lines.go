package search

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
)

// lines collects the lines that an expression fits.
type lines struct {
	*walk
	re   *regexp.Regexp
	need []byte // a text that every line which fits holds; may be empty

	out                            span.Text
	bytes                          int
	total, shown                   int // lines
	searched, files, large, binary int // files
}

// maxLine is the most bytes of a line that are shown.
const maxLine = 400

// binaryHead is how much of a file is looked at to tell text from binary, as git
// does.
const binaryHead = 8000

// file searches one file.
func (g *lines) file(name string) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	b, info, err := readFile(g.root, name, g.s.cfg.MaxFile)
	switch {
	case errors.Is(err, errLarge):
		g.large++
		return nil
	case err != nil:
		g.unread++ // it went, or may not be read
		return nil
	}
	plain := true
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		b, plain = []byte(textnorm.Bytes(b, false).Text), false
	}
	if bytes.IndexByte(b[:min(len(b), binaryHead)], 0) >= 0 {
		g.binary++
		return nil
	}
	g.searched++
	if !bytes.Contains(b, g.need) {
		return nil
	}
	return g.search(name, b, info, plain)
}

// search looks at each line. plain says that b is the file, byte for byte.
func (g *lines) search(name string, b []byte, info env.Info, plain bool) error {
	var from *span.Origin
	off := 0
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		off = 3
	}
	for number := 1; off < len(b); number++ {
		line, end := b[off:], len(b)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, end = line[:i], off+i+1
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		if number%4096 == 0 && g.ctx.Err() != nil {
			return g.ctx.Err()
		}
		if bytes.Contains(line, g.need) {
			if at := g.re.FindIndex(line); at != nil {
				if from == nil {
					if !g.still(name, info) {
						g.unread++
						return nil
					}
					g.files++
					from = &span.Origin{Section: "grep", Source: "file", Path: g.path(name), Trust: span.Tool}
				}
				g.add(name, number, line, [2]int(at), from, off, plain)
			}
		}
		off = end
	}
	return nil
}

// still reports whether the file that was read is the one that the walk came by,
// where somebody distinguishes places: names may lead elsewhere at any time.
func (g *lines) still(name string, read env.Info) bool {
	if g.s.cfg.Allow == nil {
		return true
	}
	real, err := load.Resolve(g.root, name)
	if err != nil || real != path.Clean(name) {
		return false
	}
	there, err := g.root.Lstat(name)
	return err == nil && there.Dev == read.Dev && there.Inode == read.Inode && there.Mode().IsRegular()
}

// add appends a line, cut around the match where it is long.
func (g *lines) add(name string, number int, line []byte, at [2]int, from *span.Origin, off int, plain bool) {
	g.total++
	if g.shown < g.total-1 || g.shown >= g.s.cfg.MaxResults {
		return
	}
	lo, hi := window(line, at)
	head, tail := fmt.Sprintf("%s:%d:", near.Show(name), number), "\n"
	if lo > 0 {
		head += "…"
	}
	if hi < len(line) {
		tail = "…\n"
	}
	text := textnorm.Rest(line[lo:hi], false)
	if g.bytes += len(head) + len(text.Text) + len(tail); g.bytes > g.s.cfg.MaxBytes && g.shown > 0 {
		return
	}
	g.shown++
	by := &span.Origin{Section: "grep", Source: "generated:place", Path: from.Path}
	g.out = append(g.out, span.Span{Text: head, From: by, Off: span.NoOffset})
	s := span.Span{Text: text.Text, From: from, Off: span.NoOffset}
	if plain && text.Text == string(line[lo:hi]) && off+lo <= math.MaxInt32 {
		s.Off = int32(off + lo)
	}
	if s.Text != "" {
		g.out = append(g.out, s)
	}
	g.out = append(g.out, span.Span{Text: tail, From: by, Off: span.NoOffset})
}

// window returns the part of a line to show: at most maxLine bytes with the
// beginning of the match, cut between characters.
func window(line []byte, at [2]int) (lo, hi int) {
	if len(line) <= maxLine {
		return 0, len(line)
	}
	lo = max(0, min(at[0]-maxLine/4, len(line)-maxLine))
	hi = lo + maxLine
	for lo > 0 && lo < at[0] && !utf8.RuneStart(line[lo]) {
		lo++
	}
	for hi < len(line) && hi > at[0] && !utf8.RuneStart(line[hi]) {
		hi--
	}
	return lo, hi
}

var errLarge = errors.New("the file is too large")

// readFile reads a regular file of at most limit bytes.
func readFile(root env.Root, name string, limit int64) ([]byte, env.Info, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, env.Info{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, info, err
	}
	if info.Size() > limit {
		return nil, info, errLarge
	}
	b := make([]byte, info.Size()+1) // of one that grows, what is there now is enough
	n, err := io.ReadFull(f, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return b[:n], info, err
}

// literal returns the longest text that everything which the expression fits must
// hold, so that most files need no look by the expression. It may be empty.
func literal(pattern string) []byte {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	need := needed(re.Simplify())
	if strings.ContainsRune(need, utf8.RuneError) { // it fits bytes that are no UTF-8, too
		return nil
	}
	return []byte(need)
}

func needed(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		best := ""
		for _, sub := range re.Sub {
			if n := needed(sub); len(n) > len(best) {
				best = n
			}
		}
		return best
	}
	return ""
}
