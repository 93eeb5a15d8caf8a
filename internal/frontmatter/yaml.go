package frontmatter

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

// fault is why YAML is not read. A final one stands: reading values as plain
// text would not be what was meant.
type fault struct {
	Error
	final bool
}

// reader reads one YAML text.
type reader struct {
	lines []string
	first int // the line of the file on which the text begins
	slips []Slip
	fault *fault // the first
}

// parse reads YAML that begins on a line of the file. The parser is somebody
// else's: should it panic on a text, that is a fault of the text.
func parse(src string, first int) (fields []Field, slips []Slip, err *fault) {
	r := &reader{lines: strings.Split(src, "\n"), first: first}
	defer func() {
		if p := recover(); p != nil {
			fields, slips, err = nil, nil, &fault{Error: Error{Line: first, Message: fmt.Sprintf("cannot be read: %v", p)}, final: true}
		}
	}()
	tokens := lexer.Tokenize(src)
	r.screen(tokens)
	if r.fault != nil {
		return nil, nil, r.fault
	}
	file, perr := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if perr != nil {
		r.syntax(perr)
		return nil, nil, r.fault
	}
	var body ast.Node
	for _, d := range file.Docs {
		if body != nil && d.Body != nil {
			r.fail(d.Body.GetToken().Position, true, "a second document")
			return nil, nil, r.fault
		}
		if d.Body != nil {
			body = d.Body
		}
	}
	if body == nil {
		return nil, nil, nil
	}
	v := r.value(body, 1)
	if r.fault == nil && v.Kind != Map && v.Kind != Null {
		r.fail(body.GetToken().Position, false, "front matter is a list of keys with values, not %s", v.Kind)
	}
	return v.Fields, r.slips, r.fault
}

// screen refuses, before anything is built, what makes a small text a large or a
// strange value.
func (r *reader) screen(tokens token.Tokens) {
	depth, dashes, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, dashes = t.Position.Line, 0
		}
		switch t.Type {
		case token.InvalidType:
			r.fail(t.Position, false, "%s", t.Error)
		case token.AnchorType:
			r.fail(t.Position, true, "anchors are not supported; quote a text that begins with &")
		case token.AliasType:
			r.fail(t.Position, false, "aliases are not supported; quote a text that begins with *")
		case token.MergeKeyType:
			r.fail(t.Position, true, "merge keys are not supported")
		case token.TagType:
			r.fail(t.Position, false, "tags are not supported; quote a text that begins with !")
		case token.DirectiveType:
			r.fail(t.Position, false, "directives are not supported; quote a text that begins with %%")
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType:
			dashes++
		}
		if depth > MaxDepth || dashes > MaxDepth {
			r.tooDeep(t.Position)
		}
	}
}

// value turns a value of the parser into one of ours.
func (r *reader) value(n ast.Node, depth int) Value {
	if n == nil || n.GetToken() == nil || r.fault != nil {
		return Value{}
	}
	pos := n.GetToken().Position
	v := Value{Text: n.GetToken().Value, Line: r.line(pos)}
	switch n := n.(type) {
	case *ast.NullNode:
		v.Text = ""
	case *ast.BoolNode:
		v.Kind = Bool
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		v.Kind = Number
	case *ast.StringNode:
		v.Kind, v.Text = Text, r.clean(n.Value, pos)
	case *ast.LiteralNode:
		v.Kind, v.Text = Text, r.clean(n.Value.Value, pos)
	case *ast.SequenceNode:
		v.Kind, v.Text = List, ""
		if depth > MaxDepth {
			r.tooDeep(pos)
		}
		for _, i := range n.Values {
			v.Items = append(v.Items, r.value(i, depth+1))
		}
	case *ast.MappingNode:
		v.Kind, v.Text = Map, ""
		v.Fields = r.fields(n.Values, pos, depth)
	case *ast.MappingValueNode:
		v.Kind, v.Text = Map, ""
		v.Fields = r.fields([]*ast.MappingValueNode{n}, pos, depth)
	default:
		r.fail(pos, true, "%s is not supported", strings.ToLower(n.Type().String()))
	}
	return v
}

func (r *reader) fields(values []*ast.MappingValueNode, pos *token.Position, depth int) []Field {
	if depth > MaxDepth {
		r.tooDeep(pos)
		return nil
	}
	var out []Field
	seen := make(map[string]int, len(values))
	for _, n := range values {
		pos := n.Key.GetToken().Position
		if _, scalar := n.Key.(ast.Node).(ast.ScalarNode); !scalar {
			r.fail(pos, true, "a key is a text")
			return nil
		}
		name := n.Key.GetToken().Value
		if s, ok := n.Key.(ast.Node).(*ast.StringNode); ok {
			name = s.Value
		}
		name = r.clean(name, pos)
		if line, ok := seen[name]; ok {
			r.fail(pos, true, "%s is written twice; first in line %d", OneLine(name), line)
			return nil
		}
		f := Field{Name: name, Line: r.line(pos), Value: r.value(n.Value, depth+1)}
		if f.Value.Line == 0 {
			f.Value.Line = f.Line
		}
		seen[name] = f.Line
		out = append(out, f)
	}
	return out
}

// clean normalises a text and notes what that changed.
func (r *reader) clean(s string, pos *token.Position) string {
	out, same := clean(s)
	if !same {
		r.slips = append(r.slips, Slip{Line: r.line(pos), Message: "characters that cannot be seen or sent were removed"})
	}
	return out
}

func (r *reader) tooDeep(at *token.Position) { r.fail(at, true, "nested deeper than %d", MaxDepth) }

// syntax notes an error of the parser with its place.
func (r *reader) syntax(err error) {
	at := &token.Position{Line: 1}
	message := err.Error()
	var y yaml.Error
	if errors.As(err, &y) {
		message = y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			at = t.Position
		}
	}
	r.fail(at, false, "%s", message)
}

// fail notes the first fault, or a final one instead of one that is not.
func (r *reader) fail(at *token.Position, final bool, format string, args ...any) {
	if r.fault != nil && (r.fault.final || !final) {
		return
	}
	r.fault = &fault{final: final, Error: Error{Line: r.line(at), Column: r.column(at), Message: OneLine(fmt.Sprintf(format, args...))}}
}

func (r *reader) line(at *token.Position) int {
	return r.first + min(max(1, at.Line), len(r.lines)) - 1
}

// column returns the column in bytes; the parser counts characters.
func (r *reader) column(at *token.Position) int {
	text, column := r.lines[r.line(at)-r.first], 0
	for n := 1; n < at.Column && column < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[column:])
		column += size
	}
	return column + 1
}
