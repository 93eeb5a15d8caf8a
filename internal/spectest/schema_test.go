package spectest_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema compiles one definition of a published schema file.
func schema(t *testing.T, file, name string) *jsonschema.Schema {
	t.Helper()
	dir := os.Getenv("SHARED_DIR")
	if dir == "" {
		t.Skip("SHARED_DIR is not set: the published schemas are not at hand")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join("../..", dir) // it is told from the root of the project
	}
	f, err := os.Open(filepath.Join(dir, "spec", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	amend(doc)
	c := jsonschema.NewCompiler()
	if err := c.AddResource(file, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(file + "#/$defs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// amend makes the published text usable as a schema. It contains a keyword of an
// older draft in a form that the draft at hand refuses, and oneOf where more than
// one alternative fits: a user's message is described twice.
func amend(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "$recursiveAnchor")
		if one, ok := v["oneOf"]; ok && v["anyOf"] == nil {
			delete(v, "oneOf")
			v["anyOf"] = one
		}
		for _, x := range v {
			amend(x)
		}
	case []any:
		for _, x := range v {
			amend(x)
		}
	}
}

// keys returns the names of the top-level properties of a schema.
func keys(s *jsonschema.Schema) []string {
	var out []string
	for name := range s.Properties {
		out = append(out, name)
	}
	for _, part := range s.AllOf {
		out = append(out, keys(part)...)
	}
	if s.Ref != nil {
		out = append(out, keys(s.Ref)...)
	}
	return out
}

func check(t *testing.T, s *jsonschema.Schema, body []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%v\n%s", err, body)
	}
	known := keys(s)
	for name := range v.(map[string]any) {
		if !slices.Contains(known, name) {
			t.Errorf("the schema has no %q", name)
		}
	}
}

// golden calls a function for a file of every golden archive.
func golden(t *testing.T, dir, name string, f func(t *testing.T, data []byte)) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i := range ar.Files {
				if ar.Files[i].Name == name {
					f(t, ar.Files[i].Data)
				}
			}
		})
	}
}
