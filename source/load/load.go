// Package load reads the files that can reach a prompt. There is one loader, so
// that every file is opened, confined, bounded, normalised and reported in the
// same way, wherever it ends up.
//
// A file is reached through an open root directory and nothing leads out of it.
// What is no regular file is refused without being opened. At most a given
// number of bytes is read, and a file that did not change costs one stat:
//
//	l := load.New(nil)
//	root, err := l.OpenRoot("/w")
//	...
//	f, err := l.Load(root, "docs/AGENTS.md", 32<<10)
//	switch {
//	case errors.Is(err, fs.ErrNotExist): // nothing there
//	case err != nil:                     // a *load.Refusal says why
//	}
//	f.Text        // normalised; see the policy below
//	f.Diagnostics // what a person should know about it
//	f.Spans(span.Origin{Section: "project:AGENTS.md", Path: f.Path})
//
// One leading byte order mark goes, UTF-16 with a mark becomes UTF-8, CR LF and
// a lone CR become LF, bytes that are no UTF-8 become U+FFFD, invisible
// characters go, and the text ends before the first NUL. Nothing else changes.
// Every span keeps its byte offset in the file; a span whose bytes differ from
// the file's has the origin's Stage set to [Stage], and stands for the bytes up
// to the next span.
package load

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/prompt"
)

// Stage is the Stage of the origin of text that reading changed, such as a
// decoded line of UTF-16 or a U+FFFD.
const Stage = "normalise"

// A Loader reads files and remembers them. It may be used concurrently.
type Loader struct {
	// Allow, if not nil, is asked before a file is handed out, also one that did not
	// change; a diagnostic refuses it. It is set before the first use and called
	// concurrently.
	Allow func(*File) *prompt.Diagnostic

	// Once says that the files are read for one assembly. What was changed so
	// recently that its times cannot tell the next change is then not read again to
	// make sure. It is set before the first use.
	Once bool

	files env.Files
	clock env.Clock

	mu    sync.Mutex
	read  map[key]entry
	lists map[key]listing
}

// New returns a loader that reads through e, which may be nil. Whoever reads the
// same files should share one.
func New(e *env.Env) *Loader {
	return &Loader{
		files: env.OrSystem(e).Files,
		// Times of files are the machine's, so a run's simulated clock says nothing
		// about them. This clock decides only whether a file is read again, never what
		// a prompt says.
		clock: env.System().Clock,
		read:  make(map[key]entry),
		lists: make(map[key]listing),
	}
}

// OpenRoot opens a directory to load from. The caller closes it.
func (l *Loader) OpenRoot(dir string) (env.Root, error) { return l.files.OpenRoot(dir) }

// key is a file as somebody asks for it.
type key struct {
	root, name string
	max        int
}

type entry struct {
	file *File
	info env.Info // of the name, from before the file was opened
	racy bool     // read so soon after a change that the next change could look the same
}

// Load returns at most max bytes of the file with the slash-separated name below
// root. The same *File comes back as long as the file is the same by device,
// inode, size and times; its texts come back also if it was only touched.
//
// The error is a *[Refusal] if something is there that must not or cannot be
// read, and wraps [fs.ErrNotExist] if nothing is there.
func (l *Loader) Load(root env.Root, name string, max int) (*File, error) {
	k := key{root.Name(), name, max}
	info, err := look(root, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, refuse(root, name, notRegular, info.Mode(), nil)
	}
	l.mu.Lock()
	old := l.read[k]
	l.mu.Unlock()
	if old.file != nil && !old.racy && old.info.Unchanged(info) {
		return l.allowed(old.file)
	}
	racy := !l.Once && isRacy(info, l.clock.Now())
	f, err := readFile(root, name, max)
	if err != nil {
		return nil, err
	}
	if o := old.file; o != nil && o.equal(f) {
		f = o // nothing downstream is made again
	}
	l.mu.Lock()
	l.read[k] = entry{f, info, racy}
	l.mu.Unlock()
	return l.allowed(f)
}

// allowed returns the file unless Allow has something against it.
func (l *Loader) allowed(f *File) (*File, error) {
	if l.Allow != nil {
		if d := l.Allow(f); d != nil {
			return nil, &Refusal{Diagnostic: *d}
		}
	}
	return f, nil
}

// look finds out what a name leads to: one stat for a file or nothing, two for a
// link.
func look(root env.Root, name string) (env.Info, error) {
	info, err := root.Lstat(name)
	if err == nil && info.Mode()&fs.ModeSymlink == 0 {
		return info, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return info, refuseError(root, name, err, nil)
	}
	if err == nil {
		if info, err = root.Stat(name); err == nil {
			return info, nil
		}
	}
	// An absolute link that stays inside the root is followed by hand.
	real, rerr := Resolve(root, name)
	switch {
	case errors.Is(rerr, fs.ErrNotExist):
		return info, refuse(root, name, brokenLink, 0, nil)
	case rerr != nil:
		return info, refuseError(root, name, rerr, err)
	}
	if info, err = root.Stat(real); err != nil {
		return info, refuseError(root, name, err, nil)
	}
	return info, nil
}

// readFile reads and normalises a file. A file that changes meanwhile is read
// once more.
func readFile(root env.Root, name string, max int) (*File, error) {
	real, err := Resolve(root, name)
	if err != nil {
		return nil, refuseError(root, name, err, nil)
	}
	if InGit(real) && !InGit(name) {
		return nil, refuse(root, name, outside, 0, errors.New("the link leads into .git"))
	}
	for try := 0; ; try++ {
		b, before, after, err := readOnce(root, real, max)
		if err != nil {
			return nil, refuseError(root, name, err, nil)
		}
		if before.Unchanged(after) || try > 0 {
			return newFile(root, name, real, b, max, after), nil
		}
	}
}

func readOnce(root env.Root, name string, max int) (b []byte, before, after env.Info, err error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, before, after, err
	}
	defer f.Close()
	if before, err = f.Stat(); err != nil {
		return nil, before, after, err
	}
	// One byte more than wanted tells a file of exactly max bytes from a longer one.
	limit := int64(max) + 1
	if max < 0 {
		return nil, before, after, fmt.Errorf("a bound of %d bytes", max)
	}
	b = make([]byte, min(limit, before.Size()+1))
	n, err := io.ReadFull(f, b)
	if err == nil && int64(len(b)) < limit { // it grew, or its size is not known
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(f, limit-int64(n)))
		b, n = append(b, rest...), n+len(rest)
	}
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, before, after, err
	}
	after, err = f.Stat()
	return b[:n], before, after, err
}

func newFile(root env.Root, name, real string, b []byte, limit int, info env.Info) *File {
	f := &File{
		Name: name,
		Real: real,
		Path: filepath.Join(root.Name(), filepath.FromSlash(name)),
		Info: info,
		Size: info.Size(),
	}
	if len(b) > limit {
		b = b[:limit]
		f.Partial = true
	}
	f.Size = max(f.Size, int64(len(b)))
	sum := sha256.Sum256(b)
	f.SHA256 = hex.EncodeToString(sum[:])
	r := textnorm.Bytes(b, f.Partial)
	f.Text, f.pieces = r.Text, r.Pieces
	f.Diagnostics = diagnostics(f.Path, r.Findings)
	return f
}
