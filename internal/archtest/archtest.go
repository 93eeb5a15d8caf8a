// Package archtest checks which package imports which.
//
// The architecture is a table of rows, one for each area of the module: where
// its arrows lead, and whether it is pure. An arrow permits all it reaches. The
// test of this package holds the table of proem and fails, with a sentence for
// each import, when the code says something else; the same functions work for
// any table and tree.
//
//	rows := []archtest.Row{
//		{Path: "span", Pure: true},
//		{Path: "prompt", Pure: true, To: []string{"span"}},
//		{Path: "agent", To: []string{"prompt"}},
//	}
//	packages, err := archtest.Load(root)
//	for _, problem := range archtest.Check("example.com/m", rows, packages) {
//		t.Error(problem)
//	}
//
// Imports of tests are not looked at: a test may use what it likes.
package archtest

import (
	"fmt"
	"slices"
	"strings"
)

// A Row says what the packages of one area may import.
type Row struct {
	// Path is a folder of the module. The row covers the package there and all
	// below it, except where a longer path has a row of its own. Packages of one
	// row may import each other. "." is the package at the root alone.
	Path string
	// Pure says that the packages import nothing but the standard library, without
	// what reads the world or keeps state, and other pure packages.
	Pure bool
	// Common says that packages of all rows may import these, pure ones only if
	// these are pure as well.
	Common bool
	// To lists the rows to which an arrow leads.
	To []string
}

// Impure is what pure packages do not import, each with all packages below it.
var Impure = []string{"C", "context", "crypto/rand", "math/rand", "net", "os", "sync", "syscall", "time"}

// A Package is a package of the module with the imports of its files.
type Package struct {
	Path    string // relative to the module; "." is the root
	Imports []Import
}

// An Import is one import in a file that is not a test.
type Import struct {
	Path string // as written
	File string // relative to the root
}

// Check returns a sentence for each package without a row and for each import
// that the table does not permit, in order.
func Check(module string, rows []Row, packages []Package) []string {
	c := checker{module: module, rows: rows}
	problems := c.table()
	for _, p := range packages {
		problems = append(problems, c.check(p)...)
	}
	return problems
}

type checker struct {
	module string
	rows   []Row
}

// table checks the table by itself.
func (c *checker) table() (problems []string) {
	for i, r := range c.rows {
		if slices.ContainsFunc(c.rows[:i], func(o Row) bool { return o.Path == r.Path }) {
			problems = append(problems, fmt.Sprintf("the table has two rows for %s", r.Path))
		}
		for _, to := range r.To {
			switch {
			case c.named(to) == nil:
				problems = append(problems, fmt.Sprintf("the row of %s has an arrow to %s, which has no row", r.Path, to))
			case r.Pure && !c.named(to).Pure:
				problems = append(problems, fmt.Sprintf("%s is pure but has an arrow to %s, which is not", r.Path, to))
			case slices.Contains(c.reach(to), r.Path):
				problems = append(problems, fmt.Sprintf("the arrows from %s to %s lead back to %s", r.Path, to, r.Path))
			}
		}
	}
	return problems
}

func (c *checker) check(p Package) (problems []string) {
	row := c.row(p.Path)
	if row == nil {
		return []string{fmt.Sprintf("package %s has no row in the table of arrows: add a row that says what it may import", p.Path)}
	}
	allowed := c.reach(row.Path)
	for _, i := range p.Imports {
		own, ok := c.own(i.Path)
		if !ok {
			if why := foreign(row, i.Path); why != "" {
				problems = append(problems, fmt.Sprintf("package %s imports %s in %s: %s", p.Path, i.Path, i.File, why))
			}
			continue
		}
		to := c.row(own)
		switch {
		case to == nil: // reported for the package itself
		case to.Common && (to.Pure || !row.Pure):
		case !slices.Contains(allowed, to.Path):
			problems = append(problems, fmt.Sprintf("package %s imports %s in %s: no arrow leads from %s to %s; %s",
				p.Path, own, i.File, row.Path, to.Path, permits(row, allowed)))
		}
	}
	return problems
}

func permits(row *Row, allowed []string) string {
	var others []string
	for _, a := range allowed {
		if a != row.Path {
			others = append(others, a)
		}
	}
	if len(others) == 0 {
		return "it may import no other package of the module"
	}
	return "it may import " + strings.Join(others, ", ")
}

// foreign says why a row may not import a package from outside the module.
func foreign(row *Row, path string) string {
	if !row.Pure {
		return ""
	}
	for _, bad := range Impure {
		if within(path, bad) {
			return row.Path + " is pure and uses nothing of " + bad
		}
	}
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		return row.Path + " is pure and uses the standard library only"
	}
	return ""
}

// own returns the path below the module, "." for its root.
func (c *checker) own(path string) (string, bool) {
	if path == c.module {
		return ".", true
	}
	return strings.CutPrefix(path, c.module+"/")
}

// row returns the row that covers a package: that with the longest path.
func (c *checker) row(path string) (best *Row) {
	for i := range c.rows {
		r := &c.rows[i]
		if within(path, r.Path) && (best == nil || len(r.Path) > len(best.Path)) {
			best = r
		}
	}
	return best
}

func (c *checker) named(path string) *Row {
	for i := range c.rows {
		if c.rows[i].Path == path {
			return &c.rows[i]
		}
	}
	return nil
}

// reach returns the row itself and all rows that its arrows lead to, sorted.
func (c *checker) reach(path string) []string {
	seen := []string{path}
	for i := 0; i < len(seen); i++ {
		if r := c.named(seen[i]); r != nil {
			for _, to := range r.To {
				if !slices.Contains(seen, to) {
					seen = append(seen, to)
				}
			}
		}
	}
	slices.Sort(seen)
	return seen
}

// within reports whether a path is dir or below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+"/")
}
