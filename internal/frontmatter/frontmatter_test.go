package frontmatter_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/internal/frontmatter"
)

// show returns "key=value" of each field, then the slips' lines and the body.
func show(text string, d frontmatter.Document) string {
	var b strings.Builder
	for _, f := range d.Fields {
		fmt.Fprintf(&b, "%s=%s;", f.Name, value(f.Value))
	}
	for _, s := range d.Slips {
		fmt.Fprintf(&b, " slip %d;", s.Line)
	}
	fmt.Fprintf(&b, " %d:%s", d.Line, text[d.Body:])
	return b.String()
}

func value(v frontmatter.Value) string {
	switch v.Kind {
	case frontmatter.Null:
		return "null"
	case frontmatter.List:
		var items []string
		for _, i := range v.Items {
			items = append(items, value(i))
		}
		return "[" + strings.Join(items, ",") + "]"
	case frontmatter.Map:
		var items []string
		for _, f := range v.Fields {
			items = append(items, f.Name+"="+value(f.Value))
		}
		return "{" + strings.Join(items, ",") + "}"
	}
	return v.Text
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", " 1:"},
		{"Body.\n", " 1:Body.\n"},
		{"--- x\n---\n", " 1:--- x\n---\n"},
		{"---\nname: a\ndescription: d\n---\nBody.\n", "name=a;description=d; 5:Body.\n"},
		{"---\nname: a\n---", "name=a; 4:"},
		{"---\n---\nx", " 3:x"},
		{"---\n# nothing\n---\nx", " 4:x"},
		{"--- \nname: a\n---\t\n\n\n\tx\n", "name=a; 4:\n\n\tx\n"},
		{"\n\n---\nname: a\n---\nx\n", "name=a; slip 3; 6:x\n"},
		{"---\ndescription: --- not the end ---\n---\nx\n", "description=--- not the end ---; 4:x\n"},
		{"---\nn: 1\nb: true\nz:\nl: [a, 2]\nm: {a: b}\nt: |\n  x\n  y\n---\n", "n=1;b=true;z=null;l=[a,2];m={a=b};t=x\ny\n; 11:"},
		{"---\nt: >-\n  x\n  y\n---\n", "t=x y; 6:"},
		{"---\nd: Use when: a, b\nn: x\n---\nx\n", "d=Use when: a, b;n=x; slip 2; 5:x\n"},
		{"---\nd: Use when: a,\n  and: b\n\nn: x\n---\n", "d=Use when: a, and: b;n=x; slip 2; 7:"},
		{"---\nn: x\nd: it's: so\n---\n", "n=x;d=it's: so; slip 3; 5:"},
		{"---\nd: 'it's'\n---\n", "d=it's; slip 2; 4:"},
		{"---\nd: \"x\" y\n---\n", "d=\"x\" y; slip 2; 4:"},
		{"---\nd: @foo\ne: `x`\nf: *.md\ng: %x\nh: !x\ni: - y\n---\n", "d=@foo;e=`x`;f=*.md;g=%x;h=!x;i=- y; slip 2; slip 3; slip 4; slip 5; slip 6; slip 7; 9:"},
		{"---\nd:x\n---\n", "d=x; slip 2; 4:"},
		{"---\nl:\n\t- a\n\t- b\n---\n", "l=[a,b]; slip 2; 6:"},
		{"---\nd: \"a\\u200bb\"\n---\n", "d=ab; slip 2; 4:"},
		{"---\nd: Use: a\nl:\n  - a: b\n---\n", "d=Use: a;l=[{a=b}]; slip 2; 6:"},
	} {
		doc, err := frontmatter.Parse(tt.text)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.text, err)
			continue
		}
		if diff := cmp.Diff(show(tt.text, doc), tt.want); diff != "" {
			t.Errorf("Parse(%q) (-got +want):\n%s", tt.text, diff)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"---\nname: open\n":                       "line 1: the front matter that begins here is not closed",
		"\n---\n":                                 "line 2: the front matter that begins here is not closed",
		"---\nname: a\n----\n":                    "line 1: the front matter that begins here is not closed",
		"---\na: 1\nb: 2\na: 3\n---\n":            "line 4, column 1: a is written twice; first in line 2",
		"---\nm: {a: 1, a: 2}\n---\n":             "line 2, column 11: a is written twice; first in line 2",
		"---\na: &x [1]\nb: *x\n---\n":            "line 2, column 4: anchors are not supported",
		"---\nd: Use: x\na: &x [1]\nb: *x\n---\n": "line 3, column 4: anchors are not supported",
		"---\n<<: {a: b}\n---\n":                  "line 2, column 1: merge keys are not supported",
		"---\n- a\n---\n":                         "line 2, column 1: front matter is a list of keys with values, not a list",
		"---\njust words\n---\n":                  "line 2, column 1: front matter is a list of keys with values, not a text",
		"---\né: [x\n---\n":                       "line 2, column 5: ",
		"---\na: " + strings.Repeat("[", 11) + strings.Repeat("]", 11) + "\n---\n": "line 2, column 14: nested deeper than 10",
		"---\na: " + strings.Repeat("x", frontmatter.MaxBytes) + "\n---\n":         "line 1: the front matter is longer than 16384 bytes",
	} {
		_, err := frontmatter.Parse(text)
		var e *frontmatter.Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Parse(%.60q): %v, want %q", text, err, want)
		}
	}
}

