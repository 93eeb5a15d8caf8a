// Package bullets writes a list of names with descriptions so that it never
// exceeds a number of bytes.
//
// If the descriptions do not fit they are shortened evenly: those that are cut
// differ in length by one character at most, so no entry loses for standing last.
// Names stay; only if not even they fit, the last ones are left out, and a line
// says how many:
//
//	r := bullets.Fit([]bullets.Item{
//		{Name: "deploy", Text: "how to bring a build into production"},
//		{Name: "review", Text: "what to look at in a change"},
//	}, "## Skills\n\n", "", 60)
//	r.Text.String() // "## Skills\n\n- deploy: how to brin…\n- review: what to loo…"
//	r.Shortened     // 2
//
// The same items give the same bytes. The package is pure.
package bullets

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/span"
)

// An Item is one line. Neither text holds a line end.
type Item struct {
	Name, Text string
	From       *span.Origin // of both texts
	NameOff    int32        // where the name stands in its file, or span.NoOffset
	TextOff    int32        // where the text does
}

// A Result is a list and what was lost.
type Result struct {
	Text      span.Text // without a line end at its end, unless the foot has one
	Shortened int       // how many texts were cut
	Runes     int       // the length to which they were, in characters, or one more
	Left      int       // how many items are not named
}

// ellipsis ends a text that was cut. It counts as one character.
const ellipsis = "…"

// least is the shortest text worth showing, in characters.
const least = 2

// Fit writes the head, a line for each item and the foot in at most max bytes.
// If head and foot alone are longer, there is no text. The head and the foot bring
// their own line ends towards the items.
func Fit(items []Item, head, foot string, max int) Result {
	f := fit{items: items, room: max - len(head) - len(foot)}
	if f.room < 0 {
		return Result{Left: len(items)}
	}
	f.names()
	f.texts()
	r := Result{Shortened: f.shortened, Left: len(items) - f.named}
	if f.shortened > 0 {
		r.Runes = f.runes
	}
	r.Text = f.write(head, foot)
	return r
}

// around is what Section keeps free for the lines that a preset puts around a
// section.
const around = 128

// Section writes a list that is a section of a prompt: in at most max bytes
// together with the lines around it. For max, 0 is the standard and less than 0 is
// none. lost says what did not fit, calling the items by kind, as "skills"; empty:
// everything did.
func Section(items []Item, head, foot string, max, standard int, kind string) (text span.Text, lost string) {
	switch {
	case max == 0:
		max = standard
	case max < 0:
		max = 0
	}
	r := Fit(items, head, foot, max-min(around, max/8))
	if r.Shortened+r.Left == 0 {
		return r.Text, ""
	}
	var parts []string
	switch {
	case r.Shortened > 0 && r.Runes > 0:
		parts = append(parts, fmt.Sprintf("%d of %d descriptions were shortened to %d characters", r.Shortened, len(items), r.Runes))
	case r.Shortened > 0:
		parts = append(parts, fmt.Sprintf("%d of %d descriptions were left out", r.Shortened, len(items)))
	}
	if r.Left > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d %s are not listed", r.Left, len(items), kind))
	}
	return r.Text, strings.Join(parts, " and ") + fmt.Sprintf(", to keep the list within %d bytes", max)
}

// fit is one list in the making.
type fit struct {
	items     []Item
	room      int // bytes for the lines
	named     int // how many items have a line
	more      string
	runes     int // the length to which texts are cut
	longer    int // how many of the cut texts have one character more
	shortened int
}

// names finds out how many names fit, with the line that counts the others.
func (f *fit) names() {
	size := 0 // of the lines, each with the line end before it
	for _, it := range f.items {
		size += len("\n- ") + len(it.Name)
	}
	f.named = len(f.items)
	for f.named > 0 && size+len(f.more)-1 > f.room { // the first line has no line end
		f.named--
		size -= len("\n- ") + len(f.items[f.named].Name)
		f.more = fmt.Sprintf("\n- %s and %d more", ellipsis, len(f.items)-f.named)
	}
	if size += len(f.more); size > 0 {
		size--
	}
	if size > f.room {
		f.more, size = "", 0
	}
	f.room -= size
}

// texts finds out to what length the texts are cut.
func (f *fit) texts() {
	longest := 0
	for _, it := range f.items[:f.named] {
		longest = max(longest, utf8.RuneCountInString(it.Text))
	}
	f.runes = longest
	if f.size(longest) <= f.room {
		return
	}
	low, high := 0, longest // low fits, high does not
	for high-low > 1 {
		if mid := (low + high) / 2; f.size(mid) <= f.room {
			low = mid
		} else {
			high = mid
		}
	}
	if low < least {
		low = 0
	}
	f.runes = low
	left := f.room - f.size(low)
	full := false // one more character would be too much
	for _, it := range f.items[:f.named] {
		s, cut := shorten(it.Text, low)
		if !cut {
			continue
		}
		f.shortened++
		if low == 0 || full {
			continue
		}
		t, still := shorten(it.Text, low+1)
		if full = len(t)-len(s) > left; full {
			continue
		}
		left -= len(t) - len(s)
		f.longer++
		if !still {
			f.shortened--
		}
	}
}

// size returns the bytes of all texts cut to n characters, with what stands
// before them.
func (f *fit) size(n int) int {
	sum := 0
	for _, it := range f.items[:f.named] {
		if s, _ := shorten(it.Text, n); s != "" {
			sum += len(": ") + len(s)
		}
	}
	return sum
}

// shorten returns s in at most n characters.
func shorten(s string, n int) (short string, cut bool) {
	if len(s) <= n {
		return s, false
	}
	at := 0
	for i := range s {
		if n == 0 {
			return s[:at] + ellipsis[:min(at, 1)*len(ellipsis)], true
		}
		n--
		if n > 0 {
			_, size := utf8.DecodeRuneInString(s[i:])
			at = i + size
		}
	}
	return s, false
}

// write makes the text.
func (f *fit) write(head, foot string) span.Text {
	w := writer{}
	w.gen.WriteString(head)
	longer := f.longer
	for i, it := range f.items[:f.named] {
		if i > 0 {
			w.gen.WriteByte('\n')
		}
		w.gen.WriteString("- ")
		w.put(it.Name, it.From, it.NameOff)
		s, cut := shorten(it.Text, f.runes)
		if cut && longer > 0 {
			longer--
			s, cut = shorten(it.Text, f.runes+1)
		}
		if s == "" {
			continue
		}
		w.gen.WriteString(": ")
		if cut {
			s = strings.TrimSuffix(s, ellipsis)
		}
		w.put(s, it.From, it.TextOff)
		if cut {
			w.gen.WriteString(ellipsis)
		}
	}
	if f.named == 0 {
		f.more = strings.TrimPrefix(f.more, "\n")
	}
	w.gen.WriteString(f.more)
	w.gen.WriteString(foot)
	w.flush()
	return w.out
}

var generated = span.Generated("list")

// writer joins what is generated between the texts of others.
type writer struct {
	out span.Text
	gen strings.Builder
}

func (w *writer) put(s string, from *span.Origin, off int32) {
	w.flush()
	if s != "" {
		w.out = append(w.out, span.Span{Text: s, From: from, Off: off})
	}
}

func (w *writer) flush() {
	if w.gen.Len() > 0 {
		w.out = append(w.out, span.Span{Text: w.gen.String(), From: generated, Off: span.NoOffset})
		w.gen.Reset()
	}
}
