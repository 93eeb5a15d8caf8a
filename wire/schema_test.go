package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/wire"
)

const toolSchema = `{"type":"object","properties":{
	"tree":{"$ref":"#/$defs/Node"},
	"mode":{"anyOf":[{"const":"fast"},{"const":"slow"}]},
	"note":{"type":["string","null"]},
	"additionalProperties":{"type":"boolean"}},
	"additionalProperties":false,
	"$defs":{"Node":{"type":"object","properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/Node"}}}}}}`

// Case C61: everything that the restricted level lacks at once.
func TestDownLevelRestricted(t *testing.T) {
	source := []byte(toolSchema)
	before := bytes.Clone(source)
	got, losses, err := wire.DownLevel(source, wire.SchemaRestricted)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"properties":{` +
		`"additionalProperties":{"type":"boolean"},` +
		`"mode":{"enum":["fast","slow"],"type":"string"},` +
		`"note":{"nullable":true,"type":"string"},` +
		`"tree":{"properties":{"kids":{"items":{"description":"Nested Node of the same form.","type":"object"},"type":"array"},"name":{"type":"string"}},"type":"object"}},` +
		`"type":"object"}`
	if d := cmp.Diff(string(got), want); d != "" {
		t.Errorf("(-got +want)\n%s", d)
	}
	wantLosses := []string{
		"warning additionalProperties is removed",
		"warning at /properties/mode: anyOf of constants is sent as enum",
		"warning at /properties/note: the type null is sent as nullable",
		"warning at /properties/tree: the reference #/$defs/Node is replaced by what it refers to",
		"warning at /properties/tree/properties/kids/items: the reference #/$defs/Node leads into itself: cut to an object",
	}
	if d := cmp.Diff(lines(losses), wantLosses); d != "" {
		t.Errorf("losses (-got +want)\n%s", d)
	}
	if !bytes.Equal(source, before) {
		t.Error("the source was changed")
	}
	full, losses, err := wire.DownLevel(source, wire.SchemaFull)
	if canonical, _ := wire.CanonicalJSON(source); err != nil || len(losses) > 0 || !bytes.Equal(full, canonical) {
		t.Errorf("full: got %s %v %v", full, losses, err)
	}
}

func lines(losses []wire.SchemaLoss) []string {
	var out []string
	for _, l := range losses {
		out = append(out, fmt.Sprint(l.Severity, " ", l))
	}
	return out
}

func TestDownLevel(t *testing.T) {
	for _, c := range []struct {
		name, in, restricted, strict string
		losses                       int // of the restricted form
	}{
		{"plain", `{"type":"string"}`, `{"type":"string"}`, `{"type":"string"}`, 0},
		{"data is no schema", `{"enum":[{"$ref":"#"},{"const":1}]}`, `{"enum":[{"$ref":"#"},{"const":1}]}`, `{"enum":[{"$ref":"#"},{"const":1}]}`, 0},
		{"default is data", `{"type":"object","default":{"additionalProperties":1}}`,
			`{"default":{"additionalProperties":1},"type":"object"}`, `{"additionalProperties":false,"properties":{},"required":[],"type":"object"}`, 0},
		{"const", `{"const":1}`, `{"enum":[1]}`, `{"const":1}`, 1},
		{"numbers", `{"maximum":12345678901234567890.0,"multipleOf":0.10}`, `{"maximum":12345678901234567890}`, `{"maximum":12345678901234567890,"multipleOf":0.1}`, 1},
		{"constants with descriptions", `{"anyOf":[{"const":"a","description":"x"},{"enum":["b","a"],"type":"string"},{"type":"null"}]}`,
			`{"enum":["a","b"],"nullable":true,"type":"string"}`,
			`{"anyOf":[{"const":"a","description":"x"},{"enum":["b","a"],"type":"string"},{"type":"null"}]}`, 2},
		{"mixed constants", `{"oneOf":[{"const":"a"},{"const":1}]}`, `{"enum":["a",1]}`, `{"anyOf":[{"const":"a"},{"const":1}]}`, 2},
		{"nullable union", `{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}],"description":"d"}`,
			`{"description":"d","minimum":1,"nullable":true,"type":"integer"}`,
			`{"anyOf":[{"minimum":1,"type":"integer"},{"type":"null"}],"description":"d"}`, 2},
		{"types", `{"type":["string","integer","null"]}`, `{"anyOf":[{"type":"string"},{"type":"integer"}],"nullable":true}`, `{"type":["string","integer","null"]}`, 2},
		{"only null", `{"type":"null"}`, `{"type":"null"}`, `{"type":"null"}`, 0},
		{"allOf", `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`,
			`{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"],"type":"object"}`,
			`{"additionalProperties":false,"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"],"type":"object"}`, 1},
		{"allOf of a reference", `{"properties":{"x":{"allOf":[{"$ref":"#/$defs/A"}],"description":"d"}},"required":["x"],"$defs":{"A":{"type":"string"}},"additionalProperties":false}`,
			`{"properties":{"x":{"description":"d","type":"string"}},"required":["x"]}`,
			`{"$defs":{"A":{"type":"string"}},"additionalProperties":false,"properties":{"x":{"description":"d","type":"string"}},"required":["x"]}`, 3},
		{"reference with a description", `{"properties":{"x":{"$ref":"#/$defs/A","description":"d"}},"required":["x"],"$defs":{"A":{"type":"string","description":"a"}},"additionalProperties":false}`,
			`{"properties":{"x":{"description":"d","type":"string"}},"required":["x"]}`,
			`{"$defs":{"A":{"description":"a","type":"string"}},"additionalProperties":false,"properties":{"x":{"anyOf":[{"$ref":"#/$defs/A"}],"description":"d"}},"required":["x"]}`, 2},
		{"references by pointer", `{"properties":{"a/b":{"type":"string"},"x":{"$ref":"#/properties/a~1b"},"y":{"$ref":"#/properties/a%7E1b"}},"required":["a/b","x","y"],"additionalProperties":false}`,
			`{"properties":{"a/b":{"type":"string"},"x":{"type":"string"},"y":{"type":"string"}},"required":["a/b","x","y"]}`,
			`{"additionalProperties":false,"properties":{"a/b":{"type":"string"},"x":{"$ref":"#/properties/a~1b"},"y":{"$ref":"#/properties/a%7E1b"}},"required":["a/b","x","y"]}`, 3},
		{"the root itself", `{"type":"object","properties":{"next":{"$ref":"#"}},"required":["next"],"additionalProperties":false}`,
			`{"properties":{"next":{"properties":{"next":{"description":"Nested # of the same form.","type":"object"}},"required":["next"],"type":"object"}},"required":["next"],"type":"object"}`,
			`{"additionalProperties":false,"properties":{"next":{"$ref":"#"}},"required":["next"],"type":"object"}`, 4},
		{"elsewhere", `{"properties":{"x":{"$ref":"https://example.test/s.json"}},"required":["x"],"additionalProperties":false}`,
			`{"properties":{"x":{"type":"object"}},"required":["x"]}`,
			`{"additionalProperties":false,"properties":{"x":{"additionalProperties":false,"properties":{},"required":[],"type":"object"}},"required":["x"]}`, 2},
		{"beside a reference", `{"properties":{"x":{"$ref":"#/$defs/A","minimum":1}},"required":["x"],"$defs":{"A":{"type":"integer"}},"additionalProperties":false}`,
			`{"properties":{"x":{"minimum":1,"type":"integer"}},"required":["x"]}`,
			`{"$defs":{"A":{"type":"integer"}},"additionalProperties":false,"properties":{"x":{"$ref":"#/$defs/A"}},"required":["x"]}`, 2},
		{"one reference twice", `{"properties":{"x":{"allOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/A"}]}},"required":["x"],"$defs":{"A":{"type":"string"}},"additionalProperties":false}`,
			`{"properties":{"x":{"type":"string"}},"required":["x"]}`,
			`{"$defs":{"A":{"type":"string"}},"additionalProperties":false,"properties":{"x":{"type":"string"}},"required":["x"]}`, 4},
		{"misshapen part", `{"allOf":[{"anyOf":[],"type":"string"}]}`, `{"type":"string"}`, `{"type":"string"}`, 2},
		{"required is no list", `{"properties":{"x":{}},"required":"x","additionalProperties":false}`, `{"properties":{"x":{}}}`,
			`{"additionalProperties":false,"properties":{"x":{}},"required":["x"]}`, 2},
		{"a reference to itself", `{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}`,
			`{"description":"Nested A of the same form.","type":"object"}`, `{"$defs":{"A":{"$ref":"#/$defs/A"}},"additionalProperties":false,"description":"Nested A of the same form.","properties":{},"required":[],"type":"object"}`, 2},
		{"booleans", `{"properties":{"any":true,"none":false},"items":false,"additionalProperties":true}`,
			`{"items":{},"properties":{"any":{}}}`, `{"additionalProperties":false,"items":{},"properties":{"any":{}},"required":["any"]}`, 2},
		{"by position", `{"items":[{"type":"string"}],"prefixItems":[{}]}`, `{"items":{}}`, `{"items":{}}`, 2},
		{"optional", `{"type":"object","properties":{"a":{"type":"string","enum":["x"]},"b":{"type":"integer"}},"required":["b","gone"]}`,
			`{"properties":{"a":{"enum":["x"],"type":"string"},"b":{"type":"integer"}},"required":["b","gone"],"type":"object"}`,
			`{"additionalProperties":false,"properties":{"a":{"enum":["x",null],"type":["string","null"]},"b":{"type":"integer"}},"required":["b","a"],"type":"object"}`, 0},
		{"a map", `{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"object"}`, `{"additionalProperties":false,"properties":{},"required":[],"type":"object"}`, 1},
		{"annotations", `{"$schema":"s","$id":"i","title":"t","examples":[1]}`, `{"title":"t"}`, `{"title":"t"}`, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			for level, want := range map[wire.SchemaLevel]string{wire.SchemaRestricted: c.restricted, wire.SchemaStrict: c.strict} {
				got, losses, err := wire.DownLevel([]byte(c.in), level)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(string(got), want); d != "" {
					t.Errorf("level %d (-got +want)\n%s", level, d)
				}
				if level == wire.SchemaRestricted && len(losses) != c.losses {
					t.Errorf("got %d losses, want %d: %q", len(losses), c.losses, lines(losses))
				}
			}
		})
	}
}

