package span_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/span"
)

func TestTextJSON(t *testing.T) {
	file := &span.Origin{Section: "rules", Source: "file", Path: "/w/A", Trust: span.Project}
	gen := span.Generated("sep")
	tests := []struct {
		name string
		text span.Text
		want string
	}{
		{"empty", nil, `""`},
		{"plain", span.Of("a<b\u2028\n", nil), `"a<b\u2028\n"`},
		{"origin", span.Of("ä", file), `{"text":"ä","spans":[{"len":2,"from":0}],` +
			`"origins":[{"section":"rules","source":"file","path":"/w/A","trust":"project"}]}`},
		{"shared origin", span.Text{{Text: "a", From: file, Off: 7}, {Text: "b", From: gen, Off: -1}, {Text: "c", From: file, Off: 9, Template: true}},
			`{"text":"abc","spans":[{"len":1,"off":7,"from":0},{"len":1,"off":-1,"from":1},{"len":1,"off":9,"from":0,"template":true}],` +
				`"origins":[{"section":"rules","source":"file","path":"/w/A","trust":"project"},{"source":"generated:sep","trust":"builtin"}]}`},
		{"two plain spans", span.Text{{Text: "a"}, {Text: "b", Off: 3}}, `{"text":"ab","spans":[{"len":1},{"len":1,"off":3}]}`},
		{"empty span", span.Text{{Text: ""}}, `{"text":"","spans":[{"len":0}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := tt.text.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(b), tt.want); d != "" {
				t.Errorf("JSON (-got +want):\n%s", d)
			}
			var got span.Text
			if err := json.Unmarshal(b, &got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got, tt.text); d != "" {
				t.Errorf("read back (-got +want):\n%s", d)
			}
		})
	}
}

func TestTextJSONInvalidUTF8(t *testing.T) {
	in := span.Text{{Text: "a\xff\xfe"}, {Text: "\xe2\x82"}, {Text: "b"}}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var got span.Text
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	want := span.Text{{Text: "a\ufffd\ufffd"}, {Text: "\ufffd\ufffd"}, {Text: "b"}}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("read back (-got +want):\n%s", d)
	}
}

func TestTextJSONStrict(t *testing.T) {
	for in, want := range map[string]string{
		`null`:                               "neither a string nor an object",
		`[]`:                                 "neither a string nor an object",
		`{"text":"a","x":1}`:                 "unknown field",
		`{"text":"ab","spans":[]}`:           "2 bytes behind the last span",
		`{"text":"ab","spans":[{"len":3}]}`:  "length 3 with 2 bytes left",
		`{"text":"ab","spans":[{"len":-1}]}`: "length -1",
		`{"text":"ä","spans":[{"len":1},{"len":1}]}`:                                   "ends inside a rune",
		`{"text":"a","spans":[{"len":1,"from":0}]}`:                                    "origin 0 of 0",
		`{"text":"a","spans":[{"len":1,"off":-2}]}`:                                    "offset -2",
		`{"text":"a","spans":[{"len":1,"from":0}],"origins":[{}]}`:                     "no trust",
		`{"text":"a","spans":[{"len":1,"from":0}],"origins":[{"trust":"root"}]}`:       `unknown trust "root"`,
		`{"text":"a","spans":[{"len":1,"from":0}],"origins":[{"trust":"user","x":1}]}`: "unknown field",
	} {
		var got span.Text
		if err := json.Unmarshal([]byte(in), &got); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", in, err, want)
		}
	}
	if _, err := (span.Text{{Text: "a", Off: -2}}).MarshalJSON(); err == nil {
		t.Errorf("offset -2: written without an error")
	}
	if _, err := (span.Origin{Trust: 9}).MarshalJSON(); err == nil {
		t.Errorf("trust 9: written without an error")
	}
}

// FuzzTextJSON checks that what was read once is written and read back exactly.
func FuzzTextJSON(f *testing.F) {
	f.Add([]byte(`"a\ud800"`))
	f.Add([]byte(`{"text":"ab","spans":[{"len":1,"off":7,"from":0},{"len":1,"off":-1}],"origins":[{"path":"/w","trust":"tool"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var first, second span.Text
		if json.Unmarshal(b, &first) != nil {
			return
		}
		again, err := json.Marshal(first)
		if err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		if err := json.Unmarshal(again, &second); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if d := cmp.Diff(second, first); d != "" {
			t.Errorf("second reading (-got +want):\n%s", d)
		}
	})
}
