package cli

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	udiff "github.com/aymanbagabas/go-udiff"

	"github.com/proemhq/proem/chat"
)

// maxChange is how many lines of a change are shown.
const maxChange = 40

// maxChanged is how long a file may be whose change is shown.
const maxChanged = 256 << 10

// changeOf returns what a call of write_file or edit_file would change, as a
// unified difference; empty: it is no such call, or nothing can be shown. It reads
// the file as it is now.
func (b *bench) changeOf(call *chat.ToolCall) string {
	var a struct {
		Path, Content, Old, New string
		All                     bool
	}
	if call.Name != "write_file" && call.Name != "edit_file" || json.Unmarshal(call.Args, &a) != nil || a.Path == "" {
		return ""
	}
	before, after := a.Old, a.New
	if call.Name == "write_file" {
		after = a.Content
		var ok bool
		if before, ok = b.present(a.Path); !ok {
			return ""
		}
	}
	if len(before)+len(after) > maxChanged {
		return ""
	}
	name := visibleLine(a.Path)
	from := "a/" + name
	if before == "" {
		from = "/dev/null"
	}
	text, err := udiff.ToUnified(from, "b/"+name, before, edits(before, after), 3)
	if err != nil {
		return ""
	}
	text = strings.ReplaceAll(text, "\\ No newline at end of file\n", "") // of a piece of a file it says nothing
	lines := strings.SplitAfter(text, "\n")
	if n := len(lines) - maxChange; n > 1 {
		lines = append(lines[:maxChange], "… "+plural(n, "more line")+"\n")
	}
	text = strings.Join(lines, "")
	if a.All && call.Name == "edit_file" {
		text += "… at each place in the file where that stands\n"
	}
	return text
}

// present returns what a file of the project holds now, nothing if it does not
// exist. Not ok: it cannot be shown, or lies elsewhere.
func (b *bench) present(path string) (text string, ok bool) {
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(b.place.root, path)
		if err != nil {
			return "", false
		}
		path = rel
	}
	root, err := b.env.Files.OpenRoot(b.place.root)
	if err != nil {
		return "", false
	}
	defer root.Close()
	f, err := root.Open(filepath.ToSlash(path))
	if err != nil {
		return "", errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxChanged+1))
	return string(data), err == nil && len(data) <= maxChanged && utf8.Valid(data)
}
