// Package trust remembers which folders a user trusts, and with what content. A
// trust covers the files that were there when it was given: a file that changed
// since, or came after, is held back until the user has seen it.
//
//	store := trust.Store{Env: e, Dir: "/home/u/.local/state/proem/trust"}
//	record, ok, err := store.Load("/w")
//	guard := record.Guard()
//	loader.Allow = guard.Allow        // held-back files are refused with trust.changed
//	…
//	guard.Changes()                   // what to show the user
//
// Records lie in user state, one file for each folder, under a hash of the
// folder's canonical path: what a repository says about itself has no say in it.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
)

// A File is a file as it was when the folder was trusted.
type File struct {
	Path   string `json:"path"` // below the folder, slash-separated
	SHA256 string `json:"sha256"`
	Text   string `json:"text"` // normalised, for showing what changed; empty if it is long
}

// A Record is the trust in one folder.
type Record struct {
	Schema string `json:"schema"`
	Root   string `json:"root"` // canonical
	Since  string `json:"since"`
	Files  []File `json:"files"` // ascending by path
}

const (
	schema    = "proem.trust/1"
	maxText   = 64 << 10 // of a file that is kept for showing
	maxTexts  = 2 << 20  // of all of them; in JSON at most six times as long
	maxRecord = 16 << 20
)

// A Store keeps records in a directory.
type Store struct {
	Env *env.Env // nil: the operating system
	Dir string   // absolute; empty: nothing is remembered
}

func (s Store) name(root string) string {
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:16]) + ".json"
}

// Load returns the record of a folder, by its canonical path. A record that
// cannot be read is an error and no trust.
func (s Store) Load(root string) (Record, bool, error) {
	if s.Dir == "" {
		return Record{}, false, nil
	}
	dir, err := env.OrSystem(s.Env).Files.OpenRoot(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, false, nil
	}
	if err != nil {
		return Record{}, false, fmt.Errorf("trust: %w", err)
	}
	defer dir.Close()
	f, err := dir.Open(s.name(root))
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, false, nil
	}
	if err != nil {
		return Record{}, false, fmt.Errorf("trust: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRecord))
	if err != nil {
		return Record{}, false, fmt.Errorf("trust: %w", err)
	}
	var r Record
	if err := json.Unmarshal(data, &r); err != nil || r.Schema != schema || r.Root != root {
		return Record{}, false, fmt.Errorf("trust: the record %s is damaged; trust the folder again", filepath.Join(s.Dir, s.name(root)))
	}
	return r, true, nil
}

// Save stores a record in place of an earlier one. Readers see the old or the
// new one, never a part.
func (s Store) Save(r Record) error {
	if s.Dir == "" {
		return errors.New("trust: there is no home directory to remember it in")
	}
	r.Schema = schema
	slices.SortFunc(r.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	r.Files = bounded(r.Files)
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	if len(data) > maxRecord {
		return fmt.Errorf("trust: a record of %d files is too long", len(r.Files))
	}
	e := env.OrSystem(s.Env)
	if err := e.Files.MkdirAll(s.Dir, 0o700); err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	dir, err := e.Files.OpenRoot(s.Dir)
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	defer dir.Close()
	if err := replace(dir, s.name(r.Root), e.IDs.New("tmp"), data); err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	return nil
}

// bounded drops the texts for which a record has no room.
func bounded(files []File) []File {
	files = slices.Clone(files)
	left := maxTexts
	for i := range files {
		if left -= len(files[i].Text); left < 0 {
			files[i].Text, left = "", left+len(files[i].Text)
		}
	}
	return files
}

// replace writes a file beside the old one and renames it over it.
func replace(dir env.Root, name, temp string, data []byte) error {
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, dir.Remove(temp))
	}
	return dir.SyncDir(".")
}

// Forget removes the record of a folder. It is no error if there is none.
func (s Store) Forget(root string) error {
	if s.Dir == "" {
		return nil
	}
	dir, err := env.OrSystem(s.Env).Files.OpenRoot(s.Dir)
	if err == nil {
		defer dir.Close()
		err = dir.Remove(s.name(root))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("trust: %w", err)
	}
	return nil
}

