package deepseek_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
)

// files is a repeatable flag.
type files []string

func (f *files) String() string     { return strings.Join(*f, ",") }
func (f *files) Set(s string) error { *f = append(*f, s); return nil }

var vectorFiles files

func init() {
	flag.Var(&vectorFiles, "vectors", "file of vectors to run instead of testdata/vectors; may be repeated")
}

// TestVectors runs recorded results of the reference implementation:
//
//	go test ./preset/deepseek -v -run TestVectors -vectors=/path/x.json
func TestVectors(t *testing.T) {
	paths := []string(vectorFiles)
	if len(paths) == 0 {
		var err error
		if paths, err = filepath.Glob("testdata/vectors/*.json"); err != nil || len(paths) == 0 {
			t.Fatalf("no vectors in testdata: %v", err)
		}
	}
	for _, path := range paths {
		vectors := readVectors(t, path)
		passed := 0
		for _, v := range vectors {
			ok := t.Run(v.Name, func(t *testing.T) {
				if err := runVector(v); err != nil {
					t.Error(err)
				}
			})
			if ok {
				passed++
			}
		}
		fmt.Printf("%s: passed %d of %d\n", filepath.Base(path), passed, len(vectors))
		if len(vectors) == 0 {
			t.Errorf("%s holds no vectors", path)
		}
	}
}

// readVectors reads a list of vectors, or a single one.
func readVectors(t testing.TB, path string) []vector {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []vector
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		list = make([]vector, 1)
		err = json.Unmarshal(data, &list[0])
	} else {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return list
}

// runVector returns how the result differs from the recorded one, or nil.
func runVector(v vector) error {
	want := v.Expected
	w, failed := setUp(v)
	if failed != nil {
		if want.Error == nil || *want.Error != *failed {
			return fmt.Errorf("got error %+v, want %+v", failed, want.Error)
		}
		return sameChanges(w, want)
	}
	if err := errors.Join(sameChanges(w, want), same("registerErrors", w.registerErrors, want.RegisterErrors)); err != nil {
		return err
	}
	a, prompts, err := assembleVector(w, v)
	if want.Error != nil && want.Error.Stage == "assemble" {
		return reported(err, *want.Error, v.Assemble.Scope)
	}
	if err != nil {
		return fmt.Errorf("assemble: %w", err)
	}
	return errors.Join(compareAssembly(a, want), compareRendered(a, want, v.Assemble.Scope), compareStages(prompts, want))
}

func sameChanges(w *world, want expected) error {
	if want.Changes != nil && w.changes != *want.Changes {
		return fmt.Errorf("got %d change notifications, want %d", w.changes, *want.Changes)
	}
	return nil
}

// assembleVector assembles as often as the vector says. The composition by all
// stages of the preset, through a composer that lives as long, is returned too.
func assembleVector(w *world, v vector) (prompt.Assembly, *prompt.Composed, error) {
	scope := v.Assemble.Scope
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	who := prompt.Who{}
	switch v.Assemble.Signal {
	case "live":
		who.Attrs = map[string]string{"signal": "live"}
	case "aborted":
		cancel()
	}
	var facts *prompt.Facts
	var a prompt.Assembly
	var composed *prompt.Composed
	var err error
	composer := w.preset.Composer(scope)
	for range max(1, v.Assemble.Times) {
		view := w.preset.Registry.View()
		in := w.preset.Input(scope, nil)
		facts = source.Gather(ctx, prompt.Needs(view.Snapshot, in.Lineage), view,
			source.Query{Lineage: in.Lineage, Who: who}, 0, facts)
		a, err = w.preset.Assemble(scope, facts)
		composed, _ = composer.Compose(facts)
	}
	return a, composed, err
}

// reported checks that an expected failure is among the faults.
func reported(err error, want failure, scope string) error {
	var faults prompt.Faults
	if !errors.As(err, &faults) {
		return fmt.Errorf("got error %v, want faults with %s", err, want.Kind)
	}
	for _, f := range faults {
		if kindOf(f, scope) == want.Kind {
			return nil
		}
	}
	return fmt.Errorf("got faults\n%v\nwant one of kind %s", faults, want.Kind)
}

func compareAssembly(a prompt.Assembly, want expected) error {
	list := func(ch prompt.Channel) []named {
		var out []named
		for _, s := range a.Sections {
			if s.Channel == ch {
				out = append(out, named{s.Name, s.Text.String()})
			}
		}
		return out
	}
	var vars []variable
	for _, v := range a.Vars {
		x := variable{Name: v.Name}
		if !v.None {
			x.Value = &v.Value
		}
		vars = append(vars, x)
	}
	return errors.Join(
		same("sections", list(prompt.System), want.Sections),
		same("contexts", list(prompt.Context), want.Contexts),
		same("tools", tools(a.Tools), wantedTools(want.Tools)),
		same("variables", vars, want.Variables))
}

func compareRendered(a prompt.Assembly, want expected, scope string) error {
	text, err := deepseek.RenderPrompt(a)
	problems := []error{rendered("prompt", text, err, want.Prompt, want.PromptError, scope)}
	snapshot, err := deepseek.RenderContextSnapshot(a)
	problems = append(problems, rendered("snapshot", snapshot, err, want.Snapshot, want.SnapshotError, scope))
	if want.Snapshot != nil {
		sections, err := deepseek.RenderContextSections(a)
		var got []named
		for _, s := range sections {
			got = append(got, named(s))
		}
		problems = append(problems, err, same("snapshotSections", got, want.SnapshotSections))
	}
	return errors.Join(problems...)
}

// compareStages compares what the preset's whole list of stages gives.
func compareStages(c *prompt.Composed, want expected) error {
	if want.Prompt == nil || want.Snapshot == nil {
		if c != nil {
			return errors.New("the stages composed a prompt that cannot be rendered")
		}
		return nil
	}
	if c == nil {
		return errors.New("the stages composed nothing")
	}
	return errors.Join(
		same("prompt of the stages", c.Text(prompt.System), *want.Prompt),
		same("snapshot of the stages", c.Text(prompt.Context), *want.Snapshot),
		same("prompt as spans", c.Assembly.Text(prompt.System).String(), *want.Prompt))
}

func rendered(what, got string, err error, want *string, wantErr *failure, scope string) error {
	switch {
	case want != nil && err != nil:
		return fmt.Errorf("%s: %w", what, err)
	case want != nil:
		return same(what, got, *want)
	case err == nil:
		return fmt.Errorf("%s: got %q, want an error", what, got)
	case wantErr == nil:
		return nil
	}
	return reported(err, *wantErr, scope)
}

func same(what string, got, want any) error {
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	if g.Kind() == reflect.Slice && g.Len() == 0 && w.Len() == 0 {
		return nil
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%s:\n got %s\nwant %s", what, dump(got), dump(want))
	}
	return nil
}

func dump(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%+v", v)
	}
	return string(b)
}

// A comparable tool: its parameters are compared as JSON values.
type plainTool struct {
	Name, Description string
	Parameters        any
}

func tools(specs []chat.ToolSpec) []plainTool {
	var out []plainTool
	for _, s := range specs {
		out = append(out, plainTool{s.Name, s.Description, value(s.Parameters)})
	}
	return out
}

func wantedTools(specs []vectorTool) []plainTool {
	var out []plainTool
	for _, s := range specs {
		out = append(out, plainTool{s.Name, s.Description, value(s.Parameters)})
	}
	return out
}

func value(raw json.RawMessage) any {
	var v any
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &v); err != nil {
			panic(err)
		}
	}
	return v
}
