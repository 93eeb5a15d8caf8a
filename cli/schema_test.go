package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/proemhq/proem/cli"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
)

// A shell runs commands in a folder of its own.
type workplace struct{ dir, home string }

func newWorkplace(t *testing.T, files map[string]string) workplace {
	t.Helper()
	w := workplace{t.TempDir(), t.TempDir()}
	filetest.Write(t, w.dir, files)
	return w
}

// run returns what a command prints.
func (w workplace) run(t *testing.T, status int, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	got := cli.Run(t.Context(), cli.App{}, cli.Process{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Environ: []string{"HOME=" + w.home}, Dir: w.dir, Env: env.System()})
	if got != status {
		t.Fatalf("%v: status %d, want %d\n%s", args, got, status, errs.String())
	}
	return out.Bytes()
}

// schema returns the schema that the program prints, ready to check with.
func (w workplace) schema(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(w.run(t, 0, "schema", name), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

func valid(t *testing.T, s *jsonschema.Resolved, doc []byte) error {
	t.Helper()
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	return s.Validate(v)
}

// What the commands print is what their schemas say.
func TestSchemas(t *testing.T) {
	w := newWorkplace(t, map[string]string{
		".git/": "", "AGENTS.md": "# Rules\n", ".proem/agent.yaml": "name: a\n", ".proem/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nb\n",
		"s.yaml": "turns:\n  - text: I look.\n    reasoning: Hm.\n    calls: [{tool: read_file, args: {path: AGENTS.md}}, {tool: write_file, args: {path: n.txt, content: x}}]\n  - text: done\n",
	})
	model := []string{"--model", "scripted:x", "--set", "scripted.file=s.yaml", "--trust", "project"}
	with := func(args ...string) []string { return append(args, model...) }
	for name, docs := range map[string][]byte{
		"prompt":  w.run(t, 0, with("prompt", "--json", "--input", "hi")...),
		"lock":    w.run(t, 0, "lock", "--json"),
		"cache":   w.run(t, 0, "cache", "--scenario", "default", "--json"),
		"explain": w.run(t, 0, with("explain", "--json")...),
		"diff":    w.run(t, 0, "diff", "preset:deepseek", "--json"),
		"run":     w.run(t, 0, with("run", "--output", "json", "go")...),
	} {
		if err := valid(t, w.schema(t, name), docs); err != nil {
			t.Errorf("%s: %v\n%.2000s", name, err, docs)
		}
	}
	w.run(t, 0, with("run", "--trace", "t.jsonl", "--trace-contents", "go")...)
	spans, err := os.ReadFile(filepath.Join(w.dir, "t.jsonl"))
	filetest.Must(t, err)
	traced := w.schema(t, "trace")
	for line := range bytes.Lines(spans) {
		if err := valid(t, traced, line); err != nil {
			t.Errorf("%v\n%s", err, line)
		}
	}
	var ran struct{ Session string }
	filetest.Must(t, json.Unmarshal(w.run(t, 0, with("run", "--output", "json", "go")...), &ran))
	if err := valid(t, w.schema(t, "find"), w.run(t, 0, "sessions", "find", ran.Session, "go", "--json")); err != nil {
		t.Errorf("find: %v", err)
	}
	events := w.schema(t, "events")
	lines := w.run(t, 1, with("run", "--output", "stream-json", "--pause", "go")...)
	lines = append(lines, w.run(t, 0, with("run", "--output", "stream-json", "--continue", "--answer", "session")...)...)
	kinds := map[string]bool{}
	for line := range bytes.Lines(lines) {
		if err := valid(t, events, line); err != nil {
			t.Errorf("%v\n%s", err, line)
		}
		var e struct{ Kind string }
		_ = json.Unmarshal(line, &e)
		kinds[e.Kind] = true
	}
	for _, k := range []string{"session.start", "input", "context", "prefix", "request", "answer", "delta.text", "tool.call", "tool.result", "ask", "reply", "stop"} {
		if !kinds[k] {
			t.Errorf("no event of kind %s was checked", k)
		}
	}
	for _, broken := range []string{`{}`, `{"kind":"input","message":{"role":"robot"}}`, `{"kind":"tool.call","call":{"id":"a"}}`, `{"kind":"answer","message":{"role":"user","parts":[{"kind":"text","text":{"spans":[]}}]}}`} {
		if valid(t, events, []byte(broken)) == nil {
			t.Errorf("accepted: %s", broken)
		}
	}
}

func TestConfigSchema(t *testing.T) {
	w := newWorkplace(t, nil)
	s := w.schema(t, "config")
	for _, tt := range []struct {
		yaml string
		ok   bool
	}{
		{"name: a\nsystem_prompt: hi\ntools: {allow: [read_file], order: [x, <unlisted-tools>]}", true},
		{"permissions: [{action: deny, tool: shell, command: [go, test, \"*\"]}]", true},
		{"providers: {mine: {base_url: http://127.0.0.1, headers: {X-A: b}}}\nsteps: {max: 3}", true},
		{"system_prompt_file: {default: a.md, \"openai:*\": b.md}\nvariables: {a: 1, b: x}", true},
		{"sections: [{name: a, order: -3, text: t}]\nprices: {\"gpt-*\": {input: 1.5}}", true},
		{"stepz: {max: 3}", false},
		{"steps: {max: many}", false},
		{"permissions: [{action: maybe, tool: x}]", false},
		{"permissions: [{action: deny}]", false},
		{"project: {max_bytes: -1}", false},
		{"preset: 3", false},
	} {
		raw, err := yaml.YAMLToJSON([]byte(tt.yaml))
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(t, s, raw); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.yaml, err)
		}
	}
	starter := newWorkplace(t, map[string]string{".git/": ""}) // the starter names keys that the schema has
	starter.run(t, 0, "init")
	text, err := os.ReadFile(filepath.Join(starter.dir, ".proem", "agent.yaml"))
	filetest.Must(t, err)
	raw, err := yaml.YAMLToJSON(text)
	filetest.Must(t, err)
	if err := valid(t, s, raw); err != nil {
		t.Errorf("the starter: %v\n%s", err, text)
	}
}
