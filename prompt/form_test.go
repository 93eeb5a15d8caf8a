package prompt_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// filled sets every field below v to something that is not zero, so that a field
// which a form forgets is noticed.
func filled(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("v%d\xff<", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32:
		v.SetInt(int64(*n))
	case reflect.Uint8:
		v.SetUint(1 + uint64(*n%2))
	case reflect.Float64:
		v.SetFloat(float64(*n) / 3)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			filled(v.Index(i), n)
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf(fmt.Errorf("error %d\xff", *n)))
	case reflect.Struct:
		for i := range v.NumField() {
			filled(v.Field(i), n)
		}
	default:
		panic("no value for a " + v.Kind().String())
	}
}

var byWords = cmp.Comparer(func(a, b error) bool {
	return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error())
})

func TestFormHasEveryField(t *testing.T) {
	var layer, readLayer prompt.Layer
	var fact, readFact prompt.Fact
	n := 0
	filled(reflect.ValueOf(&layer).Elem(), &n)
	for i := range layer.Vars { // a name has a form
		layer.Vars[i].Name = fmt.Sprint("v", i)
	}
	filled(reflect.ValueOf(&fact).Elem(), &n)
	for what, f := range map[string]struct{ in, out any }{"layer": {layer, &readLayer}, "fact": {fact, &readFact}} {
		b, err := f.in.(json.Marshaler).MarshalJSON()
		if err == nil {
			err = f.out.(json.Unmarshaler).UnmarshalJSON(b)
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", what, err, b)
		}
		if d := cmp.Diff(reflect.ValueOf(f.out).Elem().Interface(), f.in, byWords); d != "" {
			t.Errorf("%s read back (-got +want):\n%s", what, d)
		}
	}
}

func TestFactForm(t *testing.T) {
	facts := map[string]prompt.Fact{}
	for i, f := range variations() {
		facts[fmt.Sprintf("f%02d", i)] = f
		b, err := f.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var got prompt.Fact
		if err := got.UnmarshalJSON(b); err != nil || !got.Equal(f) {
			t.Errorf("%s read back: got %+v, %v, want %+v", b, got, err, f)
		}
	}
	all := prompt.NewFacts(facts)
	b, err := all.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var got prompt.Facts
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	diff(t, "names", got.Names(), all.Names())
	for _, name := range all.Names() {
		f, _ := got.Get(name)
		if !f.Equal(facts[name]) {
			t.Errorf("%s: got %+v, want %+v", name, f, facts[name])
		}
	}
	first, _ := all.Hash()
	second, _ := got.Hash()
	other, _ := prompt.NewFacts(map[string]prompt.Fact{"f00": {Text: "x"}}).Hash()
	if first != second || first == other || len(first) != 64 {
		t.Errorf("hashes: %s, read back %s, of others %s", first, second, other)
	}
	var none *prompt.Facts
	if b, err := none.MarshalJSON(); err != nil || string(b) != `{"facts":[]}` {
		t.Errorf("of nil: got %s, %v", b, err)
	}
}

// kept returns what is left of a value that was written and read.
func kept[T any](t testing.TB, v json.Marshaler, out *T) *T {
	t.Helper()
	b, err := v.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := any(out).(json.Unmarshaler).UnmarshalJSON(b); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	again, err := any(out).(json.Marshaler).MarshalJSON()
	if err != nil || string(again) != string(b) {
		t.Errorf("written again (%v):\n%s\nat first:\n%s", err, again, b)
	}
	return out
}

