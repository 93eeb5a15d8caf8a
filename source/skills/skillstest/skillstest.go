// Package skillstest holds the tests that every repository of skills passes.
//
//	func TestRepository(t *testing.T) {
//		skillstest.Run(t, func(t *testing.T, files map[string]string) skills.Repository {
//			fsys := fstest.MapFS{}
//			for name, text := range files {
//				fsys[name] = &fstest.MapFile{Data: []byte(text)}
//			}
//			return skills.NewFS(fsys, ".", "/test", span.User)
//		})
//	}
package skillstest

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
)

// Run tests a repository. open returns one that holds the given files, whose
// names are slash-separated and begin with the folder of a skill. It is called
// several times and arranges for cleaning up.
func Run(t *testing.T, open func(t *testing.T, files map[string]string) skills.Repository) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, func(*testing.T, map[string]string) skills.Repository)
	}{
		{"Empty", testEmpty},
		{"List", testList},
		{"Broken", testBroken},
		{"Open", testOpen},
		{"Confined", testConfined},
		{"Unknown", testUnknown},
		{"Version", testVersion},
		{"Files", testFiles},
		{"Concurrent", testConcurrent},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
}

type opener = func(*testing.T, map[string]string) skills.Repository

// Sample returns the files of three skills.
func Sample() map[string]string {
	return map[string]string{
		"deploy/SKILL.md":       "---\nname: deploy\ndescription: how to bring a build into production\nmetadata: {owner: ops}\n---\nSee ref/steps.md\n",
		"deploy/ref/steps.md":   "1. Build.\n2. Ship.\n",
		"deploy/scripts/run.sh": "#!/bin/sh\necho `date`\n",
		"review/SKILL.md":       "---\nname: review\ndescription: \"what to look at: all of it\"\n---\nAll:\n\tthe tests\n",
		"a-b/SKILL.md":          "---\nname: a-b\ndescription: d\n---\n",
	}
}

