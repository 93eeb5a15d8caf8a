package store

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/proemhq/proem/prompt"
	workspace "github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/tool/memory/find"
)

// Saved is what became of entries.
type Saved struct {
	Added   []Cite // where they stand
	Known   []Cite // where entries stand that say the same, which were not saved again
	Moved   int    // older entries that were moved, because there was no room
	Archive string // where to, such as "memory/archive/entries-0001.md"; empty: nowhere
}

// Save adds an entry to somebody's MEMORY.md, with the date. One that stands
// there already, be it in other case, is not added again. If there is no room the
// oldest entries move to the archive; headings and paragraphs stay.
func (s *Store) Save(ctx context.Context, who prompt.Who, text string) (Saved, error) {
	line, err := s.clean(text)
	if err != nil {
		return Saved{}, fmt.Errorf("memory: %w", err)
	}
	t, err := s.sit(ctx, who)
	if err != nil {
		return Saved{}, fmt.Errorf("memory: %w", err)
	}
	defer t.leave()
	saved, err := t.add(ctx, workspace.Memory, []string{line}, nil)
	if err != nil {
		return Saved{}, fmt.Errorf("memory: %w", err)
	}
	return saved, nil
}

// Note adds entries to somebody's ledger of the day. Those that stand there or in
// MEMORY.md are not added. The error joins what is wrong with single texts; the
// others are saved.
func (s *Store) Note(ctx context.Context, who prompt.Who, texts []string) (Saved, error) {
	var lines []string
	var bad []error
	for _, text := range texts {
		line, err := s.clean(text)
		if err != nil {
			bad = append(bad, fmt.Errorf("memory: %w", err))
			continue
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return Saved{}, errors.Join(bad...)
	}
	t, err := s.sit(ctx, who)
	if err != nil {
		return Saved{}, errors.Join(append(bad, fmt.Errorf("memory: %w", err))...)
	}
	defer t.leave()
	main, err := t.shown(workspace.Memory)
	var saved Saved
	if err == nil {
		saved, err = t.add(ctx, workspace.Notes+"/"+s.today()+".md", lines, standing(workspace.Memory, main))
	}
	if err != nil {
		bad = append(bad, fmt.Errorf("memory: %w", err))
	}
	return saved, errors.Join(bad...)
}

// standing returns where the entries of a text stand, by key.
func standing(name, text string) map[string]Cite {
	out := map[string]Cite{}
	for _, u := range find.Units(text) {
		if k := key(text[u.Lo:u.Hi]); !u.Heading && k != "" {
			if _, ok := out[k]; !ok {
				out[k] = Cite{name, u.First, u.Last}
			}
		}
	}
	return out
}

// shown returns the text of a file that the user's prompt shows: their own, or the
// shared one if they have none. A blank file is none.
func (t *seat) shown(name string) (string, error) {
	own, err := t.read(path.Join(t.dir, name))
	if err != nil {
		return "", err
	}
	return t.base(own, name)
}

// base returns the text of the user's own file, or what it begins with: the shared
// one for which it is going to stand in.
func (t *seat) base(own state, name string) (string, error) {
	switch {
	case strings.TrimSpace(own.text) != "":
		return own.text, nil
	case t.dir == t.home:
		return "", nil
	}
	shared, err := t.read(path.Join(t.home, name))
	if err != nil || strings.TrimSpace(shared.text) == "" {
		return "", err
	}
	return shared.text, nil
}

// add appends entries to a file. elsewhere are entries of other files that need
// not be said again.
func (t *seat) add(ctx context.Context, name string, lines []string, elsewhere map[string]Cite) (saved Saved, err error) {
	err = t.update(ctx, path.Join(t.dir, name), func(old state) (draft, error) {
		saved = Saved{}
		text, err := t.base(old, name)
		if err != nil {
			return draft{}, err
		}
		known := standing(name, text)
		var fresh []string
		for _, l := range lines {
			k := key(l)
			at, ok := known[k]
			if !ok {
				at, ok = elsewhere[k]
			}
			if ok {
				saved.Known = append(saved.Known, at)
				continue
			}
			known[k] = Cite{Path: name}
			fresh = append(fresh, dated(t.store.today(), l))
		}
		saved.Known = dropEmpty(saved.Known)
		if len(fresh) == 0 {
			return draft{text: old.text}, nil
		}
		return t.fit(name, begun(name, text), fresh, &saved)
	})
	return saved, err
}

// dropEmpty leaves out places without a line: entries that were given twice.
func dropEmpty(list []Cite) []Cite {
	var out []Cite
	for _, c := range list {
		if c.Line > 0 {
			out = append(out, c)
		}
	}
	return out
}

// begun returns a text to which entries can be appended.
func begun(name, text string) string {
	if strings.TrimSpace(text) == "" {
		title := "Memory"
		if name != workspace.Memory {
			title = strings.TrimSuffix(path.Base(name), ".md")
		}
		return "# " + title + "\n\n"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if all := find.Units(text); !all[len(all)-1].Item && !strings.HasSuffix(text, "\n\n") && !strings.HasSuffix(text, "\n\r\n") {
		text += "\n"
	}
	return text
}

// fit appends entries to a text and moves the oldest out if there is no room.
func (t *seat) fit(name, text string, fresh []string, saved *Saved) (draft, error) {
	added := strings.Join(fresh, "")
	d := draft{text: text + added}
	limit := t.store.cfg.MaxBytes
	if len(d.text) > limit {
		if name != workspace.Memory {
			return d, fmt.Errorf("%s is full: it would have %d bytes, and %d are allowed", name, len(d.text), limit)
		}
		rest, moved, n := shrink(text, limit*3/4-len(added))
		if len(rest)+len(added) > limit {
			return d, fmt.Errorf("%s is full: what is no entry takes too much of %d bytes; shorten it", name, limit)
		}
		to, err := t.next(entriesPrefix)
		if err != nil {
			return d, err
		}
		saved.Moved, saved.Archive = n, archive+"/"+to
		d.aside = []aside{{path.Join(t.dir, archive, to), "# Moved from MEMORY.md on " + t.store.today() + "\n\n" + moved}}
		text, d.text = rest, rest+added
	}
	line := strings.Count(text, "\n") + 1
	for i := range fresh {
		saved.Added = append(saved.Added, Cite{name, line + i, line + i})
	}
	return d, nil
}

// shrink takes the first entries out of a text until it has at most limit bytes.
func shrink(text string, limit int) (rest, moved string, n int) {
	var keep, out strings.Builder
	at, size := 0, len(text)
	for _, u := range find.Units(text) {
		if size <= limit {
			break
		}
		if !u.Item {
			continue
		}
		keep.WriteString(text[at:u.Lo])
		out.WriteString(text[u.Lo:u.Hi])
		at, size, n = u.Hi, size-(u.Hi-u.Lo), n+1
	}
	keep.WriteString(text[at:])
	return keep.String(), out.String(), n
}

// String says what became of the entries, as a sentence.
func (s Saved) String() string {
	var out []string
	for _, c := range s.Added {
		out = append(out, "saved as "+c.String())
	}
	for _, c := range s.Known {
		out = append(out, c.String()+" says that already; not saved again")
	}
	if s.Moved > 0 {
		out = append(out, fmt.Sprintf("the oldest %d entries moved to %s, because MEMORY.md is full", s.Moved, s.Archive))
	}
	return strings.Join(out, "; ")
}
