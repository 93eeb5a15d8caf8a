package fs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/proemhq/proem/internal/textedit"
	"github.com/proemhq/proem/tool"
)

// MaxEdit is the most bytes of a file that edit_file changes.
const MaxEdit = 8 << 20

// maxPlaces is how many places of an ambiguous edit are named.
const maxPlaces = 10

// EditFile returns the tool edit_file{path, old, new, all?}: it replaces text
// that stands in a file exactly once, or with all each time it stands there.
//
// The file must have been read in the session and be as it was read. Its
// encoding, byte order mark, line ends and every byte outside the edit are kept.
func EditFile(c Config) tool.Tool {
	t := editFile{newPlace(c)}
	return tool.Must(tool.Make(tool.Def[editArgs]{
		Name: "edit_file",
		Description: "Replaces text in a file that was read before. old must stand in the file exactly once, with its white space; " +
			"repeat lines around it to make it unique. Encoding and line ends are kept.",
		Call: func(ctx context.Context, a editArgs) (tool.Result, error) {
			r, err := t.edit(ctx, a)
			return answer(ctx, "edit_file", r, err)
		},
		Effect: func(ctx context.Context, a editArgs) tool.Effect { return t.effect(ctx, a.Path, false) },
	}))
}

type editArgs struct {
	Path string `json:"path" description:"The file, relative to the project root."`
	Old  string `json:"old" description:"The text to replace, exactly as read_file shows it."`
	New  string `json:"new" description:"What shall stand there."`
	All  bool   `json:"all,omitempty" description:"Replace each place where old stands."`
}

type editFile struct{ place }

func (t editFile) edit(ctx context.Context, a editArgs) (tool.Result, error) {
	switch {
	case a.Old == "":
		return tool.Result{}, errors.New("old is empty; repeat the text next to which something shall be inserted, or make a file with write_file")
	case a.Old == a.New:
		return tool.Result{}, errors.New("old and new are equal; there is nothing to change")
	}
	if l := t.cfg.Ledger; l != nil {
		l.change.Lock()
		defer l.change.Unlock()
	}
	to, err := t.target(ctx, a.Path)
	if err != nil {
		return tool.Result{}, err
	}
	defer to.root.Close()
	if !to.exists() {
		return tool.Result{}, fmt.Errorf("%s does not exist%s; write_file makes a file", to.asked, similar(to.root, to.at.Name))
	}
	raw, sum, err := to.content(MaxEdit)
	if err != nil {
		return tool.Result{}, err
	}
	if t.cfg.Ledger != nil {
		switch t.cfg.Ledger.knows(tool.Session(ctx), to.at.Path(), to.info, sum) {
		case unread:
			return tool.Result{}, fmt.Errorf("%s was not read in this session; read it with read_file first", to.asked)
		case stale:
			return tool.Result{}, errStale(to.asked)
		}
	}
	d, err := textedit.Parse(raw)
	if err != nil {
		return tool.Result{}, fmt.Errorf("%s is not edited: %w", to.asked, err)
	}
	at, err := t.find(d, to.asked, a)
	if err != nil {
		return tool.Result{}, err
	}
	data, err := d.Replace(at, a.Old, a.New)
	if err != nil {
		return tool.Result{}, fmt.Errorf("%s is not edited: %w", to.asked, err)
	}
	return t.put(ctx, to, data, fmt.Sprintf("edited %s at %s", to.asked, places(d, at)))
}

// find returns where to edit.
func (t editFile) find(d *textedit.Doc, asked string, a editArgs) ([]int, error) {
	at := d.Find(a.Old)
	switch {
	case len(at) == 0:
		hint := d.Near(a.Old)
		if hint == "" {
			hint = "nothing in it is like it"
		}
		return nil, fmt.Errorf("old does not stand in %s; %s", asked, hint)
	case a.All:
		return apart(at, len(textedit.Shown(a.Old))), nil
	case len(at) > 1:
		return nil, fmt.Errorf("old stands in %s %d times, at %s; repeat more of the lines around it, or set all", asked, len(at), places(d, at))
	}
	return at, nil
}

// apart returns the places that do not overlap the one before.
func apart(at []int, size int) []int {
	out, end := at[:0:0], 0
	for _, i := range at {
		if i >= end {
			out, end = append(out, i), i+size
		}
	}
	return out
}

// places names lines.
func places(d *textedit.Doc, at []int) string {
	if len(at) == 1 {
		return fmt.Sprintf("line %d", d.Line(at[0]))
	}
	var b strings.Builder
	b.WriteString("lines ")
	for i, p := range at[:min(len(at), maxPlaces)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, d.Line(p))
	}
	if more := len(at) - maxPlaces; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}
