// Package envfacts is the source of what a model should know about the machine
// and the place it works in: the operating system, the project's root and the
// working directory. Its folder is source/env; the name keeps it apart from
// package env, the seam to the machine.
//
//	src := envfacts.New(envfacts.Config{Root: "/w", Cwd: "/w/svc"})
//	fact, _ := src.Read(ctx, source.Query{})
//	fact.Text
//	// Operating system: linux (amd64)
//	// Project root: /w
//	// Working directory: /w/svc
//
// Absolute paths differ from machine to machine, so a fact that holds one is of
// class turn. With Relative set it holds none and is of class session.
package envfacts

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/span"
)

// A Config says what is told. The zero value tells the operating system only.
type Config struct {
	OS   string // empty: that of the program
	Arch string // empty: that of the program
	Root string // absolute; empty: not told
	Cwd  string // absolute; empty: not told
	// Relative tells the working directory relative to the root, and the root not
	// at all.
	Relative bool
	// Paths says how paths are meant and names the root, as a vfs.Space describes it;
	// it takes the place of Root. Empty: not told, and so with Relative.
	Paths string
}

// New returns a source of what c describes. The fact never changes.
func New(c Config) source.Source {
	fact, err := c.fact()
	return source.Func(func(context.Context, source.Query) (prompt.Fact, error) { return fact, err })
}

func (c Config) fact() (prompt.Fact, error) {
	f := prompt.Fact{Class: prompt.Session}
	if c.OS == "" {
		c.OS = runtime.GOOS
	}
	if c.Arch == "" {
		c.Arch = runtime.GOARCH
	}
	lines := []string{fmt.Sprintf("Operating system: %s (%s)", c.OS, c.Arch)}
	switch {
	case c.Relative && c.Cwd != "":
		rel, err := filepath.Rel(c.Root, c.Cwd)
		if err != nil || !filepath.IsLocal(rel) {
			return prompt.Fact{}, fmt.Errorf("source env: working directory %s does not lie below the root %s", c.Cwd, c.Root)
		}
		where := "the project root"
		if rel != "." {
			where = show(filepath.ToSlash(rel)) + ", relative to the project root"
		}
		lines = append(lines, "Working directory: "+where)
		f.Trust = span.Project // its names come with the project
	case !c.Relative:
		if c.Root != "" && c.Paths == "" {
			lines = append(lines, "Project root: "+show(c.Root))
		}
		if c.Cwd != "" {
			lines = append(lines, "Working directory: "+show(c.Cwd))
		}
		if paths := strings.TrimSpace(c.Paths); paths != "" {
			lines = append(lines, paths)
		}
		if len(lines) > 1 {
			f.Class, f.Trust = prompt.Turn, span.Project
		}
	}
	f.Text = strings.Join(lines, "\n")
	return f, nil
}

// show returns a path that stays on its line: one with control characters, or
// with characters that cannot be seen, is quoted.
func show(p string) string {
	if textnorm.String(p) == p && !strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || !strconv.IsPrint(r) }) {
		return p
	}
	return strconv.QuoteToASCII(p)
}
