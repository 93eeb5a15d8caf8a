package bullets_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/source/skills/bullets"
	"github.com/proemhq/proem/span"
)

func TestFit(t *testing.T) {
	items := []bullets.Item{{Name: "a", Text: "alpha beta"}, {Name: "b"}, {Name: "c", Text: "中中中中中"}}
	for _, tt := range []struct {
		max       int
		want      string
		shortened int
		left      int
	}{
		{100, "H\n- a: alpha beta\n- b\n- c: 中中中中中\nF", 0, 0},
		{44, "H\n- a: alpha beta\n- b\n- c: 中中中中中\nF", 0, 0},
		{43, "H\n- a: alpha …\n- b\n- c: 中中中中中\nF", 1, 0},
		{42, "H\n- a: alpha…\n- b\n- c: 中中中中中\nF", 1, 0},
		{37, "H\n- a: alp…\n- b\n- c: 中中中…\nF", 2, 0},
		{36, "H\n- a: alp…\n- b\n- c: 中中…\nF", 2, 0},
		{20, "H\n- a\n- b\n- c\nF", 2, 0},
		{15, "H\n- a\n- b\n- c\nF", 2, 0},
		{14, "", 0, 3},
		{3, "", 0, 3},
	} {
		r := bullets.Fit(items, "H\n", "\nF", tt.max)
		got := r.Text.String()
		if len(got) > tt.max {
			t.Errorf("Fit(%d) has %d bytes", tt.max, len(got))
		}
		if tt.want == "" {
			continue
		}
		if diff := cmp.Diff([]any{got, r.Shortened, r.Left}, []any{tt.want, tt.shortened, tt.left}); diff != "" {
			t.Errorf("Fit(%d) (-got +want):\n%s", tt.max, diff)
		}
	}
}

func TestNamesLeftOut(t *testing.T) {
	var items []bullets.Item
	for i := range 100 {
		items = append(items, bullets.Item{Name: fmt.Sprintf("n%02d", i), Text: "text"})
	}
	r := bullets.Fit(items, "", "", 40)
	if diff := cmp.Diff(r.Text.String(), "- n00\n- n01\n- n02\n- … and 97 more"); diff != "" || r.Left != 97 {
		t.Errorf("left %d (-got +want):\n%s", r.Left, diff)
	}
	if r := bullets.Fit(items, "head", "", 3); r.Text != nil || r.Left != 100 {
		t.Errorf("%q, left %d", r.Text, r.Left)
	}
}

func TestSpans(t *testing.T) {
	from := &span.Origin{Path: "/w/a"}
	text := bullets.Fit([]bullets.Item{{Name: "a", Text: "long text", From: from, NameOff: 10, TextOff: 20}}, "H ", "", 14).Text
	gen := span.Generated("list")
	want := span.Text{
		{Text: "H - ", From: gen, Off: span.NoOffset}, {Text: "a", From: from, Off: 10},
		{Text: ": ", From: gen, Off: span.NoOffset}, {Text: "long", From: from, Off: 20}, {Text: "…", From: gen, Off: span.NoOffset},
	}
	if diff := cmp.Diff(text, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

// FuzzFit: whatever the items, the list keeps its budget and shortens evenly.
func FuzzFit(f *testing.F) {
	f.Add("alpha beta\n中中中中\n\nx", 30)
	f.Fuzz(func(t *testing.T, s string, max int) {
		max &= 0xfff
		var items []bullets.Item
		for i, line := range strings.Split(strings.ToValidUTF8(s, "?"), "\n") {
			items = append(items, bullets.Item{Name: fmt.Sprint("n", i), Text: line})
		}
		r := bullets.Fit(items, "head\n", "\nfoot", max)
		text := r.Text.String()
		if len(text) > max || !utf8.ValidString(text) {
			t.Fatalf("%d bytes of %d: %q", len(text), max, text)
		}
		if r.Text == nil || r.Left > 0 {
			return
		}
		lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(text, "head\n"), "\nfoot"), "\n")
		if len(lines) != len(items) {
			t.Fatalf("%d lines of %d", len(lines), len(items))
		}
		shortest, longest, n := 1<<20, 0, 0
		for i, l := range lines {
			got := strings.TrimPrefix(strings.TrimPrefix(l, "- "+items[i].Name), ": ")
			if got == items[i].Text {
				continue
			}
			n++
			k := utf8.RuneCountInString(got)
			shortest, longest = min(shortest, k), larger(longest, k)
		}
		if n != r.Shortened || n > 0 && longest-shortest > 1 {
			t.Fatalf("%d cut, said %d; lengths %d to %d: %q", n, r.Shortened, shortest, longest, text)
		}
	})
}

// larger is max, which a parameter of the fuzz target hides.
func larger(a, b int) int { return max(a, b) }

func ExampleFit() {
	r := bullets.Fit([]bullets.Item{
		{Name: "deploy", Text: "how to bring a build into production"},
		{Name: "review", Text: "what to look at in a change"},
	}, "## Skills\n\n", "", 60)
	fmt.Println(r.Text)
	fmt.Println(r.Shortened)
	// Output:
	// ## Skills
	//
	// - deploy: how to brin…
	// - review: what to loo…
	// 2
}

func TestSection(t *testing.T) {
	items := []bullets.Item{{Name: "deploy", Text: strings.Repeat("a", 300)}, {Name: "review", Text: strings.Repeat("b", 300)}}
	for _, tt := range []struct {
		max  int
		lost string
		size int // at most
	}{
		{0, "", 1000 - 125},
		{2000, "", 2000 - 128},
		{400, "2 of 2 descriptions were shortened to 162 characters, to keep the list within 400 bytes", 350},
		{40, "2 of 2 descriptions were shortened to 5 characters, to keep the list within 40 bytes", 35},
		{20, "2 of 2 descriptions were left out, to keep the list within 20 bytes", 18},
		{-1, "2 of 2 skills are not listed, to keep the list within 0 bytes", 0},
	} {
		text, lost := bullets.Section(items, "", "", tt.max, 1000, "skills")
		if n := len(text.String()); n > tt.size || lost != tt.lost {
			t.Errorf("%d: %d bytes, want %d at most; lost %q, want %q", tt.max, n, tt.size, lost, tt.lost)
		}
	}
}
