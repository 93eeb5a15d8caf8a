package span_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/span"
)

// where lists the spans of a text as "section@offset: text"; a rewrite's spans
// have the section "by".
func where(t span.Text) []string {
	out := []string{}
	for _, s := range t {
		out = append(out, fmt.Sprintf("%s@%d: %q", s.From.Section, s.Off, s.Text))
	}
	return out
}

func TestReanchor(t *testing.T) {
	by := span.Origin{Section: "by"}
	tests := []struct {
		name, old, now string
		want           []string
	}{
		{"appended", "one\ntwo\n", "one\ntwo\nthree\n", []string{`a@0: "one\ntwo\n"`, `by@-1: "three\n"`}},
		{"appended to the last line", "one", "one more", []string{`a@0: "one"`, `by@-1: " more"`}},
		{"put in front", "one\ntwo\n", "zero\none\ntwo\n", []string{`by@-1: "zero\n"`, `a@0: "one\ntwo\n"`}},
		{"inserted", "one\ntwo\n", "one\nand\ntwo\n", []string{`a@0: "one\n"`, `by@-1: "and\n"`, `a@4: "two\n"`}},
		{"removed", "one\ntwo\nthree\n", "one\nthree\n", []string{`a@0: "one\n"`, `a@8: "three\n"`}},
		{"a word in a line", "one\nsay this now\nend\n", "one\nsay that now\nend\n",
			[]string{`a@0: "one\nsay th"`, `by@-1: "at"`, `a@12: " now\nend\n"`}},
		{"a rune that shares a byte", "é\n", "è\n", []string{`by@-1: "è"`, `a@2: "\n"`}},
		{"moved lines keep one of the two orders", "a1\nb2\nc3\n", "c3\na1\nb2\n", []string{`by@-1: "c3\n"`, `a@0: "a1\nb2\n"`}},
		{"repeated lines between anchors", "x\nA\nx\nB\nx\n", "x\nA\nx\nnew\nx\nB\nx\n",
			[]string{`a@0: "x\nA\nx\n"`, `by@-1: "new\nx\n"`, `a@6: "B\nx\n"`}},
		{"everything", "one\n", "two", []string{`by@-1: "two"`}},
		{"emptied", "one\n", "", []string{}},
		{"from nothing", "", "one", []string{`by@-1: "one"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := span.Of(tt.old, fileA).Reanchor(tt.now, by)
			diff(t, "text", got.String(), tt.now)
			diff(t, "origins", where(got), tt.want)
		})
	}
}

func TestReanchorManySources(t *testing.T) {
	got := mixed().Reanchor("one\ntwo\nthréé!", span.Origin{Section: "by"})
	diff(t, "origins", where(got), []string{`a@10: "one\n"`, `@-1: "two\n"`, `a@20: "th"`, `b@0: "réé"`, `by@-1: "!"`})
	if !got[2].Template || got[3].Template {
		t.Error("templates are not kept as they were")
	}

	same := mixed()
	if got := same.Reanchor(same.String(), span.Origin{}); &got[0] != &same[0] {
		t.Error("an equal text was copied")
	}
}

// Equal neighbours in a source become one span again, but not across two places
// that merely read alike.
func TestReanchorJoins(t *testing.T) {
	x := span.Text{{Text: "a\n", From: fileA, Off: 0}, {Text: "b\n", From: fileA, Off: 2}, {Text: "c\n", From: fileA, Off: 40}}
	got := x.Reanchor("a\nb\nc\nd\n", span.Origin{Section: "by"})
	diff(t, "origins", where(got), []string{`a@0: "a\nb\n"`, `a@40: "c\n"`, `by@-1: "d\n"`})
}

// FuzzReanchor checks that the result reads as asked, that every kept span
// stands in its source at its offset, that the kept text keeps its order, and
// that whole lines at both ends keep their origin.
func FuzzReanchor(f *testing.F) {
	f.Add("one\ntwo\n|three\n", "one\nand\nthree\n")
	f.Add("a\na\nb\n|a\n", "a\nb\na\na\n")
	f.Add("é|\xc3\xa9\n", "\xa9é\n")
	f.Add("", "x")
	f.Add("x\ny\nz|\n\n|x\ny", "y\nx\n\n\nz\ny")
	f.Fuzz(func(t *testing.T, s, now string) {
		var old span.Text
		for i, piece := range strings.Split(s, "|") {
			old = append(old, span.Span{Text: piece, From: &span.Origin{Section: fmt.Sprint(i)}})
		}
		whole := old.String()
		got := old.Reanchor(now, span.Origin{Section: "by"})
		if got.String() != now {
			t.Fatalf("got %q, want %q", got.String(), now)
		}
		if now == whole {
			return
		}
		source, least := 0, 0
		for _, p := range got {
			if p.Text == "" {
				t.Fatal("an empty span")
			}
			if p.From.Section == "by" {
				if p.Off != span.NoOffset {
					t.Fatalf("new text has offset %d", p.Off)
				}
				continue
			}
			for old[source].From != p.From {
				source, least = source+1, 0
			}
			lo, hi := int(p.Off), int(p.Off)+len(p.Text)
			if lo < least || hi > len(old[source].Text) || old[source].Text[lo:hi] != p.Text {
				t.Fatalf("%q is not at %d of %q, or out of order", p.Text, lo, old[source].Text)
			}
			least = hi
		}
		n := 0
		for n < len(now) && n < len(whole) && now[n] == whole[n] {
			n++
		}
		if n = strings.LastIndexByte(now[:n], '\n') + 1; n > 0 {
			for _, p := range got.Slice(0, n) {
				if p.From.Section == "by" {
					t.Fatalf("%q is at the start of both texts and lost its origin", p.Text)
				}
			}
		}
		if again := old.Reanchor(now, span.Origin{Section: "by"}); fmt.Sprint(where(again)) != fmt.Sprint(where(got)) {
			t.Fatal("two runs differ")
		}
	})
}

func BenchmarkReanchor(b *testing.B) {
	var s strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&s, "line %d of a text\n", i)
	}
	old := span.Of(s.String(), fileA)
	now := strings.ReplaceAll(s.String(), "7 of", "7 in") + "end\n"
	b.ReportAllocs()
	for b.Loop() {
		old.Reanchor(now, span.Origin{Stage: "x"})
	}
}

// Each line occurs once more in the part before it, so every pass finds only a
// few lines that occur once.
func BenchmarkReanchorNested(b *testing.B) {
	var before, after strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&before, "u%d\nold%d\nu%d\n", i+1, i, i)
		fmt.Fprintf(&after, "u%d\nnew%d\nu%d\n", i+1, i, i)
	}
	old, now := span.Of(before.String(), fileA), after.String()
	b.ReportAllocs()
	for b.Loop() {
		old.Reanchor(now, span.Origin{Stage: "x"})
	}
}

// Where as many lines came as went, each is an edit of the one it replaces.
func TestReanchorPairs(t *testing.T) {
	tests := []struct {
		name, old, now string
		want           []string
	}{
		{"two edited lines", "a: 1\nb: 2\n", "a: 10\nb: 20\n",
			[]string{`a@0: "a: 1"`, `by@-1: "0"`, `a@4: "\nb: 2"`, `by@-1: "0"`, `a@9: "\n"`}},
		{"every line", "k1=x\nk2=x\nk3=x", "k1=y\nk2=y\nk3=y",
			[]string{`a@0: "k1="`, `by@-1: "y"`, `a@4: "\nk2="`, `by@-1: "y"`, `a@9: "\nk3="`, `by@-1: "y"`}},
		{"between lines that stay", "top\nsay tabs\nuse tabs\nend\n", "top\nsay spaces\nuse spaces\nend\n",
			[]string{`a@0: "top\nsay "`, `by@-1: "space"`, `a@11: "s\nuse "`, `by@-1: "space"`, `a@20: "s\nend\n"`}},
		{"not as many: one replacement", "a: 1\nb: 2\nend\n", "x: 7\nend\n", []string{`by@-1: "x: 7"`, `a@9: "\nend\n"`}},
		{"a line and its copy", "x\nx\n", "xy\nxy\n", []string{`a@0: "x"`, `by@-1: "y"`, `a@1: "\nx"`, `by@-1: "y"`, `a@3: "\n"`}},
		{"last line without an end", "a\nb", "a1\nb1\n", []string{`a@0: "a"`, `by@-1: "1"`, `a@1: "\nb"`, `by@-1: "1\n"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := span.Of(tt.old, fileA).Reanchor(tt.now, span.Origin{Section: "by"})
			diff(t, "text", got.String(), tt.now)
			diff(t, "origins", where(got), tt.want)
		})
	}
}

