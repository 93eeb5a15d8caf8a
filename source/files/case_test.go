package files_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/files"
)

// TestCase holds the acceptance cases that this source alone decides.
func TestCase(t *testing.T) {
	t.Run("C01", func(t *testing.T) {
		dir := tree(t, map[string]string{"w/.git/": "", "h/AGENTS.md": "U\n", "w/AGENTS.md": "R\n", "w/svc/AGENTS.md": "S\n", "w/svc/api/AGENTS.md": "A\n"})
		f := read(t, files.Config{Cwd: filepath.Join(dir, "w", "svc", "api"), UserFile: filepath.Join(dir, "h", "AGENTS.md")})
		same(t, "docs", docs(f), []string{"user:AGENTS.md: U\n", "project:AGENTS.md: R\n", "project:svc/AGENTS.md: S\n", "project:svc/api/AGENTS.md: A\n"})
		same(t, "path", f.Docs[2].Path, filepath.Join(dir, "w", "svc", "AGENTS.md"))
		same(t, "diagnostics", diags(dir, f), nil)
	})
	t.Run("C02", func(t *testing.T) {
		dir := tree(t, map[string]string{"AGENTS.md": "ABOVE\n", "proj/.git/": "", "proj/AGENTS.md": "ROOT\n", "proj/pkg/": ""})
		f := read(t, files.Config{Cwd: filepath.Join(dir, "proj", "pkg")})
		same(t, "docs", docs(f), []string{"project:AGENTS.md: ROOT\n"})
	})
	t.Run("C04", func(t *testing.T) {
		dir := tree(t, map[string]string{".proem-root": "", "AGENTS.md": "OUTER\n", "sub/.git": "gitdir: ../.git/modules/sub\n", "sub/AGENTS.md": "SUB\n", "sub/lib/": ""})
		lib := filepath.Join(dir, "sub", "lib")
		same(t, "git", docs(read(t, files.Config{Cwd: lib})), []string{"project:AGENTS.md: SUB\n"})
		f := read(t, files.Config{Cwd: lib, Markers: []string{".proem-root"}})
		same(t, "marker", docs(f), []string{"project:AGENTS.md: OUTER\n", "project:sub/AGENTS.md: SUB\n"})
	})
	t.Run("C06", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "SAME\n"})
		link(t, "AGENTS.md", filepath.Join(dir, "CLAUDE.md"))
		for _, all := range []bool{true, false} {
			f := read(t, files.Config{Cwd: dir, Fallbacks: []string{"CLAUDE.md"}, LoadAll: all})
			same(t, "docs", docs(f), []string{"project:AGENTS.md: SAME\n"})
			same(t, "aliases", f.Docs[0].Aliases, []string{filepath.Join(dir, "CLAUDE.md")})
			same(t, "notes", len(f.Notes), 0)
		}
	})
	t.Run("C07", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "AGENTS.override.md": " \n\t\n", "AGENTS.md": "REAL\n"})
		f := read(t, files.Config{Cwd: dir})
		same(t, "docs", docs(f), []string{"project:AGENTS.md: REAL\n"})
		same(t, "diagnostics", diags(dir, f), []string{"info doc.blank AGENTS.override.md"})
		filetest.Must(t, os.WriteFile(filepath.Join(dir, "AGENTS.override.md"), []byte("OV\n"), 0o666))
		f = read(t, files.Config{Cwd: dir})
		same(t, "docs", docs(f), []string{"project:AGENTS.override.md: OV\n"})
		same(t, "note", f.Notes[0].Reason, "shadowed by AGENTS.override.md")
	})
	t.Run("C08", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "agents.md": "lower\n"})
		if _, err := os.Stat(filepath.Join(dir, "AGENTS.md")); err == nil {
			t.Skip("the file system ignores case")
		}
		f := read(t, files.Config{Cwd: dir, Fallbacks: []string{"agents.md"}})
		same(t, "docs", docs(f), []string{"project:agents.md: lower\n"})
		same(t, "diagnostics", diags(dir, f), nil)
		f = read(t, files.Config{Cwd: dir})
		same(t, "docs", docs(f), nil)
		same(t, "diagnostics", diags(dir, f), []string{"info doc.case agents.md"})
		same(t, "message", f.Diagnostics[0].Message, "found agents.md; expected AGENTS.md")
	})
	t.Run("C13", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "\xef\xbb\xbfKeep it short.\n"})
		f := read(t, files.Config{Cwd: dir})
		same(t, "docs", docs(f), []string{"project:AGENTS.md: Keep it short.\n"})
		same(t, "offset", f.Docs[0].Spans[0].Off, 3)
		same(t, "diagnostics", diags(dir, f), nil)
	})
	t.Run("C15", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "one\r\ntwo\r\n"})
		f := read(t, files.Config{Cwd: dir})
		same(t, "docs", docs(f), []string{"project:AGENTS.md: one\ntwo\n"})
		same(t, "diagnostics", diags(dir, f), nil)
	})
	t.Run("C17", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "caf\xe9 rules\n"})
		f := read(t, files.Config{Cwd: dir})
		same(t, "docs", docs(f), []string{"project:AGENTS.md: caf\ufffd rules\n"})
		same(t, "diagnostics", diags(dir, f), []string{"warning doc.invalid_utf8 AGENTS.md"})
		same(t, "offset", f.Diagnostics[0].Offset, 3)
	})
	t.Run("C18", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "A\n\n\n\nB\n"})
		same(t, "docs", docs(read(t, files.Config{Cwd: dir})), []string{"project:AGENTS.md: A\n\n\n\nB\n"})
	})
	t.Run("C19", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "CLAUDE.md": "AGENTS.md", "AGENTS.md": "REAL\n"})
		f := read(t, files.Config{Cwd: dir, Names: []string{"CLAUDE.md"}})
		same(t, "docs", docs(f), []string{"project:CLAUDE.md: REAL\n"})
		same(t, "diagnostics", diags(dir, f), []string{"warning doc.symlink_stub CLAUDE.md"})
		same(t, "path", f.Docs[0].Path, filepath.Join(dir, "AGENTS.md"))
		same(t, "aliases", f.Docs[0].Aliases, []string{filepath.Join(dir, "CLAUDE.md")})
	})
	t.Run("C37", func(t *testing.T) {
		dir := tree(t, map[string]string{"h/key": "TOPSECRET\n", "w/.git/": ""})
		link(t, filepath.Join(dir, "h", "key"), filepath.Join(dir, "w", "AGENTS.md"))
		f := read(t, files.Config{Cwd: filepath.Join(dir, "w")})
		same(t, "docs", docs(f), nil)
		same(t, "diagnostics", diags(dir, f), []string{"error doc.outside_root w/AGENTS.md"})
		if strings.Contains(f.Diagnostics[0].Message, "TOPSECRET") {
			t.Error("the message shows content")
		}
	})
	t.Run("C40", func(t *testing.T) {
		kept := "ok 👩\u200d👧 🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F\n"
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "Format JSON.\U000E0049\U000E0047\U000E004E\U000E004F\U000E0052\U000E0045\nzero\u200bwidth \u202ertl\n" + kept})
		f := read(t, files.Config{Cwd: dir})
		same(t, "docs", docs(f), []string{"project:AGENTS.md: Format JSON.\nzerowidth rtl\n" + kept})
		same(t, "message", f.Diagnostics[0].Message,
			`removed invisible characters: 6 tag characters that spell "IGNORE" at byte 12; U+200B at byte 41; U+202E at byte 50`)
	})
	t.Run("C41", func(t *testing.T) {
		text := "token: sk-test-" + strings.Repeat("0", 40) + "\n"
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": text})
		f := read(t, files.Config{Cwd: dir})
		same(t, "docs", docs(f), []string{"project:AGENTS.md: " + text})
		same(t, "diagnostics", diags(dir, f), []string{"warning doc.secret_like AGENTS.md"})
		same(t, "message", f.Diagnostics[0].Message, "looks like a secret: sk-…[redacted 48]")
	})
	t.Run("C43", func(t *testing.T) {
		text := "async ({ page }) => {}\n{{city}} ${expr} {\"a\": 1} %s\n"
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": text})
		f := read(t, files.Config{Cwd: dir})
		same(t, "docs", docs(f), []string{"project:AGENTS.md: " + text})
		same(t, "template", f.Docs[0].Spans[0].Template, false)
	})
	t.Run("C81", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "a/b/c/": "", "AGENTS.md": "R\n", "node_modules/p/lib/AGENTS.md": "N"})
		counters := &env.Counters{}
		f, err := files.New(files.Config{Env: &env.Env{Count: counters}, Cwd: filepath.Join(dir, "a", "b", "c")}).Read(context.Background(), source.Query{})
		filetest.Must(t, err)
		same(t, "docs", docs(f), []string{"project:AGENTS.md: R\n"})
		if n := counters.Opens.Load() + counters.ReadDirs.Load(); n >= 20 {
			t.Errorf("%d opens", n)
		}
	})
}