func TestDownLevelErrors(t *testing.T) {
	for _, in := range []string{``, `[]`, `"x"`, `true`, `{"a":1,"a":2}`, `{`} {
		for level := range wire.SchemaRestricted + 1 {
			if _, _, err := wire.DownLevel([]byte(in), level); err == nil {
				t.Errorf("%q at level %d: no error", in, level)
			}
		}
	}
}

// References that multiply end somewhere.
func TestDownLevelGrowth(t *testing.T) {
	var defs []string
	for i := range 40 {
		defs = append(defs, fmt.Sprintf(`"D%d":{"properties":{"a":{"$ref":"#/$defs/D%d"},"b":{"$ref":"#/$defs/D%d"}}}`, i, i+1, i+1))
	}
	in := `{"$ref":"#/$defs/D0","$defs":{"D40":{"type":"string"},` + strings.Join(defs, ",") + `}}`
	out, losses, err := wire.DownLevel([]byte(in), wire.SchemaRestricted)
	if err != nil || len(out) > 4<<20 || len(losses) == 0 {
		t.Errorf("got %d bytes, %d losses, %v", len(out), len(losses), err)
	}
}

// Large schemas take time in proportion, and references to large ones end
// somewhere.
func TestDownLevelLarge(t *testing.T) {
	list := func(n int, format string) string {
		out := make([]string, n)
		for i := range out {
			out[i] = strings.ReplaceAll(format, "#N", fmt.Sprint(i))
		}
		return strings.Join(out, ",")
	}
	var doubled []string
	for i := range 60 {
		doubled = append(doubled, strings.ReplaceAll(fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/dN"},{"$ref":"#/$defs/dN"}]}`, i), "dN", fmt.Sprintf("d%d", i+1)))
	}
	for name, in := range map[string]string{
		"an enum in many places": `{"type":"object","properties":{` + list(5000, `"p#N":{"$ref":"#/$defs/e"}`) + `},"$defs":{"e":{"enum":[` + list(5000, `"v#N"`) + `]}}}`,
		"parts":                  `{"type":"object","allOf":[` + list(9000, `{"required":["p#N"],"properties":{"p#N":{"type":"string"}}}`) + `]}`,
		"constants":              `{"type":"object","properties":{"a":{"anyOf":[` + list(50000, `{"const":"v#N"}`) + `]}}}`,
		"parts that multiply":    `{"allOf":[{"$ref":"#/$defs/d0"}],"$defs":{"d60":{"type":"object"},` + strings.Join(doubled, ",") + `}}`,
	} {
		for _, level := range []wire.SchemaLevel{wire.SchemaStrict, wire.SchemaRestricted} {
			began := time.Now()
			out, _, err := wire.DownLevel([]byte(in), level)
			if took := time.Since(began); err != nil || len(out) > 8<<20 || took > 20*time.Second {
				t.Errorf("%s at level %d: %d bytes after %v, %v", name, level, len(out), took, err)
			}
		}
	}
}

func ExampleDownLevel() {
	out, losses, err := wire.DownLevel(json.RawMessage(`{"type":"object","properties":{"unit":{"const":"C"}},"additionalProperties":false}`), wire.SchemaRestricted)
	fmt.Printf("%s %v\n", out, err)
	for _, l := range losses {
		fmt.Println(l)
	}
	// Output:
	// {"properties":{"unit":{"enum":["C"]}},"type":"object"} <nil>
	// additionalProperties is removed
	// at /properties/unit: const is sent as enum
}

// foreign returns what the restricted level lacks and a schema has all the same.
func foreign(schema any) string {
	m, ok := schema.(map[string]any)
	if !ok {
		return "no schema"
	}
	for _, key := range []string{"$ref", "$defs", "const", "oneOf", "allOf", "not", "additionalProperties"} {
		if _, ok := m[key]; ok {
			return key
		}
	}
	if _, ok := m["type"].([]any); ok {
		return "a list of types"
	}
	var inner []any
	if items, ok := m["items"]; ok {
		inner = append(inner, items)
	}
	if list, ok := m["anyOf"]; ok {
		inner = append(inner, list.([]any)...)
	}
	if props, ok := m["properties"]; ok {
		for _, p := range props.(map[string]any) {
			inner = append(inner, p)
		}
	}
	for _, s := range inner {
		if what := foreign(s); what != "" {
			return what
		}
	}
	return ""
}

// A reduced schema is canonical and has nothing that its level lacks.
func FuzzDownLevel(f *testing.F) {
	f.Add(toolSchema)
	f.Add(`{"allOf":[{"$ref":"#"}],"anyOf":[{"type":["null"]},{"$ref":"#/anyOf/0"}]}`)
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"const":null}]}},"oneOf":[{}],"enum":[null]}`)
	f.Fuzz(func(t *testing.T, in string) {
		for level := range wire.SchemaRestricted + 1 {
			out, _, err := wire.DownLevel([]byte(in), level)
			if err != nil {
				continue
			}
			if canonical, err := wire.CanonicalJSON(out); err != nil || !bytes.Equal(canonical, out) {
				t.Fatalf("%s at level %d: not canonical: %s %v", in, level, out, err)
			}
			var tree any
			if err := json.Unmarshal(out, &tree); err != nil {
				t.Fatal(err)
			}
			if level == wire.SchemaRestricted {
				if what := foreign(tree); what != "" {
					t.Fatalf("%s: %s is left in %s", in, what, out)
				}
			}
		}
	})
}