func TestStrings(t *testing.T) {
	doc, err := frontmatter.Parse("---\na: [x, 1]\nb: x, y,\nc: []\nd:\ne: {x: y}\nf: [[x]]\n---\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range doc.Fields {
		list, ok := f.Value.Strings()
		got = append(got, fmt.Sprintf("%s %q %t %t", f.Name, list, list == nil, ok))
	}
	want := []string{`a ["x" "1"] false true`, `b ["x" "y"] false true`, `c [] false true`, `d [] true true`, `e [] true false`, `f [] true false`}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

func TestOneLine(t *testing.T) {
	if got, want := frontmatter.OneLine(" a\n b\u2028c\x1b[1m \t"), "a b c [1m"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzFrontmatter(f *testing.F) {
	for _, s := range []string{
		"---\nname: a\ndescription: Use when: a, b\n---\nBody.\n", "---\nname: a\n---", "---\n", "\n---\n---\n",
		"---\na: &x [1]\nb: *x\n---\n", "---\nl:\n\t- a\n---\n", "---\nt: |\n  x\n---\n", "---\n? [a]\n: b\n---\n", "---\na: {b: [c, {d: e}]}\n---\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := frontmatter.Parse(text)
		if doc.Body < 0 || doc.Body > len(text) || doc.Line < 1 {
			t.Fatalf("the body begins at %d, line %d", doc.Body, doc.Line)
		}
		lines := 1 + strings.Count(text, "\n")
		var e *frontmatter.Error
		if errors.As(err, &e) {
			if e.Line < 1 || e.Line > lines || e.Message == "" || strings.Contains(e.Message, "\n") {
				t.Fatalf("the error has no place: %+v", e)
			}
			return
		}
		if !doc.Present && doc.Body != 0 {
			t.Fatal("a body without front matter before it")
		}
		seen := map[string]bool{}
		for _, f := range doc.Fields {
			if seen[f.Name] || f.Line < 1 || f.Line > lines {
				t.Fatalf("field %+v", f)
			}
			seen[f.Name] = true
			check(t, f.Value, 1)
		}
		for _, s := range doc.Slips {
			if s.Line < 1 || s.Line > lines {
				t.Fatalf("slip %+v", s)
			}
		}
	})
}

func check(t *testing.T, v frontmatter.Value, depth int) {
	if depth > frontmatter.MaxDepth+1 {
		t.Fatal("too deep")
	}
	if !utf8.ValidString(v.Text) {
		t.Fatalf("%q is not UTF-8", v.Text)
	}
	for _, i := range v.Items {
		check(t, i, depth+1)
	}
	for _, f := range v.Fields {
		check(t, f.Value, depth+1)
	}
}
