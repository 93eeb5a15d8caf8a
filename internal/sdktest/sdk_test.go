package sdktest_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// golden calls a function for a file of every golden archive of a dialect.
func golden(t *testing.T, dir, name string, f func(t *testing.T, data []byte)) {
	files, err := filepath.Glob(filepath.Join("../../wire", dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range ar.Files {
			if ar.Files[i].Name == name {
				t.Run(filepath.Base(file), func(t *testing.T) { f(t, ar.Files[i].Data) })
			}
		}
	}
}

// same fails unless the params, which an SDK read from a body, are written as the
// same JSON. Without are top-level keys that the SDK sets by the method called.
func same(t *testing.T, body []byte, params any, without ...string) {
	t.Helper()
	if err := json.Unmarshal(body, params); err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	written, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	if err := json.Unmarshal(written, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, &want); err != nil {
		t.Fatal(err)
	}
	for _, key := range without {
		delete(want, key)
		delete(got, key)
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("read by the SDK (-got +want)\n%s", d)
	}
}
