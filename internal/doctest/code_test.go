package doctest_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCode checks that every block of Go is the code of a file in the module,
// which is built and tested with it.
func TestCode(t *testing.T) {
	for _, name := range checked(t) {
		d, changed := read(t, name), false
		for _, p := range d.pieces {
			if p.lang != "go" {
				continue
			}
			spec, ok := strings.CutPrefix(p.marker, "code:")
			if !ok {
				t.Errorf("%s:%d: a block of Go without a marker: put its code into a tested file and name it", name, p.line)
				continue
			}
			want, err := code(strings.Fields(spec))
			if err != nil {
				t.Errorf("%s:%d: %v", name, p.line, err)
				continue
			}
			changed = d.settle(t, p, want) || changed
		}
		if changed {
			d.write(t)
		}
	}
}

// code returns a file's text, or that of some of its declarations in the order
// asked for.
func code(spec []string) (string, error) {
	if len(spec) == 0 {
		return "", fmt.Errorf("the marker names no file")
	}
	src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(spec[0])))
	if err != nil {
		return "", err
	}
	src = []byte(strings.ReplaceAll(string(src), "\r\n", "\n"))
	if len(spec) == 1 {
		return string(src), nil
	}
	places, err := declarations(spec[0], src)
	if err != nil {
		return "", err
	}
	parts := make([]string, 0, len(spec)-1)
	for _, n := range spec[1:] {
		p, ok := places[n]
		if !ok {
			return "", fmt.Errorf("%s does not declare %s", spec[0], n)
		}
		parts = append(parts, string(src[p[0]:p[1]])+"\n")
	}
	return strings.Join(parts, "\n"), nil
}

// declarations returns where the declarations of a file begin and end, comments
// included. A method is named "Type.Method".
func declarations(name string, src []byte) (map[string][2]int, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	out := map[string][2]int{}
	put := func(name string, doc *ast.CommentGroup, n ast.Node) {
		from := n.Pos()
		if doc != nil {
			from = doc.Pos()
		}
		out[name] = [2]int{fset.Position(from).Offset, fset.Position(n.End()).Offset}
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = receiver(d.Recv.List[0].Type) + "." + name
			}
			put(name, d.Doc, d)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					put(s.Name.Name, d.Doc, d)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						put(n.Name, d.Doc, d)
					}
				}
			}
		}
	}
	return out, nil
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