func list(t *testing.T, r skills.Repository) skills.Listing {
	t.Helper()
	l, err := r.List(context.Background(), prompt.Who{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func names(l skills.Listing) []string {
	var out []string
	for _, s := range l.Skills {
		out = append(out, s.Name)
	}
	return out
}

func testEmpty(t *testing.T, open opener) {
	if l := list(t, open(t, nil)); len(l.Skills)+len(l.Diagnostics) > 0 {
		t.Errorf("%+v", l)
	}
}

func testList(t *testing.T, open opener) {
	l := list(t, open(t, Sample()))
	if diff := cmp.Diff(names(l), []string{"a-b", "deploy", "review"}); diff != "" {
		t.Fatalf("(-got +want):\n%s", diff)
	}
	got := l.Skills[1]
	if got.Description != "how to bring a build into production" || got.Path == "" {
		t.Errorf("%+v", got)
	}
	want := []skills.Field{
		{Name: "name", Value: skills.Value{Text: "deploy"}},
		{Name: "description", Value: skills.Value{Text: "how to bring a build into production"}},
		{Name: "metadata", Value: skills.Value{Fields: []skills.Field{{Name: "owner", Value: skills.Value{Text: "ops"}}}}},
	}
	if diff := cmp.Diff(got.Fields, want); diff != "" {
		t.Errorf("fields (-got +want):\n%s", diff)
	}
}

func testBroken(t *testing.T, open opener) {
	files := Sample()
	files["open/SKILL.md"] = "---\nname: open\ndescription: d\n"
	files["none/SKILL.md"] = "no front matter\n"
	files["mute/SKILL.md"] = "---\nname: mute\n---\nx\n"
	l := list(t, open(t, files))
	if diff := cmp.Diff(names(l), []string{"a-b", "deploy", "review"}); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
	for _, name := range []string{"open", "none", "mute"} {
		if !slices.ContainsFunc(l.Diagnostics, func(d prompt.Diagnostic) bool {
			return d.Severity >= prompt.Warning && d.Line > 0 && strings.Contains(d.Path, name)
		}) {
			t.Errorf("nothing with a line is said of %s: %v", name, l.Diagnostics)
		}
	}
}

func testOpen(t *testing.T, open opener) {
	r := open(t, Sample())
	for path, want := range map[string]string{
		"ref/steps.md": "1. Build.\n2. Ship.\n", "./ref/../ref/steps.md": "1. Build.\n2. Ship.\n",
		"scripts/run.sh": "#!/bin/sh\necho `date`\n", skills.Manifest: Sample()["deploy/SKILL.md"],
	} {
		res, err := r.Open(context.Background(), prompt.Who{}, "deploy", path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if diff := cmp.Diff(res.Text, want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", path, diff)
		}
		if res.Spans != nil && res.Spans.String() != res.Text {
			t.Errorf("%s: the spans read %q", path, res.Spans)
		}
	}
}

// code returns the code of an error, or a word for its lack.
func code(err error) string {
	var e *skills.Error
	switch {
	case err == nil:
		return "none"
	case !errors.As(err, &e):
		return "other"
	}
	return e.Code
}

func testConfined(t *testing.T, open opener) {
	r := open(t, Sample())
	for _, path := range []string{"../review/SKILL.md", "../../etc/passwd", "/etc/passwd", "ref/../../review/SKILL.md", "", `..\review\SKILL.md`, `C:\x`} {
		res, err := r.Open(context.Background(), prompt.Who{}, "deploy", path)
		if got := code(err); got != skills.CodeOutside || res.Text != "" {
			t.Errorf("%q: %s (%v), text %q", path, got, err, res.Text)
		}
	}
	for _, skill := range []string{"../..", "..", ".", "/etc", `..\..`, "deploy/ref"} {
		if _, err := r.Open(context.Background(), prompt.Who{}, skill, "steps.md"); code(err) != skills.CodeOutside {
			t.Errorf("skill %q: %v", skill, err)
		}
	}
}

func testUnknown(t *testing.T, open opener) {
	r := open(t, Sample())
	for _, at := range [][3]string{
		{"nothing", "SKILL.md", skills.CodeUnknown},
		{"Deploy", "SKILL.md", skills.CodeUnknown},
		{"deploy", "ref/none.md", skills.CodeMissing},
	} {
		_, err := r.Open(context.Background(), prompt.Who{}, at[0], at[1])
		if code(err) != at[2] || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s, %s: %v", at[0], at[1], err)
		}
	}
}

func testVersion(t *testing.T, open opener) {
	version := func(r skills.Repository) string {
		v, err := r.Version(context.Background(), prompt.Who{})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	r := open(t, Sample())
	first := version(r)
	list(t, r)
	if again := version(r); again != first {
		t.Errorf("version %q after %q", again, first)
	}
	files := Sample()
	files["review/SKILL.md"] = "---\nname: review\ndescription: something else\n---\n"
	if other := version(open(t, files)); first != "" && other == first {
		t.Errorf("another content has version %q too", other)
	}
}

func testFiles(t *testing.T, open opener) {
	b, ok := open(t, Sample()).(skills.Browser)
	if !ok {
		t.Skip("the repository does not name files")
	}
	got, all, err := b.Files(context.Background(), prompt.Who{}, "deploy")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, []string{"ref/steps.md", "scripts/run.sh"}); diff != "" || !all {
		t.Errorf("all %t (-got +want):\n%s", all, diff)
	}
	if _, _, err := b.Files(context.Background(), prompt.Who{}, "../deploy"); code(err) != skills.CodeOutside {
		t.Errorf("%v", err)
	}
}

func testConcurrent(t *testing.T, open opener) {
	r := open(t, Sample())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				l, err := r.List(context.Background(), prompt.Who{})
				if err != nil || len(l.Skills) != 3 {
					t.Errorf("%d skills, %v", len(l.Skills), err)
				}
				if _, err := r.Open(context.Background(), prompt.Who{}, "deploy", "ref/steps.md"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