// everything returns a snapshot of three layers with everything that may be
// registered, and its facts.
func everything(t testing.TB, text string) (prompt.Snapshot, prompt.Input) {
	far := prompt.Layer{
		Sections: []prompt.SectionDef{literal("base", 100, "You are {{name}}.\r\n"+text), literal("a", 100, "tie"), dynamic("docs", -math.MaxFloat64),
			{Name: "now", Channel: prompt.Context, Class: prompt.Turn, Body: prompt.Body{Fact: "now", Template: true}, Sep: "\n"}},
		Vars:  []prompt.VarDef{fixed("name", text), {Name: "who", Body: prompt.Body{Fact: "who"}}},
		Tools: []prompt.ToolDef{specs("b", "a"), {Fact: "tools"}, {Specs: []chat.ToolSpec{{Name: "c", Parameters: json.RawMessage("{ }")}}, Known: []string{}}},
		Mutes: []prompt.Channel{prompt.Reminder},
	}
	far.Sections[0].Body.Template = true
	near := prompt.Layer{Scope: "near", Sections: []prompt.SectionDef{literal("a", 0.1, "shadows"), dynamic("broken", 7)}, Tools: []prompt.ToolDef{specs("a")}}
	other := prompt.Layer{Scope: "other", Sections: []prompt.SectionDef{literal("x", 1, "unseen")}}
	from := &span.Origin{Section: "s", Path: text, Trust: span.Project}
	facts := prompt.NewFacts(map[string]prompt.Fact{
		"now": {Text: text, Trust: span.Tool}, "who": {None: true}, "broken": {Err: errors.New(text), Ref: "r"},
		"tools": {Tools: []chat.ToolSpec{{Name: text + "t", Description: text, From: from}}, Known: []string{text}},
		"docs": {Docs: []prompt.Doc{{Name: "project:" + text, Text: text + "\n", Spans: span.Text{{Text: text, From: from, Off: 3}, {Text: "\n", Off: span.NoOffset}}},
			{Name: "d2", Aliases: []string{text}, Class: prompt.Session}}, Notes: []prompt.Note{{Name: text, From: from}}},
	})
	return snapshot(t, far, near, other), prompt.Input{Lineage: []string{"near"}, Facts: facts}
}

func assemblesAlike(t testing.TB, s prompt.Snapshot, in prompt.Input) {
	t.Helper()
	want := resolve(t, s, in)
	s = *kept(t, s.Visible(in.Lineage), &prompt.Snapshot{})
	in.Facts = kept(t, in.Facts, &prompt.Facts{})
	got := resolve(t, s, in)
	if got.Hash() != want.Hash() {
		t.Errorf("hash: got %s, want %s", got.Hash(), want.Hash())
	}
	if d := cmp.Diff(got, want, cmpopts.IgnoreUnexported(prompt.Section{}), byWords); d != "" {
		t.Errorf("assembly of what was read (-got +want):\n%s", d)
	}
}

func TestFormAssemblesAlike(t *testing.T) {
	for _, text := range []string{"plain", "", "{{who?}} <&> \u2028\x00", "broken \xff\xc3 utf-8 \xed\xa0\x80"} {
		s, in := everything(t, text)
		assemblesAlike(t, s, in)
		in.Ties.KeepTools, in.Ties.ByPosition = true, [prompt.Channels]bool{prompt.System: true}
		assemblesAlike(t, s, in)
	}
}

