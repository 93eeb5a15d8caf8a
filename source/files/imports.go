package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/internal/markdown"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
)

// DefaultImportDepth is how deep imports may lie within each other.
const DefaultImportDepth = 5

// look is one question that imports put to the disk, and the answer. As long as
// all answers are the same, so is the result.
type look struct {
	root *place
	name string
	file *load.File // nil: not read
	code string     // why not
}

// question is what a look asks.
type question struct {
	kind int // of the root
	name string
}

// block is an imported text that stands after the file that names it.
type block struct {
	file *load.File
	name string // of its document
	text span.Text
}

// expansion is one file with its imports.
type expansion struct {
	w      *walk
	d      *found
	room   int // of the budget; once it is used up nothing more is read
	used   int
	unread int // imports that there was no room for
	blocks []block
	diags  []prompt.Diagnostic
}

// expand returns the text of a document with its imports in place.
func (w *walk) expand(d *found, room int) (span.Text, *expansion) {
	x := &expansion{w: w, d: d, room: room, used: len(d.file.Text)}
	return x.file(d.name, d.file, []*load.File{d.file}), x
}

// file returns the text of a file in which every import that stands alone on its
// line is replaced. chain is the way to it, itself last.
func (x *expansion) file(section string, f *load.File, chain []*load.File) span.Text {
	text := f.Spans(span.Origin{Section: section, Source: "file", Path: f.Path, Trust: x.d.trust})
	var out span.Text
	at := 0
	for _, e := range x.edits(f) {
		if e.comment {
			out = append(out, text.Slice(at, e.lo)...)
			at = e.hi
			continue
		}
		imported := x.load(f, e.token, chain)
		if imported == nil {
			continue
		}
		x.used += len(imported.Text)
		deeper := append(chain[:len(chain):len(chain)], imported)
		if !e.alone {
			b := block{file: imported, name: x.d.nameOf(imported)}
			i := len(x.blocks)
			x.blocks = append(x.blocks, b)
			x.blocks[i].text = x.file(b.name, imported, deeper)
			continue
		}
		inner := x.file(section, imported, deeper)
		out = append(out, text.Slice(at, e.lineLo)...)
		out = append(out, inner...)
		at = e.lineHi
		if n := len(inner); n > 0 && !strings.HasSuffix(inner[n-1].Text, "\n") {
			at = e.hi // keeps what ends the line
		}
	}
	if at == 0 {
		return text
	}
	return append(out, text.Slice(at, len(f.Text))...)
}

// nameOf names the document of a file that d imports: the user's by the way to it
// from the user's own file.
func (d *found) nameOf(f *load.File) string {
	if d.trust != span.User {
		return "project:" + f.Name
	}
	rel, err := filepath.Rel(path.Dir(d.file.Name), f.Name)
	if err != nil {
		rel = f.Name
	}
	return "user:" + filepath.ToSlash(rel)
}

// edit is a comment that is dropped or a token that may be an import.
type edit struct {
	token
	comment bool
}

// edits returns what may change in a file, ascending.
func (x *expansion) edits(f *load.File) []edit {
	s := f.Text
	follow := x.w.cfg.ImportDepth > 0 && strings.Contains(s, "@")
	strip := x.w.cfg.StripComments && strings.Contains(s, "<!--")
	if !follow && !strip {
		return nil
	}
	var out []edit
	m := markdown.Scan(s)
	hidden := m.Code
	if strip {
		for _, c := range m.Comments {
			out = append(out, edit{token{lo: c.Lo, hi: wholeLine(s, c)}, true})
		}
		hidden = slices.Concat(m.Code, m.Comments)
		slices.SortFunc(hidden, func(a, b markdown.Range) int { return a.Lo - b.Lo })
	}
	if follow {
		for _, t := range tokens(s, hidden) {
			out = append(out, edit{t, false})
		}
	}
	slices.SortFunc(out, func(a, b edit) int { return a.lo - b.lo })
	return out
}

// wholeLine returns the end of a comment, after the line end if the comment has
// its lines to itself.
func wholeLine(s string, c markdown.Range) int {
	if (c.Lo == 0 || s[c.Lo-1] == '\n') && c.Hi < len(s) && s[c.Hi] == '\n' {
		return c.Hi + 1
	}
	return c.Hi
}