// A Change is a file that is not as it was when the folder was trusted.
type Change struct {
	Path string // absolute
	New  bool   // it was not there
	Old  string // its text then; empty if it was not there, or too long to be kept
	Text string // its text now
}

// A Guard holds back what a record does not cover. It may be used concurrently.
type Guard struct {
	record  Record
	root    string // as the loader's paths spell it
	mu      sync.Mutex
	seen    map[string]File
	changes map[string]Change
}

// Guard returns a guard for the record's folder, whose path is spelt root by
// those who load.
func (r Record) Guard(root string) *Guard {
	return &Guard{record: r, root: root, seen: map[string]File{}, changes: map[string]Change{}}
}

// Collect returns a guard that lets everything pass and remembers it, for the
// record that Seen returns.
func Collect(root string) *Guard {
	return &Guard{root: root, seen: map[string]File{}}
}

// Allow returns why a file is held back, or nil. Files outside the folder are
// none of its business. It fits load.Loader.Allow.
func (g *Guard) Allow(f *load.File) *prompt.Diagnostic {
	rel, err := filepath.Rel(g.root, f.Path)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	return g.check(filepath.ToSlash(rel), f.Path, f.SHA256, f.Text)
}

// Check is Allow for a file that is read in another way.
func (g *Guard) Check(path string, data []byte) *prompt.Diagnostic {
	rel, err := filepath.Rel(g.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	sum := sha256.Sum256(data)
	return g.check(filepath.ToSlash(rel), path, hex.EncodeToString(sum[:]), string(data))
}

func (g *Guard) check(rel, path, sum, text string) *prompt.Diagnostic {
	g.mu.Lock()
	defer g.mu.Unlock()
	kept := text
	if len(kept) > maxText {
		kept = ""
	}
	g.seen[rel] = File{Path: rel, SHA256: sum, Text: kept}
	if g.changes == nil { // collecting
		return nil
	}
	i := slices.IndexFunc(g.record.Files, func(f File) bool { return f.Path == rel })
	if i >= 0 && g.record.Files[i].SHA256 == sum {
		return nil
	}
	c := Change{Path: path, New: i < 0, Text: text}
	what := "changed since this folder was trusted"
	if c.New {
		what = "is not among the files that were trusted"
	} else {
		c.Old = g.record.Files[i].Text
	}
	g.changes[path] = c
	return &prompt.Diagnostic{Severity: prompt.Warning, Code: "trust.changed", Path: path,
		Message: what + " and is held back; proem trust shows the difference and lets you confirm it"}
}

// Covers reports whether the record covers a file with this content, or the file
// is not there, which is a nil content, and the record knows none.
func (g *Guard) Covers(path string, data []byte) bool {
	rel, err := filepath.Rel(g.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.IndexFunc(g.record.Files, func(f File) bool { return f.Path == filepath.ToSlash(rel) })
	if data == nil || i < 0 {
		return data == nil && i < 0
	}
	sum := sha256.Sum256(data)
	return g.record.Files[i].SHA256 == hex.EncodeToString(sum[:])
}

// Cover makes a file as it is now part of what is covered, and returns the record
// for it, to be saved. It is for a change that the user consented to when it was
// made.
func (g *Guard) Cover(path string, data []byte) Record {
	g.Check(path, data)
	rel, err := filepath.Rel(g.root, path)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil || !filepath.IsLocal(rel) || g.changes == nil {
		return g.record
	}
	rel = filepath.ToSlash(rel)
	files := slices.DeleteFunc(slices.Clone(g.record.Files), func(f File) bool { return f.Path == rel })
	g.record.Files = append(files, g.seen[rel])
	delete(g.changes, path)
	return g.record
}

// Seen returns what was looked at, ascending by path: the files of a record.
func (g *Guard) Seen() []File {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]File, 0, len(g.seen))
	for _, f := range g.seen {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// Covered returns what a record made now covers: what was looked at, as it is,
// and what else the old record covers, as it was.
func (g *Guard) Covered() []File {
	out := g.Seen()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.record.Files {
		if _, ok := g.seen[f.Path]; !ok {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// Changes returns what was held back, ascending by path.
func (g *Guard) Changes() []Change {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]Change, 0, len(g.changes))
	for _, c := range g.changes {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}
