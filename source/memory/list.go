package memory

import (
	"fmt"
	"strings"

	"github.com/proemhq/proem/span"
)

// A list names files under a heading.
type list struct {
	dir     string
	heading string
	names   []string // ascending
	newest  bool     // the last names are kept, not the first
	most    int      // names that are shown
	prefix  string   // before each name
	from    *span.Origin
}

func (w *walk) newList(dir, heading string, names []string, newest bool) *list {
	from := &span.Origin{Section: "workspace:" + dir, Source: "listing", Path: w.path(w.home, dir), Trust: span.Workspace}
	return &list{dir: dir, heading: heading, names: names, newest: newest, most: w.src.cfg.MaxListed, prefix: w.src.cfg.Shown, from: from}
}

// text returns the list in at most limit tokens, and how many names it has. It is
// nil if there is no room for any.
func (l *list) text(m meter, limit int) (span.Text, int) {
	for n := min(len(l.names), l.most); n > 0; {
		t := l.render(n)
		count := m(t.String())
		if count <= limit {
			return t, n
		}
		n = min(n-1, n*limit/count)
	}
	return nil, 0
}

// render writes n names, and how many there are besides.
func (l *list) render(n int) span.Text {
	shown, rest := l.names[:n], len(l.names)-n
	head, foot := l.heading+"\n", ""
	switch {
	case rest > 0 && l.newest:
		shown = l.names[rest:]
		head += fmt.Sprintf("- … and %d more before these\n", rest)
	case rest > 0:
		foot = fmt.Sprintf("\n- … and %d more in %s%s/", rest, l.prefix, l.dir)
	}
	bullet := "- " + l.prefix
	lines := span.OfGenerated(bullet+strings.Join(shown, "\n"+bullet), l.from)
	return span.Concat(listed(head), lines, listed(foot))
}

var listOrigin = span.Generated("list")

// listed returns text of the list's own making.
func listed(s string) span.Text { return span.OfGenerated(s, listOrigin) }
