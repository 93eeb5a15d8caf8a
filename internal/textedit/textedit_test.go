package textedit_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/internal/textedit"
)

func wide(mark, s string) string {
	var b strings.Builder
	b.WriteString(mark)
	for _, r := range s {
		if mark[0] == 0xff {
			b.Write([]byte{byte(r), byte(r >> 8)})
		} else {
			b.Write([]byte{byte(r >> 8), byte(r)})
		}
	}
	return b.String()
}

func TestReplace(t *testing.T) {
	for _, tt := range []struct{ name, file, old, new, want string }{
		{"plain", "a\nb\nc\n", "b", "x", "a\nx\nc\n"},
		{"all", "a a a", "a", "bb", "bb bb bb"},
		{"no end", "a\nb", "b", "c", "a\nc"},
		{"mark", "\xef\xbb\xbfa\n", "a", "b", "\xef\xbb\xbfb\n"},
		{"crlf", "a\r\nb\r\n", "a\nb\n", "a\nx\nb\n", "a\r\nx\r\nb\r\n"},
		{"crlf asked with crlf", "a\r\nb\r\n", "a\r\nb", "a\r\nx\r\nb", "a\r\nx\r\nb\r\n"},
		{"crlf, joined lines", "a\r\nb\r\n", "\nb", " b", "a b\r\n"},
		{"crlf, deleted line", "a\r\nb\r\nc", "b\n", "", "a\r\nc"},
		{"crlf, before the end", "a\r\nb", "a", "a!", "a!\r\nb"},
		{"cr", "a\rb\r", "b", "b\nc", "a\rb\rc\r"},
		{"mixed, own", "a\nb\r\nc\n", "b\n", "b\nx\n", "a\nb\r\nx\r\nc\n"},
		{"mixed, before", "a\r\nb\nc", "c", "c\nd", "a\r\nb\nc\nd"},
		{"mixed, after", "a\r\nb\n", "a", "x\na", "x\r\na\r\nb\n"},
		{"none", "a", "a", "a\nb", "a\nb"},
		{"hidden around", "a\u200bb\u200bc", "b", "x", "a\u200bx\u200bc"},
		{"hidden inside", "a\u200bb", "ab", "ac", "a\u200bc"},
		{"invalid around", "\xff a \xff", "a", "b", "\xff b \xff"},
		{"invalid in what stays", "\xff a", "\ufffd a", "\ufffd b", "\xff b"},
		{"utf-16 le", wide("\xff\xfe", "a\r\nb\r\n"), "b", "b\nc", wide("\xff\xfe", "a\r\nb\r\nc\r\n")},
		{"utf-16 be", wide("\xfe\xff", "中b"), "b", "文", wide("\xfe\xff", "中文")},
		{"overlap", "aaa", "aa", "b", "ba"},
	} {
		d, err := textedit.Parse([]byte(tt.file))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got, err := d.Replace(d.Find(tt.old), tt.old, tt.new)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(string(got), tt.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, diff)
		}
	}
}

func TestSurrogates(t *testing.T) {
	file := "\xff\xfe\x3d\xd8\x00\xdea\x00"
	d, err := textedit.Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Replace(d.Find("a"), "a", "😁")
	if diff := cmp.Diff(string(got), "\xff\xfe\x3d\xd8\x00\xde\x3d\xd8\x01\xde"); err != nil || diff != "" {
		t.Errorf("%v (-got +want):\n%s", err, diff)
	}
}