func TestFormRefused(t *testing.T) {
	layer := func(section string) string { return `{"layers":[{"sections":[` + section + `]}]}` }
	good := `{"name":"a","channel":"system","order":1,"class":"stable","trust":"user","body":{}}`
	if err := new(prompt.Snapshot).UnmarshalJSON([]byte(layer(good))); err != nil {
		t.Fatal(err)
	}
	swap := func(old, now string) string { return layer(strings.Replace(good, old, now, 1)) }
	fact := func(members string) string {
		return `{"facts":[{"name":"f","fact":{"text":"ab","class":"turn","trust":"tool"` + members + `}}]}`
	}
	if err := new(prompt.Facts).UnmarshalJSON([]byte(fact(""))); err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		what string
		into json.Unmarshaler
		form string
	}{
		{"unknown field", &prompt.Snapshot{}, swap(`"order"`, `"rank":2,"order"`)},
		{"no trust", &prompt.Snapshot{}, swap(`"trust":"user",`, ``)},
		{"unknown trust", &prompt.Snapshot{}, swap(`user`, `root`)},
		{"no channel", &prompt.Snapshot{}, swap(`"channel":"system",`, ``)},
		{"unknown channel", &prompt.Snapshot{}, swap(`"system"`, `"tools"`)},
		{"unknown class", &prompt.Snapshot{}, swap(`stable`, `fixed`)},
		{"no class", &prompt.Snapshot{}, swap(`"class":"stable",`, ``)},
		{"two of a name", &prompt.Snapshot{}, layer(good + "," + good)},
		{"two of a scope", &prompt.Snapshot{}, `{"layers":[{"scope":"a"},{"scope":"a"}]}`},
		{"scopes out of order", &prompt.Snapshot{}, `{"layers":[{"scope":"b"},{"scope":"a"}]}`},
		{"more behind", &prompt.Snapshot{}, layer(good) + "{}"},
		{"bad variable", &prompt.Snapshot{}, `{"layers":[{"vars":[{"name":"A","body":{}}]}]}`},
		{"facts out of order", &prompt.Facts{}, `{"facts":[{"name":"b","fact":{"class":"turn","trust":"tool"}},{"name":"a","fact":{"class":"turn","trust":"tool"}}]}`},
		{"too long a span", &prompt.Facts{}, fact(`,"spans":{"spans":[3,0,-1,0]}`)},
		{"too short spans", &prompt.Facts{}, fact(`,"spans":{"spans":[1,0,-1,0]}`)},
		{"three numbers", &prompt.Facts{}, fact(`,"spans":{"spans":[2,0,-1]}`)},
		{"no such origin", &prompt.Facts{}, fact(`,"spans":{"spans":[2,0,0,0]}`)},
		{"offset", &prompt.Facts{}, fact(`,"spans":{"spans":[2,4294967296,-1,0]}`)},
		{"template", &prompt.Facts{}, fact(`,"spans":{"spans":[2,0,-1,2]}`)},
		{"origin without trust", &prompt.Facts{}, fact(`,"spans":{"spans":[2,0,0,0],"origins":[{"path":"p"}]}`)},
		{"severity", &prompt.Facts{}, fact(`,"diagnostics":[{"severity":"fatal"}]`)},
	} {
		if err := f.into.UnmarshalJSON([]byte(f.form)); err == nil {
			t.Errorf("%s: no error", f.what)
		}
	}
	bad := prompt.Snapshot{}.With(1, prompt.Layer{Sections: []prompt.SectionDef{literal("a", math.NaN(), "")}})
	if _, err := bad.Hash(); err == nil {
		t.Error("an order that is no number was written")
	}
	if _, err := (prompt.Fact{Trust: 99}).MarshalJSON(); err == nil {
		t.Error("an unknown trust was written")
	}
}

func TestSame(t *testing.T) {
	s, in := everything(t, "x")
	layer, _ := s.Layer("other")
	other := s.With(2, layer)
	if !s.Same(other, in.Lineage) || s.Same(other, []string{"near", "other"}) {
		t.Error("a layer that is not seen makes a difference, or one that is makes none")
	}
	a := prompt.NewFacts(map[string]prompt.Fact{"a": {Text: "1"}, "b": {Docs: []prompt.Doc{{Name: "d"}}}})
	b := a.Next([]string{"a", "b"}, []prompt.Fact{{Text: "2"}, {Docs: []prompt.Doc{{Name: "d"}}}})
	if b.Same(a, "a") || !b.Same(a, "b") || b.Same(nil, "b") || b.Same(a, "c") {
		t.Error("facts are told apart wrongly")
	}
}

func FuzzForm(f *testing.F) {
	f.Add("x")
	f.Add("{{name}}\xff\u2028")
	f.Fuzz(func(t *testing.T, text string) {
		s, in := everything(t, text)
		assemblesAlike(t, s, in)
	})
}

// What is read at all is read as it will be again.
func FuzzFormRead(f *testing.F) {
	s, in := everything(f, "x\xff")
	for _, v := range []json.Marshaler{s, in.Facts} {
		b, err := v.MarshalJSON()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, form string) {
		var s prompt.Snapshot
		if s.UnmarshalJSON([]byte(form)) == nil {
			resolveAny(*kept(t, s, &prompt.Snapshot{}), nil)
		}
		var facts prompt.Facts
		if facts.UnmarshalJSON([]byte(form)) == nil {
			resolveAny(prompt.Snapshot{}, kept(t, &facts, &prompt.Facts{}))
		}
	})
}

func resolveAny(s prompt.Snapshot, facts *prompt.Facts) {
	_, _ = prompt.Resolve(s, prompt.Input{Lineage: s.Scopes(), Facts: facts})
}
