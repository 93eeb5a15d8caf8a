package find_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/tool/memory/find"
)

func TestRank(t *testing.T) {
	entries := []string{
		"- 2026-01-01: the user prefers tabs",
		"- 2026-01-02: the user prefers green tea",
		"- 用户喜欢绿茶，不喝咖啡",
		"- 締め切りは五月です",
		"- 배포는 금요일에 합니다",
		"- ผู้ใช้ชอบชาเขียว",
		"- Café Müller opens at ９",
		"- configuration lives in config.yaml",
		"- Straße",
	}
	text := []find.Text{{Body: strings.Join(entries, "\n") + "\n"}}
	for _, tt := range []struct {
		query string
		want  []int // lines
	}{
		{"tabs", []int{1}},
		{"TABS?", []int{1}},
		{"which tea does the user prefer", []int{2, 1}},
		{"user", []int{2, 1}}, // the newest first
		{"绿茶", []int{3}},
		{"咖啡好喝", []int{3}},
		{"茶", []int{3}},
		{"締め切り", []int{4}},
		{"배포", []int{5}},
		{"ชาเขียว", []int{6}},
		{"cafe\u0301 mu\u0308ller", []int{7}}, // decomposed
		{"9", []int{7}},
		{"config", []int{8}},
		{"configurations", []int{8}},
		{"STRASSE", []int{9}},
		{"figur", []int{8}},
		{"xyz", nil},
		{"", nil},
	} {
		var got []int
		for _, h := range find.Rank(text, tt.query) {
			got = append(got, h.Unit.First)
		}
		if d := cmp.Diff(got, tt.want, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%q (-got +want):\n%s", tt.query, d)
		}
	}
}

// TestRareWords ranks by how rare a word is, and words in a row before apart.
func TestRareWords(t *testing.T) {
	var b strings.Builder
	for n := range 40 {
		fmt.Fprintf(&b, "- the server number %d restarts\n", n)
	}
	b.WriteString("- the certificate expires\n- server blue\n- blue big server\n- blue server\n")
	texts := []find.Text{{Body: b.String()}}
	if got := find.Rank(texts, "server certificate")[0].Unit.First; got != 41 {
		t.Errorf("the rare word is at line 41, the first hit is line %d", got)
	}
	if got := find.Rank(texts, "blue server")[0].Unit.First; got != 44 {
		t.Errorf("the words stand in a row in line 44, the first hit is line %d", got)
	}
}

func TestUnits(t *testing.T) {
	text := "# Head\npara one\ngoes on\n\n- a\n  below a\n* b\n## Next\n- c"
	var got []string
	for _, u := range find.Units(text) {
		got = append(got, fmt.Sprintf("%d-%d %q item=%v heading=%v", u.First, u.Last, text[u.Lo:u.Hi], u.Item, u.Heading))
	}
	want := []string{
		`1-1 "# Head\n" item=false heading=true`,
		`2-3 "para one\ngoes on\n" item=false heading=false`,
		`5-6 "- a\n  below a\n" item=true heading=false`,
		`7-7 "* b\n" item=true heading=false`,
		`8-8 "## Next\n" item=false heading=true`,
		`9-9 "- c" item=true heading=false`,
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Error(d)
	}
}

// FuzzRank looks for anything in anything: units tile the text in order, and equal
// arguments give equal hits.
func FuzzRank(f *testing.F) {
	f.Add("# a\n\n- b\n c\n", "b")
	f.Add("- 绿茶\r\n", "绿 茶")
	f.Fuzz(func(t *testing.T, body, query string) {
		at, line := 0, 0
		for _, u := range find.Units(body) {
			if u.Lo < at || u.Hi <= u.Lo || u.First <= line || u.Last < u.First || strings.TrimSpace(body[at:u.Lo]) != "" {
				t.Fatalf("unit %+v behind byte %d, line %d of %q", u, at, line, body)
			}
			if n := strings.Count(body[:u.Lo], "\n") + 1; n != u.First {
				t.Fatalf("unit %+v begins in line %d of %q", u, n, body)
			}
			at, line = u.Hi, u.Last
		}
		if strings.TrimSpace(body[at:]) != "" {
			t.Fatalf("%q is in no unit", body[at:])
		}
		a, b := find.Rank([]find.Text{{Body: body}}, query), find.Rank([]find.Text{{Body: body}}, query)
		if len(a) != len(b) || len(a) > 0 && a[0].Unit != b[0].Unit {
			t.Fatal("two answers")
		}
		if len(a) > 0 && !find.Words(query) {
			t.Fatal("a query without words found something")
		}
	})
}
