package store

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/prompt"
	workspace "github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/tool/memory/find"
	"github.com/proemhq/proem/vfs"
)

// MaxVersions is how many versions of MEMORY.md the archive keeps.
const MaxVersions = 32

// maxLedgers bounds the text of ledgers in one Material, in bytes.
const maxLedgers = 64 << 10

// A Material is what a rewriting of somebody's MEMORY.md rests on.
type Material struct {
	Memory  string   // the text of MEMORY.md, normalised
	Ledgers []Ledger // what was written down since the last rewriting, the oldest first
	More    bool     // there is more than fits; it stays for the next rewriting
	Max     int      // bytes that the new text may have

	who  prompt.Who
	raw  string
	upTo mark
}

// A Ledger is what was written down on one day.
type Ledger struct {
	Path string // such as "memory/2026-01-02.md"
	Text string
}

// Rewritten says what a rewriting or restoring did.
type Rewritten struct {
	Before string // where the text from before is kept, such as "memory/archive/MEMORY-0001.md"; empty: there was none
	Bytes  int    // of the new text
	// Joined says that entries which came meanwhile were appended to the new text.
	Joined  bool
	Removed []string // the oldest versions, for which the archive has no room
}

// Material returns what somebody's MEMORY.md could be rewritten from.
func (s *Store) Material(ctx context.Context, who prompt.Who) (Material, error) {
	t, err := s.sit(ctx, who)
	if err != nil {
		return Material{}, fmt.Errorf("memory: %w", err)
	}
	defer t.leave()
	m, err := t.material()
	if err != nil {
		return Material{}, fmt.Errorf("memory: %w", err)
	}
	m.who = who
	return m, nil
}

func (t *seat) material() (Material, error) {
	m := Material{Max: t.store.cfg.MaxBytes * 3 / 4}
	var err error
	if m.raw, err = t.shown(workspace.Memory); err != nil {
		return m, err
	}
	m.Memory = textnorm.String(m.raw)
	journal, err := t.journal()
	if err != nil {
		return m, err
	}
	m.upTo = journal.mark
	names, err := t.ledgers()
	if err != nil {
		return m, err
	}
	room := maxLedgers
	for _, name := range names {
		if name < journal.Through {
			continue
		}
		got, err := t.read(path.Join(t.dir, workspace.Notes, name))
		if err != nil {
			return m, err
		}
		from := 0
		if name == journal.Through && journal.Bytes <= len(got.text) {
			from = journal.Bytes
		}
		take := whole(got.text[from:], room)
		room -= take
		if take > 0 {
			m.upTo = mark{name, from + take}
		}
		if text := textnorm.String(got.text[from : from+take]); strings.TrimSpace(text) != "" {
			m.Ledgers = append(m.Ledgers, Ledger{workspace.Notes + "/" + name, text})
		}
		if from+take < len(got.text) {
			m.More = true
			break
		}
	}
	return m, nil
}

// whole returns how many bytes of whole lines have room.
func whole(text string, room int) int {
	if len(text) <= room {
		return len(text)
	}
	if i := strings.LastIndexByte(text[:room], '\n'); i >= 0 {
		return i + 1
	}
	if room < maxLedgers {
		return 0
	}
	return len(strings.ToValidUTF8(text[:room], "")) // one line that never fits
}

