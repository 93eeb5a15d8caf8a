package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/inspect/cache"
	"github.com/proemhq/proem/token"
)

// A bodyReader takes the bodies of a recorded run.
type bodyReader struct {
	command  *command
	env      *env.Env
	analyzer *cache.Analyzer
	counter  token.Counter
	skipped  []string // files without a request
}

// recordedCache looks at a recorded run: a file, a folder or a session; - is
// standard input.
func (c *command) recordedCache(ctx context.Context, name string) (cache.File, error) {
	r := &bodyReader{command: c, env: env.OrSystem(c.p.Env)}
	var err error
	if name == "-" {
		name = "stdin"
		err = cache.Read(c.p.Stdin, name, r.add)
	} else {
		err = r.path(c.absolute(name), name)
	}
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `/\.`) {
		err = r.session(ctx, name)
	}
	if err != nil {
		return cache.File{}, err
	}
	if r.analyzer == nil {
		return cache.File{}, fmt.Errorf("%s: there are no bodies in it; a body is a JSON object on one line, or in a file that ends in .json", name)
	}
	if len(r.skipped) > 0 {
		c.say("info cache.skipped: no requests: %s", strings.Join(r.skipped, ", "))
	}
	return cache.File{Counter: r.counter.Name(), Presets: []cache.Report{r.analyzer.Report(filepath.Base(name))}}, nil
}

// add takes a body. The first decides how tokens are counted.
func (r *bodyReader) add(b cache.Recorded) error {
	if r.analyzer != nil {
		return r.analyzer.Add(b)
	}
	counter := token.ForModel(cache.Model(b.Body))
	a := cache.New(counter.Count)
	if err := a.Add(b); err != nil {
		return err
	}
	r.counter, r.analyzer = counter, a
	return nil
}

func (r *bodyReader) session(ctx context.Context, id string) error {
	bodies, err := r.command.bodiesOfSession(ctx, id)
	if err != nil {
		return err
	}
	for _, b := range bodies {
		if err := r.add(b); err != nil {
			return err
		}
	}
	return nil
}

// bodiesOfSession makes the requests of a session again, each compared with the
// record of it. One that hooks changed is left out and said.
func (c *command) bodiesOfSession(ctx context.Context, id string) ([]cache.Recorded, error) {
	b, err := c.pastAgent(ctx, id)
	if err != nil {
		return nil, err
	}
	var out []cache.Recorded
	for r, err := range b.agent.Replays(ctx, id, protocols...) {
		if err != nil {
			return nil, c.hinted(err)
		}
		if !r.Whole {
			c.say("warning replay.hooks: request %d is left out: the hooks %s changed it, and what they did is recorded nowhere", r.Number, strings.Join(r.Recorded.ChangedBy, ", "))
			continue
		}
		out = append(out, cache.Recorded{Body: r.Body.JSON, Marks: r.Body.Marks, Name: fmt.Sprintf("%s@%d", id, r.Number)})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("session %s: it sent no request", id)
	}
	return out, nil
}

// path takes the bodies of a folder or a file.
func (r *bodyReader) path(path, shown string) error {
	root, err := r.env.Files.OpenRoot(path)
	if err == nil {
		defer root.Close()
		return r.folder(root, shown)
	}
	if root, err = r.env.Files.OpenRoot(filepath.Dir(path)); err != nil {
		return err
	}
	defer root.Close()
	return r.file(root, filepath.Base(path), shown)
}

// folder takes the bodies of the files in a folder. If there are files that end in
// .request.json, as package record writes them, they are the bodies.
func (r *bodyReader) folder(root env.Root, shown string) error {
	entries, err := root.ReadDir(".")
	if err != nil {
		return err
	}
	var names, requests []string
	for _, e := range entries {
		switch ext := filepath.Ext(e.Name()); {
		case e.IsDir():
		case strings.HasSuffix(e.Name(), ".request.json"):
			requests = append(requests, e.Name())
		case ext == ".json", ext == ".jsonl", ext == ".ndjson":
			names = append(names, e.Name())
		}
	}
	if requests != nil {
		names = requests
	}
	slices.SortFunc(names, natural)
	for _, name := range names {
		err := r.file(root, name, filepath.Join(shown, name))
		if errors.Is(err, cache.ErrNoRequest) && filepath.Ext(name) == ".json" {
			r.skipped = append(r.skipped, name)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *bodyReader) file(root env.Root, name, shown string) error {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return cache.Read(f, shown, r.add)
}

// natural compares names so that 2 stands before 10.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x > 0 && y > 0 {
			m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if d := len(m) - len(n); d != 0 {
				return d
			}
			if d := strings.Compare(m, n); d != 0 {
				return d
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

// digits returns how many digits a text begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}
