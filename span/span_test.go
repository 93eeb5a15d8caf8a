package span_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/span"
)

var (
	fileA = &span.Origin{Section: "a", Path: "a.md"}
	fileB = &span.Origin{Section: "b", Path: "b.md", Trust: span.Project}
)

func diff(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

// mixed reads "one\ntwo\nthréé": two spans of a.md with something generated
// between them, and one of b.md.
func mixed() span.Text {
	return span.Text{
		{Text: "one\n", From: fileA, Off: 10},
		{Text: "two\n", From: span.Generated("x"), Off: span.NoOffset},
		{Text: "th", From: fileA, Off: 20, Template: true},
		{Text: "réé", From: fileB, Off: 0},
	}
}

func TestOf(t *testing.T) {
	diff(t, "Of", span.Of("x", fileA), span.Text{{Text: "x", From: fileA}})
	diff(t, "OfGenerated", span.OfGenerated("x", fileA), span.Text{{Text: "x", From: fileA, Off: span.NoOffset}})
	diff(t, "Of nothing", span.Of("", fileA), span.Text(nil))
	diff(t, "OfGenerated nothing", span.OfGenerated("", fileA), span.Text(nil))
	diff(t, "Generated", span.Generated("cut"), &span.Origin{Source: "generated:cut"})
}

func TestTextReads(t *testing.T) {
	m := mixed()
	want := "one\ntwo\nthréé"
	diff(t, "String", m.String(), want)
	diff(t, "Len", m.Len(), len(want))
	diff(t, "AppendTo", string(m.AppendTo([]byte("> "))), "> "+want)
	diff(t, "String of nil", span.Text(nil).String(), "")
}

func TestEqual(t *testing.T) {
	tests := []struct {
		a, b span.Text
		want bool
	}{
		{nil, nil, true},
		{nil, span.Text{{}}, true},
		{span.Of("ab", fileA), span.Of("ab", fileB), true},
		{span.Of("ab", fileA), span.Text{{Text: "a"}, {}, {Text: "b"}}, true},
		{span.Text{{Text: "a"}, {Text: "bc"}}, span.Text{{Text: "ab"}, {Text: "c"}}, true},
		{span.Of("ab", fileA), span.Text{{Text: "a"}}, false},
		{span.Text{{Text: "a"}}, span.Text{{Text: "a"}, {Text: "b"}}, false},
		{span.Of("ab", fileA), span.Of("ac", fileA), false},
	}
	for _, tt := range tests {
		diff(t, tt.a.String()+" = "+tt.b.String(), tt.a.Equal(tt.b), tt.want)
		diff(t, tt.b.String()+" = "+tt.a.String(), tt.b.Equal(tt.a), tt.want)
	}
}

func TestIsBlank(t *testing.T) {
	diff(t, "nil", span.Text(nil).IsBlank(), true)
	diff(t, "spaces", span.Text{{Text: " \n"}, {Text: "\t\u00a0"}}.IsBlank(), true)
	diff(t, "a letter", span.Text{{Text: " "}, {Text: " x"}}.IsBlank(), false)
}

func TestAt(t *testing.T) {
	m := mixed()
	diff(t, "first byte", m.At(0), m[0])
	diff(t, "last byte of a span", m.At(7), m[1])
	diff(t, "first byte of a span", m.At(8), m[2])
	diff(t, "before", m.At(-1), span.Span{})
	diff(t, "behind", m.At(m.Len()), span.Span{})
}

func TestSlice(t *testing.T) {
	m := mixed()
	tests := []struct {
		name   string
		lo, hi int
		want   span.Text
	}{
		{"all", 0, m.Len(), m},
		{"clamped", -5, 100, m},
		{"within a span", 1, 3, span.Text{{Text: "ne", From: fileA, Off: 11}}},
		{"generated spans have no offset", 2, 6, span.Text{{Text: "e\n", From: fileA, Off: 12}, {Text: "tw", From: m[1].From, Off: span.NoOffset}}},
		{"templates stay templates", 9, 11, span.Text{{Text: "h", From: fileA, Off: 21, Template: true}, {Text: "r", From: fileB}}},
		{"ends move down to a rune", 12, 14, span.Text{{Text: "é", From: fileB, Off: 1}}},
		{"nothing", 5, 5, nil},
		{"backwards", 6, 2, nil},
		{"before", -3, -1, nil},
	}
	for _, tt := range tests {
		diff(t, tt.name, m.Slice(tt.lo, tt.hi), tt.want)
	}
	diff(t, "the argument", m, mixed())
}

func TestCut(t *testing.T) {
	s := span.Span{Text: "aéb", From: fileA, Off: 5}
	diff(t, "inside a rune", s.Cut(2, 3), span.Span{Text: "é", From: fileA, Off: 6})
	diff(t, "not UTF-8", span.Span{Text: "\xc3\xff\xa9"}.Cut(1, 2), span.Span{Text: "\xff", Off: 1})
	diff(t, "clamped", s.Cut(-1, 9), s)
}

func TestConcat(t *testing.T) {
	m := mixed()
	got := span.Concat(m[:1], span.Text{{}}, nil, m[1:])
	diff(t, "Concat", got, m)
	got[0].Text = "changed"
	diff(t, "the argument", m, mixed())
	diff(t, "nothing", span.Concat(), span.Text{})
}

func TestTrimSpace(t *testing.T) {
	x := span.Text{{Text: " \n", From: fileA}, {Text: " a b", From: fileA, Off: 2}, {Text: "\u00a0\r\n", From: fileB}}
	diff(t, "TrimSpace", x.TrimSpace(), span.Text{{Text: "a b", From: fileA, Off: 3}})
	diff(t, "blank", x[:1].TrimSpace(), span.Text(nil))
	diff(t, "the argument", x[1].Text, " a b")
}

func TestTrust(t *testing.T) {
	for _, tr := range []span.Trust{span.Builtin, span.User, span.Workspace, span.Project, span.Tool} {
		b, err := tr.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back span.Trust
		if err := back.UnmarshalText(b); err != nil {
			t.Fatal(err)
		}
		diff(t, tr.String(), back, tr)
	}
	diff(t, "unknown name", span.ParseTrust("root"), span.Tool)
	diff(t, "unknown level", span.Trust(200).String(), "unknown")
}

// FuzzSlice checks that slices tile the text, wherever they are cut, that they
// are cut between runes, and that offsets follow.
func FuzzSlice(f *testing.F) {
	f.Add("one|two|thréé", 5, 9)
	f.Add("é|\xc3|\xa9é|", 1, 4)
	f.Add("", 0, 0)
	f.Add("😀|\xf0\x9f|\x98\x80", 2, 6)
	f.Fuzz(func(t *testing.T, s string, i, j int) {
		var x span.Text
		for k, piece := range strings.Split(s, "|") {
			x = append(x, span.Span{Text: piece, From: &span.Origin{Section: s}, Off: int32(100 * k)})
		}
		whole := x.String()
		if got := x.Slice(0, i).String() + x.Slice(i, x.Len()).String(); got != whole {
			t.Fatalf("cut at %d: %q, want %q", i, got, whole)
		}
		i, j = min(i, j), max(i, j)
		if got := x.Slice(0, i).String() + x.Slice(i, j).String() + x.Slice(j, len(whole)).String(); got != whole {
			t.Fatalf("cut at %d and %d: %q, want %q", i, j, got, whole)
		}
		at := 0
		for _, p := range x.Slice(i, j) {
			if p.Text == "" {
				t.Fatal("an empty span")
			}
			for x[at].From != p.From { // spans stay in order
				at++
			}
			lo := int(p.Off) - int(x[at].Off)
			if x[at].Text[lo:lo+len(p.Text)] != p.Text {
				t.Fatalf("%q is not at %d of %q", p.Text, lo, x[at].Text)
			}
			if strings.ToValidUTF8(x[at].Text, "") == x[at].Text && strings.ToValidUTF8(p.Text, "") != p.Text {
				t.Fatalf("%q was cut inside a rune of %q", p.Text, x[at].Text)
			}
		}
	})
}

func BenchmarkSlice(b *testing.B) {
	x := make(span.Text, 200)
	for i := range x {
		x[i] = span.Span{Text: strings.Repeat("line\n", 20), From: fileA, Off: int32(100 * i)}
	}
	b.ReportAllocs()
	for b.Loop() {
		x.Slice(5000, 15000)
	}
}