// ledgers returns the names of the files of days, ascending.
func (t *seat) ledgers() ([]string, error) {
	entries, err := t.root.ReadDir(path.Join(t.dir, workspace.Notes))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if day, ok := strings.CutSuffix(e.Name(), ".md"); ok && find.IsDay(day) && e.Type().IsRegular() {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// Rewrite replaces the MEMORY.md that m was made of. The text from before is kept
// in the archive, for Restore. A text that is empty or longer than m.Max is
// refused. Entries that were appended meanwhile are kept behind the new text; any
// other change since is ErrChanged.
func (s *Store) Rewrite(ctx context.Context, m Material, text string) (Rewritten, error) {
	text = strings.TrimSpace(textnorm.String(text))
	switch {
	case text == "":
		return Rewritten{}, errors.New("memory: the new text is empty; MEMORY.md stays as it is")
	case len(text)+1 > m.Max:
		return Rewritten{}, fmt.Errorf("memory: the new text has %d bytes and may have %d; MEMORY.md stays as it is", len(text)+1, m.Max)
	}
	t, err := s.sit(ctx, m.who)
	if err != nil {
		return Rewritten{}, fmt.Errorf("memory: %w", err)
	}
	defer t.leave()
	r, err := t.rewrite(ctx, m.upTo, func(old string) (string, bool, error) {
		rest, ok := strings.CutPrefix(old, m.raw)
		if !ok || len(m.raw) > 0 && rest != "" && !strings.HasSuffix(m.raw, "\n") {
			return "", false, ErrChanged
		}
		rest = strings.TrimLeft(rest, "\r\n")
		return text + "\n" + rest, rest != "", nil
	})
	if err != nil {
		return Rewritten{}, fmt.Errorf("memory: %w", err)
	}
	return r, nil
}

// Restore puts a version from the archive, by its number, in the place of
// MEMORY.md, whose present text becomes a version itself. Ledgers that went into
// what is undone count as new again.
func (s *Store) Restore(ctx context.Context, who prompt.Who, version int) (Rewritten, error) {
	t, err := s.sit(ctx, who)
	if err != nil {
		return Rewritten{}, fmt.Errorf("memory: %w", err)
	}
	defer t.leave()
	r, err := t.restore(ctx, version)
	if err != nil {
		return Rewritten{}, fmt.Errorf("memory: %w", err)
	}
	return r, nil
}

func (t *seat) restore(ctx context.Context, version int) (Rewritten, error) {
	name := numbered(versionPrefix, version)
	kept, err := t.read(path.Join(t.dir, archive, name))
	if err != nil {
		return Rewritten{}, err
	}
	if !kept.exists() {
		return Rewritten{}, fmt.Errorf("there is no %s/%s", archive, name)
	}
	j, err := t.journal()
	if err != nil {
		return Rewritten{}, err
	}
	return t.rewrite(ctx, j.Versions[name], func(string) (string, bool, error) { return kept.text, false, nil })
}

// Versions returns the numbers of the versions that Restore can put back,
// ascending.
func (s *Store) Versions(ctx context.Context, who prompt.Who) ([]int, error) {
	t, err := s.sit(ctx, who)
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	defer t.leave()
	return t.numbers(versionPrefix)
}

// rewrite replaces MEMORY.md, keeps its text from before, and records up to where
// the ledgers are in the new one.
func (t *seat) rewrite(ctx context.Context, upTo mark, edit func(old string) (text string, joined bool, err error)) (Rewritten, error) {
	j, err := t.journal()
	if err != nil {
		return Rewritten{}, err
	}
	before := j.mark
	name, err := t.next(versionPrefix)
	if err != nil {
		return Rewritten{}, err
	}
	var r Rewritten
	err = t.update(ctx, path.Join(t.dir, workspace.Memory), func(old state) (draft, error) {
		r = Rewritten{}
		shown, err := t.base(old, workspace.Memory)
		if err != nil {
			return draft{}, err
		}
		text, joined, err := edit(shown)
		if err != nil {
			return draft{}, err
		}
		d := draft{text: text}
		if r.Bytes, r.Joined = len(text), joined; shown != "" && text != old.text {
			r.Before = archive + "/" + name
			d.aside = []aside{{path.Join(t.dir, archive, name), shown}}
		}
		return d, nil
	})
	if err != nil {
		return Rewritten{}, err
	}
	j.mark = upTo
	if r.Before != "" {
		j.Versions[name] = before
	}
	if r.Removed, err = t.prune(&j); err != nil {
		return r, err
	}
	return r, t.record(ctx, j)
}

// prune removes the oldest versions that the archive has no room for.
func (t *seat) prune(j *journal) ([]string, error) {
	all, err := t.numbers(versionPrefix)
	if err != nil {
		return nil, err
	}
	var removed []string
	for _, n := range all[:max(0, len(all)-MaxVersions)] {
		name := numbered(versionPrefix, n)
		if err := t.root.Remove(path.Join(t.dir, archive, name)); err != nil {
			return removed, fmt.Errorf("%s cannot be removed: %w", name, vfs.Cause(err))
		}
		delete(j.Versions, name)
		removed = append(removed, archive+"/"+name)
	}
	return removed, nil
}
