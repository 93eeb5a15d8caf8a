package wiretest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/wire"
)

// value is a value of a body: its path and the bytes it takes. A string's range
// is what stands between its quotes.
type value struct {
	path   string
	lo, hi int
}

// values lists the texts of a body in order.
func (s Suite) values(t testing.TB, body []byte) []value {
	t.Helper()
	if !json.Valid(body) {
		t.Fatalf("not JSON: %s", body)
	}
	w := walker{in: body, suite: s}
	w.value("")
	return w.out
}

type walker struct {
	in     []byte
	at     int
	suite  Suite
	inside bool // of a text that is an object or a list
	out    []value
}

func (w *walker) value(path string) {
	lo, inside := w.at, w.inside
	text := !inside && (w.suite.Text(path) || w.suite.Whole(path))
	switch w.in[w.at] {
	case '{', '[':
		text = text && w.suite.Whole(path) ||
			!inside && w.suite.Verbatim != nil && w.suite.Verbatim(path, w.in[lo:])
		w.inside = inside || text
		w.container(path)
		w.inside = inside
	case '"':
		from, to := w.str()
		if text {
			w.out = append(w.out, value{path, from, to})
		}
		return
	default:
		for w.at < len(w.in) && !strings.ContainsRune(",]}", rune(w.in[w.at])) {
			w.at++
		}
	}
	if text {
		w.out = append(w.out, value{path, lo, w.at})
	}
}

func (w *walker) container(path string) {
	list := w.in[w.at] == '['
	w.at++
	w.space()
	for i := 0; w.in[w.at] != '}' && w.in[w.at] != ']'; i++ {
		if w.in[w.at] == ',' {
			w.at++
			w.space()
		}
		name := path + fmt.Sprintf("[%d]", i)
		if !list {
			lo, hi := w.str()
			w.space()
			w.at++ // the colon
			w.space()
			name = path + "." + string(w.in[lo:hi])
		}
		w.value(name)
		w.space()
	}
	w.at++
}

func (w *walker) space() {
	for strings.ContainsRune(" \t\r\n", rune(w.in[w.at])) {
		w.at++
	}
}

func (w *walker) str() (lo, hi int) {
	w.at++
	lo = w.at
	for w.in[w.at] != '"' {
		if w.in[w.at] == '\\' {
			w.at++
		}
		w.at++
	}
	w.at++
	return lo, w.at - 1
}

// CheckMarks fails unless the marks tile every text of a body and nothing else.
func (s Suite) CheckMarks(t testing.TB, b wire.Body) {
	t.Helper()
	i := 0
	for _, v := range s.values(t, b.JSON) {
		at := v.lo
		for i < len(b.Marks) && b.Marks[i].Lo < v.hi {
			m := b.Marks[i]
			if m.Lo != at || m.Hi <= m.Lo || m.Hi > v.hi {
				t.Fatalf("%s: mark %d is [%d,%d), want it to begin at %d and to end within %d", v.path, i, m.Lo, m.Hi, at, v.hi)
			}
			at = m.Hi
			i++
		}
		if at != v.hi {
			t.Fatalf("%s: bytes %d to %d have no mark: %q", v.path, at, v.hi, b.JSON[at:v.hi])
		}
	}
	if i != len(b.Marks) {
		t.Fatalf("mark %d covers no text: %+v %q", i, b.Marks[i], b.JSON[b.Marks[i].Lo:b.Marks[i].Hi])
	}
}
