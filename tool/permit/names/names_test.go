package names_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/proemhq/proem/tool/permit/names"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		glob, name string
		want       bool
	}{
		{"a", "/w/a", true}, {"a", "/w/a/b", false}, {"a", "/a", false}, {"a", "/w/A", false},
		{"*", "/w/a", true}, {"*", "/w/a/b", false}, {"*", "/w", false},
		{"**", "/w/a/b", true}, {"**", "/w", true}, {"**", "/x", false},
		{"**/b", "/w/b", true}, {"**/b", "/w/a/a/b", true}, {"**/b", "/w/a/bb", false}, {"**/b", "/b", false},
		{"a/**/b", "/w/a/b", true}, {"a/**/b", "/w/a/c/d/b", true}, {"a/**/b", "/w/a/c/d", false},
		{"a/**/b/**/c", "/w/a/b/b/x/c", true}, {"a/", "/w/a/b", true}, {"a/", "/w/a", true},
		{"a?c", "/w/abc", true}, {"[ab]", "/w/b", true}, {`\*`, "/w/*", true}, {`\*`, "/w/a", false},
		{"/x/*", "/x/a", true}, {"/x/*", "/w/x/a", false}, {"~/k", "/home/u/k", true}, {"~", "/home/u", true},
	} {
		g, err := names.Compile(c.glob, []string{"/w"}, "/home/u", false)
		if err != nil || g.Match(c.name) != c.want {
			t.Errorf("%q, %q: %v %v", c.glob, c.name, !c.want, err)
		}
	}
	for _, c := range []struct {
		glob, name string
		want       bool
	}{{"a", "/w/A/b", true}, {"A", "/w/a", true}, {"**/b", "/x/b", true}, {"**/b", "/x/b/c", true}, {"a", "/w/ab", false}, {"ß", "/w/SS", true}, {"[ab]", "/w/B", true}} {
		g, err := names.Compile(c.glob, []string{"/w"}, "", true)
		if err != nil || g.Match(names.Fold(c.name)) != c.want {
			t.Errorf("loose %q, %q: %v %v", c.glob, c.name, !c.want, err)
		}
	}
	long, _ := names.Compile(strings.Repeat("**/a/", 30)+"b", []string{"/w"}, "", true) // not exponential
	if long.Match("/w" + strings.Repeat("/a", 2000)) {
		t.Error("matched")
	}
}

func TestFold(t *testing.T) {
	same := [][]string{
		{".git", ".GIT", ".Git", ".g\u200bit", ".gi\u00adt", ".git.", ".git ", ".git. .", "git~1", "GIT~3", ".git::$INDEX_ALLOCATION", "\ufeff.git", ".gi\ufe0ft", ".\U000e0067git"},
		{"é", "É", "e\u0301", "E\u0301"}, {"k", "K", "\u212a"}, {"ss", "ß", "ẞ", "ſs", "SS"}, {"file", "ﬁle", "FILE"}, {"σ", "ς", "Σ"}, {"\u1e9b\u0323", "\u1e69"},
	}
	for _, group := range same {
		for _, n := range group {
			if got := names.Fold(n); got != names.Fold(group[0]) {
				t.Errorf("%q is folded to %q, %q to %q", n, got, group[0], names.Fold(group[0]))
			}
		}
	}
	for _, pair := range [][2]string{{"a", "b"}, {"git", ".git"}, {"git~", ".git"}, {"git~12", ".git"}, {"e", "é"}, {"a.b", "a"}, {"..", "."}, {"a:b", "a"}} {
		if names.Fold(pair[0]) == names.Fold(pair[1]) {
			t.Errorf("%q and %q are one", pair[0], pair[1])
		}
	}
}

func TestFoldEveryCase(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if other := unicode.SimpleFold(r); names.Fold(string(r)) != names.Fold(string(other)) {
			t.Errorf("%q and %q differ: %q, %q", r, other, names.Fold(string(r)), names.Fold(string(other)))
		}
	}
}

// FuzzFold checks that folding twice is folding once.
func FuzzFold(f *testing.F) {
	for _, s := range []string{".git", "ﬁ/ß", "a. /b", "git~1::$x", "e\u0301\u200b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := names.Fold(s)
		if twice := names.Fold(once); twice != once {
			t.Errorf("%q: %q, then %q", s, once, twice)
		}
	})
}