// Text made so that each pass of matching finds two lines only is read right,
// keeps its ends, and takes time in proportion to its length.
func TestReanchorBoundedNesting(t *testing.T) {
	nested := func(n int) (old span.Text, now string) {
		var before, after strings.Builder
		for i := range n {
			fmt.Fprintf(&before, "u%d\nold%d\nu%d\n", i+1, i, i)
			fmt.Fprintf(&after, "u%d\nnew%d\nu%d\n", i+1, i, i)
		}
		return span.Of("first\n"+before.String()+"last\n", fileA), "first\n" + after.String() + "last\n"
	}
	old, now := nested(300)
	got := old.Reanchor(now, span.Origin{Section: "by"})
	diff(t, "text", got.String(), now)
	kept := 0
	for _, s := range got {
		if s.From.Section == "by" {
			continue
		}
		kept += len(s.Text)
		if at := int(s.Off); old.String()[at:at+len(s.Text)] != s.Text {
			t.Errorf("%q is not at %d", s.Text, at)
		}
	}
	if kept < len(now)/4 {
		t.Errorf("%d of %d bytes keep their origin", kept, len(now))
	}
	if first, last := got[0], got[len(got)-1]; !strings.HasPrefix(first.Text, "first\n") || !strings.HasSuffix(last.Text, "last\n") || last.From != fileA {
		t.Error("the ends lost their origin")
	}
	cost := func(n int) float64 {
		old, now := nested(n)
		return testing.AllocsPerRun(1, func() { old.Reanchor(now, span.Origin{}) })
	}
	if a, b := cost(1000), cost(8000); b > 10*a {
		t.Errorf("eight times the text: %.0f allocations instead of %.0f", b, a)
	}
}