// load reads what a token imports. It is nil if the token stays text: because it
// is no import, or because of what a diagnostic says.
func (x *expansion) load(by *load.File, t token, chain []*load.File) *load.File {
	name, ok := x.resolve(by, t.path)
	ok = ok && !load.InGit(name)
	sure := looksLikeFile(t.path) // otherwise it is an import only if it is there
	switch {
	case !ok && sure:
		x.report(by, t, prompt.Warning, "import.outside_root", "leads out of the project's files; not read")
		return nil
	case !ok:
		return nil
	case x.used > x.room:
		if sure {
			x.unread++
		}
		return nil
	case len(chain) > x.w.cfg.ImportDepth:
		if sure {
			x.report(by, t, prompt.Warning, "import.depth", fmt.Sprintf("lies more than %d imports deep; not read", x.w.cfg.ImportDepth))
		}
		return nil
	}
	f, code := x.w.ask(x.d.root, name)
	if code != "" && !sure {
		return nil
	}
	switch code {
	case "":
	case "doc.missing", "doc.broken_link":
		x.report(by, t, prompt.Warning, "import.missing", "does not exist")
		return nil
	case "doc.outside_root":
		x.report(by, t, prompt.Warning, "import.outside_root", "leads out of the project's files; not read")
		return nil
	default:
		x.report(by, t, prompt.Warning, "import"+strings.TrimPrefix(code, "doc"), "cannot be read as a regular file")
		return nil
	}
	for i, c := range chain {
		if c.Same(f) {
			x.report(by, t, prompt.Warning, "import.cycle", "closes a circle: "+way(chain[i:], f))
			return nil
		}
	}
	if x.w.seen(f) {
		x.report(by, t, prompt.Info, "import.repeated", "is in the prompt already")
		return nil
	}
	x.w.imported = append(x.w.imported, f)
	x.diags = append(x.diags, f.Diagnostics...)
	return f
}

// resolve returns the name below the root that a path in a file means.
func (x *expansion) resolve(by *load.File, p string) (string, bool) {
	local := filepath.FromSlash(p)
	switch {
	case strings.HasPrefix(p, "~"):
		return "", false
	case filepath.IsAbs(local):
		rel, err := filepath.Rel(x.d.root.dir, local)
		return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
	}
	name := path.Join(path.Dir(by.Name), p)
	return name, filepath.IsLocal(filepath.FromSlash(name))
}

func (x *expansion) report(by *load.File, t token, s prompt.Severity, code, what string) {
	x.diags = append(x.diags, prompt.Diagnostic{
		Severity: s,
		Code:     code,
		Path:     by.Path,
		Line:     1 + strings.Count(by.Text[:t.lo], "\n"),
		Column:   t.lo - t.lineLo + 1,
		Offset:   by.Offset(t.lo),
		Message:  "@" + t.path + " " + what,
	})
}

// way names the files of a circle.
func way(chain []*load.File, last *load.File) string {
	names := make([]string, 0, len(chain)+1)
	for _, f := range append(chain[:len(chain):len(chain)], last) {
		names = append(names, f.Name)
	}
	return strings.Join(names, " → ")
}

// seen reports whether a file is a document or was imported already.
func (w *walk) seen(f *load.File) bool {
	for i := range w.docs {
		if w.docs[i].file.Same(f) {
			return true
		}
	}
	for _, g := range w.imported {
		if g.Same(f) {
			return true
		}
	}
	return false
}

// ask loads a file and remembers the answer, so that a name that occurs often is
// looked up once. Why it is not there is told by a code.
func (w *walk) ask(root *place, name string) (*load.File, string) {
	k := question{root.kind, name}
	if i, ok := w.asked[k]; ok {
		return w.looks[i].file, w.looks[i].code
	}
	f, code := w.answer(root, name)
	if w.asked == nil {
		w.asked = map[question]int{}
	}
	w.asked[k] = len(w.looks)
	w.looks = append(w.looks, look{root, name, f, code})
	return f, code
}

func (w *walk) answer(root *place, name string) (*load.File, string) {
	f, err := w.loader.Load(root.open, name, w.rawMax())
	var no *load.Refusal
	switch {
	case errors.As(err, &no):
		return nil, no.Diagnostic.Code
	case errors.Is(err, fs.ErrNotExist):
		return nil, "doc.missing"
	case err != nil:
		return nil, "doc.unreadable"
	}
	if target, _ := w.stub(root.open, f); target != nil {
		f = target
	}
	return f, ""
}

// holds reports whether the disk still answers as it did.
func (w *walk) holds(looks []look) bool {
	for _, l := range looks {
		root := w.roots[l.root.kind]
		if root == nil {
			return false
		}
		if f, code := w.answer(root, l.name); f != l.file || code != l.code {
			return false
		}
	}
	return true
}
