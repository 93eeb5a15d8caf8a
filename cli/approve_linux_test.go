package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/cli"
	"github.com/proemhq/proem/internal/filetest"
)

// What is asked is shown each time, also with --quiet and where the host uses an id
// of a call again, and only what is entered behind the question answers it.
func TestApprovals(t *testing.T) {
	environ := []string{"HOME=" + t.TempDir(), "NO_COLOR=1"}
	chat := program(t, environ, "chat", "--quiet", "--trust", "none", "--model", "scripted:x", "--set", "scripted.file=script.yaml")
	script := `
turns:
  - calls: [{tool: write_file, id: c1, args: {path: a.txt, content: "first text\n"}}]
  - text: "first done"
  - calls: [{tool: write_file, id: c1, args: {path: a.txt, content: "second text\n"}}]
    delay: 500ms
  - text: "second done"
  - calls: [{tool: edit_file, id: c1, args: {path: a.txt, old: "text", new: "word", all: true}}]
  - text: "third done"
`
	if err := os.WriteFile(filepath.Join(chat.Dir, "script.yaml"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	term := start(t, chat)
	term.await(t, "> ", 1)
	term.enter("one\n")
	term.await(t, "? may write_file run? ", 1)
	term.await(t, "+first text", 1)
	term.await(t, "allow? ", 1)
	term.enter("y\n")
	term.await(t, "first done", 1)
	term.await(t, "\n> ", 1)
	term.enter("two\ny\na\n")
	term.await(t, "+second text", 1)
	term.await(t, "entered before this question", 1)
	term.await(t, "allow? ", 2)
	if data, err := os.ReadFile(filepath.Join(chat.Dir, "a.txt")); string(data) != "first text\n" {
		t.Errorf("the file holds %q (%v)", data, err)
	}
	term.enter("n\n")
	term.await(t, "second done", 1)
	term.enter("three\n")
	term.await(t, "at each place", 1)
	term.await(t, "allow? ", 3)
	term.enter("\x04")
	term.exit(t, cli.ExitOK)
	if strings.Count(term.String(), "+first text") != 1 {
		t.Errorf("printed:\n%s", term)
	}
}

// The letters that answer other questions answer those of a subagent too.
func TestApprovalOfSubagent(t *testing.T) {
	chat := program(t, []string{"HOME=" + t.TempDir(), "NO_COLOR=1"}, "chat", "--trust", "project", "--model", "scripted:x", "--set", "scripted.file=script.yaml")
	filetest.Write(t, chat.Dir, map[string]string{
		".proem/subagents/writer.md": "---\nname: writer\ndescription: writes\n---\nWrite it.\n",
		"script.yaml": `
turns:
  - calls: [{tool: agent_spawn, args: {agent: writer, task: go}}]
  - calls: [{tool: write_file, args: {path: a.txt, content: "text\n"}}]
  - text: "child done"
  - text: "parent done"
`})
	term := start(t, chat)
	term.await(t, "> ", 1)
	term.enter("one\n")
	term.await(t, "answer: ", 1)
	term.enter("y\n")
	term.await(t, "parent done", 1)
	term.enter("\x04")
	term.exit(t, cli.ExitOK)
	if data, err := os.ReadFile(filepath.Join(chat.Dir, "a.txt")); string(data) != "text\n" {
		t.Errorf("the file holds %q (%v)\n%s", data, err, term)
	}
}
