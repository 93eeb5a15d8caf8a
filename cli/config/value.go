package config

import (
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// value turns a value of the parser into a node. at is the place of its key, for
// values that are not written at all.
func (r *reader) value(n ast.Node, at *token.Position, key string, depth int) *node {
	if depth > maxDepth {
		r.fault(at, "%s: nested deeper than %d", key, maxDepth)
		return &node{from: r.from}
	}
	out := &node{from: r.from, line: 1, column: 1 + r.shift}
	if at != nil {
		out.line, out.column = r.place(at)
	}
	if n == nil || n.GetToken() == nil {
		return out
	}
	pos := n.GetToken().Position
	out.line, out.column = r.place(pos)
	out.text = n.GetToken().Value
	switch n := n.(type) {
	case *ast.NullNode:
	case *ast.BoolNode:
		out.kind = boolean
	case *ast.IntegerNode:
		out.kind = whole
	case *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		out.kind = real
	case *ast.StringNode:
		out.kind, out.text, out.plain = text, n.Value, n.Token.Type == token.StringType
	case *ast.LiteralNode:
		out.kind, out.text = text, n.Value.Value
	case *ast.SequenceNode:
		out.kind, out.text = list, ""
		for _, v := range n.Values {
			out.items = append(out.items, r.value(v, pos, key, depth+1))
		}
	case *ast.MappingNode:
		out.text = ""
		r.mapping(out, n.Values, key, depth)
	case *ast.MappingValueNode:
		out.text = ""
		r.mapping(out, []*ast.MappingValueNode{n}, key, depth)
	default:
		r.fault(pos, "%s: %s is not supported", key, n.Type())
	}
	return out
}

// mapping fills a map. Its place is that of its first key.
func (r *reader) mapping(out *node, values []*ast.MappingValueNode, key string, depth int) {
	out.kind = mapping
	seen := make(map[string]entry, len(values))
	for i, v := range values {
		k, ok := v.Key.(ast.Node).(*ast.StringNode)
		pos := v.Key.GetToken().Position
		line, column := r.place(pos)
		if i == 0 && out.line >= line {
			out.line, out.column = line, min(column, out.column)
		}
		name := v.Key.GetToken().Value
		if ok {
			name = k.Value
		} else if _, scalar := v.Key.(ast.Node).(ast.ScalarNode); !scalar {
			r.fault(pos, "a key is a text")
			continue
		}
		if old, ok := seen[name]; ok {
			r.fault(pos, "%s: written twice; first in line %d", join(key, name), old.line)
			continue
		}
		e := entry{name: name, line: line, column: column, value: r.value(v.Value, pos, join(key, name), depth+1)}
		seen[name] = e
		out.entries = append(out.entries, e)
	}
}