func TestRefusals(t *testing.T) {
	for file, want := range map[string]error{
		"a\x00b":                     textedit.ErrBinary,
		"\xff\xfea":                  textedit.ErrUTF16,
		"\xff\xfe\x3d\xd8":           textedit.ErrUTF16,
		"\xff\xfe\x00\xdea\x00":      textedit.ErrUTF16,
		wide("\xff\xfe", "a\x00"):    textedit.ErrBinary,
		"\xfe\xff" + "\xd8\x3d\x00a": textedit.ErrUTF16,
	} {
		if _, err := textedit.Parse([]byte(file)); !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", file, err, want)
		}
	}
	d, err := textedit.Parse([]byte("a \xff b"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Replace(d.Find("\ufffd"), "\ufffd", "x"); !errors.Is(err, textedit.ErrInvalid) {
		t.Errorf("got %v, want %v", err, textedit.ErrInvalid)
	}
	if _, err := d.Replace(d.Find("a"), "a", "\x00"); !errors.Is(err, textedit.ErrNUL) {
		t.Errorf("got %v, want %v", err, textedit.ErrNUL)
	}
}

func TestNear(t *testing.T) {
	for _, tt := range []struct{ file, old, want string }{
		{"func Main() {\n", "func main()", `line 1 has it in other case: "func Main() {"`},
		{"if x {\n\treturn 1\n}\n", "if x {\n    return 1\n}", `line 2 differs in white space only: the file has "\treturn 1", old has "    return 1"`},
		{"a\nb", "a\nb\n", "it is at line 1 but for the line ends at its beginning or end"},
		{"one\ntwo plus three\nend", "two plus four", `the most similar place is line 2: the file has "two plus three", old has "two plus four"`},
		{"{\nalpha beta\ngamma\n", "alpha beta\ndelta", `the most similar place is line 3: the file has "gamma", old has "delta"`},
		{"one\n", "nothing like that", ""},
		{"", "x", ""},
	} {
		d, err := textedit.Parse([]byte(tt.file))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d.Near(tt.old), tt.want); diff != "" {
			t.Errorf("%q (-got +want):\n%s", tt.old, diff)
		}
	}
}

// FuzzReplace checks that bytes outside an edit never change, and that where
// nothing is hidden the text changes as asked.
func FuzzReplace(f *testing.F) {
	f.Add([]byte("a\r\nb\r\n"), "b", "x\ny")
	f.Add([]byte("\xff\xfea\x00\r\x00\n\x00"), "a", "bb")
	f.Add([]byte("a\u200b\xff b\rc\n"), "b\nc", "b\nd")
	f.Add([]byte("\xef\xbb\xbfaaaa"), "aa", "")
	f.Fuzz(func(t *testing.T, file []byte, old, new string) {
		if !utf8.ValidString(old) || !utf8.ValidString(new) || strings.ContainsRune(old+new, 0) || len(file) > 500 {
			return
		}
		before := bytes.Clone(file)
		d, err := textedit.Parse(file)
		if err != nil {
			return
		}
		d.Near(old)
		same, err := d.Replace(nil, old, new)
		if err != nil || !bytes.Equal(same, before) {
			t.Fatalf("an edit of nothing: %q became %q, %v", before, same, err)
		}
		at := d.Find(old)
		if len(at) == 0 {
			return
		}
		got, err := d.Replace(at[:1], old, new)
		if err != nil {
			return
		}
		if !bytes.Equal(file, before) {
			t.Fatal("the input was changed")
		}
		// The longest tails that the file shows outside the match stay byte for byte.
		text, shown := d.Text(), textedit.Shown(old)
		head, tail := text[:at[0]], text[at[0]+len(shown):]
		if !bytes.HasPrefix(before, []byte("\xff\xfe")) && !bytes.HasPrefix(before, []byte("\xfe\xff")) {
			h, l := edges(before, head), edges2(before, tail)
			if !bytes.HasPrefix(got, before[:h]) || !bytes.HasSuffix(got, before[len(before)-l:]) {
				t.Fatalf("%q: old %q, new %q at %d gave %q", before, old, new, at[0], got)
			}
		}
		plain := strings.IndexFunc(string(before)+new, func(r rune) bool { return r == '\r' || r > 0x2000 || r == utf8.RuneError }) < 0
		if plain {
			if diff := cmp.Diff(string(got), strings.TrimSuffix(string(before), text)+head+new+tail); diff != "" {
				t.Fatalf("text (-got +want):\n%s", diff)
			}
		}
	})
}

// edges returns the length of the shortest beginning of b that is shown as s.
func edges(b []byte, s string) int {
	if s == "" {
		return 0
	}
	n := 0
	for i := range b {
		if trimmed := bytes.TrimPrefix(b[:i+1], []byte("\xef\xbb\xbf")); textedit.Shown(string(trimmed)) == s {
			n = i + 1
			break
		}
	}
	return n
}

// edges2 returns the length of the shortest end of b that is shown as s.
func edges2(b []byte, s string) int {
	if s == "" {
		return 0
	}
	for i := len(b) - 1; i >= 0; i-- {
		if textedit.Shown(string(b[i:])) == s {
			return len(b) - i
		}
	}
	return 0
}
