package scenario

import (
	"fmt"
	"hash/fnv"
	"sort"
	"strings"
	"sync"
)

// words are short, so that a tokenizer makes one token of each.
var words = strings.Fields(`the file test code line name path list read edit tool step plan note text word data type call main
	list item next last open load save keep move sort find make take give show hide send wait stop turn part page
	tree node leaf root left right fast slow warm cold north south east west early late first third whole half round flat
	clear plain short long wide deep high low near far old new good small large quiet loud green blue white black`)

// perLine is how many words stand in a line.
const perLine = 12

// lines returns n words in lines. Equal names give equal words.
func lines(name string, n int) []string {
	h := fnv.New64a()
	h.Write([]byte(name))
	x := h.Sum64() | 1
	var out []string
	var line []string
	for i := range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		line = append(line, words[x%uint64(len(words))])
		if len(line) == perLine || i == n-1 {
			out = append(out, strings.Join(line, " "))
			line = nil
		}
	}
	return out
}

// A writer writes texts of a size. It may be used concurrently, as sources are.
type writer struct {
	count func(string) int
	mu    sync.Mutex
	sizes map[string]int // words that a text of a name and size has
}

// write returns a text of about so many tokens.
func (w *writer) write(name string, tokens int) string {
	return strings.Join(w.lines(name, tokens), "\n")
}

func (w *writer) lines(name string, tokens int) []string {
	id := fmt.Sprint(name, "\x00", tokens)
	w.mu.Lock()
	defer w.mu.Unlock()
	n, ok := w.sizes[id]
	if !ok {
		n = max(1, sort.Search(2*tokens, func(n int) bool { return w.count(strings.Join(lines(name, n), "\n")) >= tokens }))
		w.sizes[id] = n
	}
	return lines(name, n)
}

// part returns a part's text at a step.
func (w *writer) part(p Part, step int) string {
	v := p.Version(step)
	if v == 0 {
		return w.write(p.Name, p.Tokens)
	}
	named := fmt.Sprintf("%s, version %d", p.Name, v)
	if p.Edit == Whole {
		return w.write(named, p.Tokens)
	}
	text := w.lines(p.Name, p.Tokens)
	text[len(text)/2] = lines(named, len(strings.Fields(text[len(text)/2])))[0]
	return strings.Join(text, "\n")
}
