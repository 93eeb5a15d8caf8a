package prompt_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// variations returns facts of which no two say the same.
func variations() []prompt.Fact {
	return []prompt.Fact{
		{}, {Text: "a"}, {Ref: "a"}, {None: true}, {Err: errors.New("e1")}, {Err: errors.New("e2")}, {Class: prompt.Turn}, {Trust: span.Tool},
		{Spans: span.Text{}}, {Text: "a", Spans: span.Text{{Text: "a"}}}, {Text: "a", Spans: span.Text{{Text: "a", Off: 1}}},
		{Text: "a", Spans: span.Text{{Text: "a", Template: true}}}, {Text: "a", Spans: span.Text{{Text: "a", From: &span.Origin{Path: "p"}}}},
		{Text: "a", Spans: span.Text{{Text: "a", From: &span.Origin{Path: "q"}}}},
		{Tools: []chat.ToolSpec{}}, {Tools: []chat.ToolSpec{{Name: "t"}}}, {Tools: []chat.ToolSpec{{Name: "t", Strict: true}}},
		{Tools: []chat.ToolSpec{{Name: "t", Parameters: []byte("{}")}}}, {Known: []string{}}, {Known: []string{"k"}},
		{Docs: []prompt.Doc{}}, {Docs: []prompt.Doc{{Name: "d"}}}, {Docs: []prompt.Doc{{Name: "d", Text: "x"}}}, {Docs: []prompt.Doc{{Name: "d", SHA256: "0"}}},
		{Docs: []prompt.Doc{{Name: "d", Aliases: []string{"e"}}}}, {Docs: []prompt.Doc{{Name: "d", Class: prompt.Turn}}}, {Docs: []prompt.Doc{{Name: "d", Trust: span.Tool}}},
		{Notes: []prompt.Note{{Name: "n"}}}, {Notes: []prompt.Note{{Name: "n", Tokens: 1}}}, {Diagnostics: []prompt.Diagnostic{{Code: "c"}}},
	}
}

// Each variation of a fact differs from all others, and equals a copy of itself.
func TestFactEqual(t *testing.T) {
	a, b := variations(), variations()
	for i := range a {
		for j := range b {
			if got, want := a[i].Equal(b[j]), i == j; got != want {
				t.Errorf("%+v equal %+v: got %v", a[i], b[j], got)
			}
			// Facts keeps a fact that says the same, and takes one that does not.
			was := prompt.NewFacts(map[string]prompt.Fact{"f": a[i]})
			if now := was.Next([]string{"f"}, []prompt.Fact{b[j]}); (now == was) != (i == j) {
				t.Errorf("%+v after %+v: same facts %v", b[j], a[i], now == was)
			}
		}
	}
}

func TestFactsNext(t *testing.T) {
	docs := []prompt.Doc{{Name: "d", Text: "long"}}
	var none *prompt.Facts
	first := none.Next([]string{"a", "b"}, []prompt.Fact{{Text: "1"}, {Docs: docs}})
	if again := first.Next([]string{"a", "b"}, []prompt.Fact{{Text: "1"}, {Docs: slices.Clone(docs)}}); again != first {
		t.Error("equal facts are another value")
	}
	changed := first.Next([]string{"a", "b"}, []prompt.Fact{{Text: "2"}, {Docs: slices.Clone(docs)}})
	b, _ := changed.Get("b")
	if changed == first || &b.Docs[0] != &docs[0] {
		t.Error("a fact that did not change was replaced")
	}
	if a, ok := first.Get("a"); !ok || a.Text != "1" {
		t.Errorf("the old facts were changed: %+v", a)
	}
	wider := first.Next([]string{"a", "b", "c"}, []prompt.Fact{{Text: "1"}, {Docs: docs}, {}})
	if wider == first || wider.Len() != 3 {
		t.Error("a new name makes new facts")
	}
	narrower := first.Next([]string{"b"}, []prompt.Fact{{Docs: docs}})
	if _, ok := narrower.Get("a"); ok || narrower.Len() != 1 {
		t.Error("a name that is no longer needed stayed")
	}
	empty := none.Next(nil, nil)
	if empty.Len() != 0 || none.Len() != 0 || none.Names() != nil {
		t.Error("the empty sets are not empty")
	}
	if _, ok := none.Get("a"); ok {
		t.Error("nil facts have a fact")
	}
	diff(t, "names", prompt.NewFacts(map[string]prompt.Fact{"z": {}, "B": {}, "a": {}}).Names(), []string{"B", "a", "z"})
}
