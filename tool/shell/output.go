package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/vfs"
)

// output takes what a command prints: the beginning and the end in memory, the
// whole in a file if it is longer than a result.
type output struct {
	shell   *shell
	session string
	over    chan struct{} // closed when there is too much

	mu    sync.Mutex
	head  []byte
	tail  []byte // a ring; next is where the oldest byte stands once it is full
	next  int
	total int64
	full  bool // there was more than MaxOutput

	root   env.Root
	file   env.File
	name   string // of the file, below root
	stored int64
	broken error // why the file does not hold all
}

func newOutput(s *shell, session string) *output {
	return &output{shell: s, session: session, over: make(chan struct{})}
}

func (o *output) headCap() int { return o.shell.cfg.MaxResult / 2 }
func (o *output) tailCap() int { return o.shell.cfg.MaxResult - o.headCap() }

// add takes the next bytes.
func (o *output) add(p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.full {
		return
	}
	if room := o.shell.cfg.MaxOutput - o.total; int64(len(p)) > room {
		p, o.full = p[:room], true
		close(o.over)
	}
	o.keep(p)
}

func (o *output) keep(p []byte) {
	if o.shell.cfg.Spill != "" && o.broken == nil && o.total+int64(len(p)) > int64(o.shell.cfg.MaxResult) {
		o.spill(p)
	}
	o.total += int64(len(p))
	n := min(len(p), o.headCap()-len(o.head))
	o.head = append(o.head, p[:n]...)
	p = p[n:]
	size := o.tailCap()
	if len(p) >= size {
		o.tail, o.next = append(o.tail[:0], p[len(p)-size:]...), 0
		return
	}
	n = min(len(p), size-len(o.tail))
	o.tail = append(o.tail, p[:n]...)
	for p = p[n:]; len(p) > 0; p = p[n:] {
		n = copy(o.tail[o.next:], p)
		o.next = (o.next + n) % size
	}
}

func (o *output) isOver() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.full
}

// folder matches the sessions that get a folder of their own.
var folder = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// spill writes the next bytes to the file; before the first, all that came before.
func (o *output) spill(p []byte) {
	if o.file == nil {
		if o.broken = o.open(); o.broken != nil {
			return
		}
		o.store(o.head)
		o.store(o.tail[o.next:])
		o.store(o.tail[:o.next])
	}
	o.store(p)
}

func (o *output) store(p []byte) {
	if o.broken != nil || len(p) == 0 {
		return
	}
	n, err := o.file.Write(p)
	o.stored += int64(n)
	o.broken = err
}

func (o *output) open() error {
	files, dir := o.shell.env.Files, o.shell.cfg.Spill
	if folder.MatchString(o.session) {
		dir = filepath.Join(dir, o.session)
	}
	if err := files.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := files.OpenRoot(dir)
	if err != nil {
		return err
	}
	name := o.shell.env.IDs.New("shell") + ".txt"
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return errors.Join(err, root.Close())
	}
	o.root, o.file, o.name = root, f, name
	return nil
}

// close closes the file. With discard set it is removed: nobody will be told of it.
func (o *output) close(discard bool) {
	if o.file == nil {
		return
	}
	if err := o.file.Close(); o.broken == nil {
		o.broken = err
	}
	if discard {
		o.root.Remove(o.name)
	}
	o.root.Close()
	o.file = nil
}

// result makes the text for the model.
func (o *output) result(e end) tool.Result {
	o.mu.Lock()
	defer o.mu.Unlock()
	from := &span.Origin{Section: Name, Source: "command", Trust: span.Tool}
	var t span.Text
	tail := append(o.tail[o.next:len(o.tail):len(o.tail)], o.tail[:o.next]...)
	kept := int64(len(o.head) + len(tail))
	if left := o.total - kept; left <= 0 {
		t = text(t, append(o.head[:len(o.head):len(o.head)], tail...), false, false, from)
	} else {
		t = text(t, o.head, false, true, from)
		t = notice(t, fmt.Sprintf("[%d of %d bytes are left out here%s]", left, o.total, o.where()))
		t = text(t, tail, true, false, from)
	}
	how := e.describe(o.shell.cfg.MaxOutput, o.shell.cfg.MaxTimeout)
	if how == "" && t.Len() == 0 {
		how = "[no output; exit code 0]"
	}
	if how != "" {
		t = notice(t, how)
	}
	return tool.Result{Text: t, IsError: e != end{}}
}

// where says where the whole is.
func (o *output) where() string {
	path := ""
	if o.root != nil {
		path = filepath.Join(o.root.Name(), o.name)
	}
	switch {
	case o.shell.cfg.Spill == "":
		return ""
	case o.broken != nil && path == "":
		return fmt.Sprintf("; the whole could not be kept: %v", vfs.Cause(o.broken))
	case o.broken != nil:
		return fmt.Sprintf("; the first %d bytes are in %s, the rest could not be kept: %v", o.stored, path, vfs.Cause(o.broken))
	}
	return "; all of it is in " + path
}

var said = span.Generated("notice")

// notice appends a line of the tool's own.
func notice(t span.Text, s string) span.Text {
	if n := len(t); n > 0 && len(t[n-1].Text) > 0 && t[n-1].Text[len(t[n-1].Text)-1] != '\n' {
		s = "\n" + s
	}
	return append(t, span.Span{Text: s + "\n", From: said, Off: span.NoOffset})
}
