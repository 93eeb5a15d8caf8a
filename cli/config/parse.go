package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a file.
const (
	maxBytes = 256 << 10
	maxDepth = 32
	// maxTokens bounds the words and signs of a file, for which the parser takes
	// more than linear time. A text is one, however long it is.
	maxTokens = 30_000
	// maxFaults is how many faults of a file are told; a thousand would help nobody.
	maxFaults = 100
)

// A reader turns YAML into nodes and gathers what is wrong with it.
type reader struct {
	from   *layer
	lines  []string
	shift  int // added to the columns of the first line
	faults Faults
	last   spot // the last place that was asked for
}

// parse returns the value that a YAML text stands for. An empty text is null.
// Positions are those in the text, with shift bytes before its first line.
func parse(src string, from *layer, shift int) (*node, Faults) {
	r := &reader{from: from, shift: shift}
	src = strings.TrimPrefix(src, "\ufeff")
	src = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(src)
	if !r.clean(src) {
		return nil, r.faults
	}
	r.lines = strings.Split(src, "\n")
	n := r.document(src)
	if len(r.faults) > 0 {
		return nil, r.faults
	}
	return n, nil
}

// clean refuses what is not text.
func (r *reader) clean(src string) bool {
	if len(src) > maxBytes {
		r.faults = append(r.faults, Fault{Code: CodeSyntax, Path: r.from.path, Line: 1, Column: 1 + r.shift,
			Message: fmt.Sprintf("is larger than %d bytes", maxBytes)})
		return false
	}
	at, why := strings.IndexByte(src, 0), "a NUL byte"
	if !utf8.ValidString(src) {
		i := 0
		for i < len(src) {
			c, n := utf8.DecodeRuneInString(src[i:])
			if c == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		if at < 0 || i < at {
			at, why = i, "a byte that is not UTF-8"
		}
	}
	if at < 0 {
		return true
	}
	line, start := 1+strings.Count(src[:at], "\n"), 1+strings.LastIndexByte(src[:at], '\n')
	column := at - start + 1
	if line == 1 {
		column += r.shift
	}
	r.faults = append(r.faults, Fault{Code: CodeSyntax, Path: r.from.path, Line: line, Column: column, Message: why})
	return false
}

// document parses the only document of src. The parser is somebody else's: should
// it panic on a text, that is a fault of the text.
func (r *reader) document(src string) (n *node) {
	defer func() {
		if p := recover(); p != nil {
			n = nil
			r.fault(&token.Position{Line: 1, Column: 1}, "this YAML cannot be read: %v", p)
		}
	}()
	tokens := lexer.Tokenize(src)
	if !r.screen(tokens) {
		return nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.syntax(err)
		return nil
	}
	var body ast.Node
	for i, d := range file.Docs {
		if i > 0 {
			at := &token.Position{Line: 1, Column: 1}
			if d.Start != nil {
				at = d.Start.Position
			} else if d.Body != nil {
				at = d.Body.GetToken().Position
			}
			r.fault(at, "a second document; write one")
			return nil
		}
		body = d.Body
	}
	return r.value(body, nil, "", 0)
}

// syntax notes an error of the parser with its place.
func (r *reader) syntax(err error) {
	at := &token.Position{Line: 1, Column: 1}
	message := ""
	var y yaml.Error
	if !errors.As(err, &y) {
		message = err.Error()
	} else {
		message = y.GetMessage() // its Error prints the source around the place too
		if t := y.GetToken(); t != nil && t.Position != nil {
			at = t.Position
		}
	}
	r.fault(at, "%s", strings.TrimSpace(message))
}

func (r *reader) fault(at *token.Position, format string, args ...any) {
	if len(r.faults) >= maxFaults {
		return
	}
	line, column := r.place(at)
	r.faults = append(r.faults, Fault{Code: CodeSyntax, Path: r.from.path, Line: line, Column: column,
		Message: visible(fmt.Sprintf(format, args...))})
}

// A spot is a place in both ways of counting.
type spot struct{ line, runes, bytes int } // columns from 0

// place returns a position with the column in bytes; the parser counts runes. It
// goes on from the last place, as lines may be very long.
func (r *reader) place(at *token.Position) (line, column int) {
	line = min(max(1, at.Line), len(r.lines))
	s := r.last
	if s.line != line || s.runes > at.Column-1 {
		s = spot{line: line}
	}
	text := r.lines[line-1]
	for s.runes < at.Column-1 && s.bytes < len(text) {
		_, n := utf8.DecodeRuneInString(text[s.bytes:])
		s.bytes += n
		s.runes++
	}
	r.last = s
	column = s.bytes + 1
	if line == 1 {
		column += r.shift
	}
	return line, column
}
