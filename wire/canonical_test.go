package wire_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/wire"
)

func TestCanonicalJSON(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"b":1,"a":[true , false,null]}`, `{"a":[true,false,null],"b":1}`},
		{" {\n\t} ", `{}`},
		{`[ ]`, `[]`},
		{`{"é":1,"z":2,"Z":3,"\u0061":4}`, `{"Z":3,"a":4,"z":2,"é":1}`},
		{`"\u00e9\/\u2028\n\ud83d\ude00"`, "\"é/\u2028\\n😀\""},
		{`"\ud800 lone"`, "\"\ufffd lone\""},
		{"\"\xff\"", "\"\ufffd\""},
		{`1.50`, `1.5`}, {`1e2`, `100`}, {`-0`, `0`}, {`-0.0e5`, `0`}, {`1E+2`, `100`}, {`-1.0`, `-1`},
		{`0.1`, `0.1`}, {`1e-5`, `0.00001`}, {`1e-7`, `1e-7`}, {`12e-8`, `1.2e-7`},
		{`100000000000000000000`, `100000000000000000000`}, {`1e21`, `1e21`}, {`1e20`, `100000000000000000000`},
		{`123456789012345678901234567890`, `123456789012345678901234567890`},
		{`0.30000000000000004`, `0.30000000000000004`},
		{`1.7976931348623157e308`, `1.7976931348623157e308`},
		{`1e400`, `1e400`},
		{`12345.6789e2`, `1234567.89`},
	} {
		got, err := wire.CanonicalJSON([]byte(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if diff := cmp.Diff(string(got), c.want); diff != "" {
			t.Errorf("%s: (-got +want)\n%s", c.in, diff)
		}
	}
}

func TestCanonicalJSONRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{``, "unexpected end"},
		{`{"a":1,"a":2}`, `"a" occurs twice`},
		{`{"a":1,"\u0061":2}`, `"a" occurs twice`},
		{`{"x":{"b":1,"c":2,"b":1}}`, `"b" occurs twice`},
		{`{"a":1,}`, "want a name"},
		{`{"a" 1}`, "want a colon"},
		{`[1,]`, "unexpected"},
		{`[1 2]`, "want a comma"},
		{`{"a":1`, "want a comma"},
		{`"a`, "unexpected end"},
		{"\"a\nb\"", "control character"},
		{`"\x"`, "unknown escape"},
		{`"\u12"`, "unknown escape"},
		{`"\u+123"`, "unknown escape"},
		{`01`, "not a number"}, {`1.`, "not a number"}, {`.5`, "unexpected"}, {`+1`, "unexpected"}, {`-`, "not a number"},
		{`1e`, "exponent"}, {`1e99999999999`, "exponent"},
		{`NaN`, "unexpected"}, {`tru`, "unexpected"}, {`truex`, "more follows"},
		{`{} {}`, "more follows"},
		{"\u00a01", "unexpected"},
		{strings.Repeat("[", 100000), "nested deeper"},
	} {
		got, err := wire.CanonicalJSON([]byte(c.in))
		if err == nil {
			t.Errorf("%.40s: got %s, want an error", c.in, got)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: got error %q, want one with %q", c.in, err, c.want)
		}
	}
}

func FuzzCanonicalJSON(f *testing.F) {
	for _, s := range []string{`{"b":1.50,"a":[1e2,"x\n",{"c":null}]}`, `-0.001e-3`, `"\ud83d\ude00"`, `[[],{}]`, `{"a":1,"a":1}`, "\"\x86\x86\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := wire.CanonicalJSON(in)
		if err != nil {
			return
		}
		if !json.Valid(in) || !json.Valid(out) {
			t.Fatalf("%q: accepted, but one of it and %q is not JSON", in, out)
		}
		again, err := wire.CanonicalJSON(out)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%q: not a fixed point: %q, then %q, %v", in, out, again, err)
		}
		if hugeExponent.Match(in) {
			return
		}
		if diff := cmp.Diff(decode(t, out), decode(t, in)); diff != "" {
			t.Fatalf("%q: the value changed: (-got +want)\n%s", in, diff)
		}
	})
}

// hugeExponent is what cannot be compared as an exact fraction.
var hugeExponent = regexp.MustCompile(`[eE][+-]?[0-9]{4,}`)

// decode returns a JSON value with exact numbers.
func decode(t *testing.T, b []byte) any {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return exact(v)
}

func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		mantissa, exp, _ := strings.Cut(strings.ToLower(v.String()), "e")
		r, _ := new(big.Rat).SetString(mantissa)
		if exp != "" {
			e, _ := new(big.Rat).SetString("1e" + strings.TrimPrefix(exp, "+"))
			r.Mul(r, e)
		}
		return r.RatString()
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = exact(v[k])
		}
	}
	return v
}

func TestCheckArgs(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:             "",
		` {"a":[1]} `:    "",
		``:               "arguments: empty, not a JSON object",
		`null`:           "arguments: not a JSON object",
		`[]`:             "arguments: not a JSON object",
		`{"a":`:          "arguments: json at offset 5: unexpected end",
		`{"a":1}{"a":1}`: "arguments: json at offset 7: more follows the value",
		`{"a":1,"a":2}`:  `arguments: json at offset 13: the name "a" occurs twice`,
		`{"path":"a.txt`: "arguments: json at offset 14: unexpected end of a string",
	} {
		got := ""
		if err := wire.CheckArgs([]byte(in)); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s: (-got +want)\n%s", in, diff)
		}
	}
}

// Arguments that were cut anywhere are never taken for complete.
func TestCheckArgsCut(t *testing.T) {
	whole := `{"path":"a \"b\" é","n":[1,2.5e3,{"x":null}],"t":true}`
	for i := range len(whole) {
		if wire.CheckArgs([]byte(whole[:i])) == nil {
			t.Errorf("cut at %d: %s is taken for complete", i, whole[:i])
		}
	}
}
