package fs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// WriteFile returns the tool write_file{path, content}: it makes a file, or
// replaces all of one. Directories on the way are made. A file that the session
// has read and that changed since is not replaced.
func WriteFile(c Config) tool.Tool {
	t := writeFile{newPlace(c)}
	return tool.Must(tool.Make(tool.Def[writeArgs]{
		Name:        "write_file",
		Description: "Writes a file of the project: makes it, with its directories, or replaces all that is in it. To change a part, use edit_file.",
		Call: func(ctx context.Context, a writeArgs) (tool.Result, error) {
			r, err := t.write(ctx, a)
			return answer(ctx, "write_file", r, err)
		},
		Effect: func(ctx context.Context, a writeArgs) tool.Effect {
			e := t.effect(ctx, a.Path, false)
			e.Idempotent = true
			return e
		},
	}))
}

type writeArgs struct {
	Path    string `json:"path" description:"The file, relative to the project root."`
	Content string `json:"content" description:"All that the file shall hold."`
}

type writeFile struct{ place }

func (t writeFile) write(ctx context.Context, a writeArgs) (tool.Result, error) {
	if l := t.cfg.Ledger; l != nil {
		l.change.Lock()
		defer l.change.Unlock()
	}
	to, err := t.target(ctx, a.Path)
	if err != nil {
		return tool.Result{}, err
	}
	defer to.root.Close()
	said := fmt.Sprintf("created %s (%d bytes)", to.asked, len(a.Content))
	if to.exists() {
		said = fmt.Sprintf("overwrote %s (%d bytes; it had %d)", to.asked, len(a.Content), to.info.Size())
		if err := t.seen(ctx, to); err != nil {
			return tool.Result{}, err
		}
	}
	return t.put(ctx, to, []byte(a.Content), said)
}

// seen refuses to replace a file that changed since the session read it. One
// that it never read may be replaced: the model says it wants all of it gone.
func (t writeFile) seen(ctx context.Context, to target) error {
	if t.cfg.Ledger == nil || to.info.Size() > MaxEdit {
		return nil
	}
	_, sum, err := to.content(MaxEdit)
	if err != nil {
		return err
	}
	if t.cfg.Ledger.knows(tool.Session(ctx), to.at.Path(), to.info, sum) == stale {
		return errStale(to.asked)
	}
	return nil
}

func errStale(asked string) error {
	return fmt.Errorf("%s was changed since it was read, by somebody else or by a command; read it again first", asked)
}

// put writes the file, remembers what it holds and says so.
func (p place) put(ctx context.Context, to target, data []byte, said string) (tool.Result, error) {
	info, err := p.replace(ctx, to, data)
	if errors.Is(err, errMeanwhile) {
		return tool.Result{}, fmt.Errorf("%s was changed by somebody else in this moment and stays as it is; read it again", to.asked)
	}
	if err != nil {
		return tool.Result{}, err
	}
	path := to.at.Path()
	if p.cfg.Ledger != nil {
		p.cfg.Ledger.note(tool.Session(ctx), path, info, sha256.Sum256(data))
	}
	from := &span.Origin{Section: "write", Source: "tool", Path: path, Trust: span.Tool}
	return tool.Result{Text: span.OfGenerated(strings.TrimSuffix(said, "\n")+"\n", from), Touched: []string{path}}, nil
}
