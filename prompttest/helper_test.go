package prompttest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// recorder is a test that only writes down how it fails.
type recorder struct {
	testing.TB
	name string
	log  strings.Builder
}

func (r *recorder) Helper()      {}
func (r *recorder) Name() string { return r.name }
func (r *recorder) Error(args ...any) {
	fmt.Fprintln(&r.log, args...)
}
func (r *recorder) Errorf(format string, args ...any) {
	fmt.Fprintf(&r.log, format+"\n", args...)
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failing runs f with a recorder and returns what it wrote down.
func failing(name string, f func(testing.TB)) string {
	r := &recorder{name: name}
	done := make(chan bool)
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r.log.String()
}

func wantAll(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("%q is missing in:\n%s", p, got)
		}
	}
	if len(parts) == 0 && got != "" {
		t.Errorf("want no failure, got:\n%s", got)
	}
}

func diff(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

func section(ch prompt.Channel, name, text string) prompt.Section {
	from := &span.Origin{Section: name, Source: "literal"}
	return prompt.Section{Name: name, Channel: ch, Text: span.Of(text, from), From: from}
}

func sample() prompt.Assembly {
	a := prompt.Assembly{
		Sections: []prompt.Section{
			section(prompt.System, "base", "You help.\nBe brief.\nBe kind.\nBe exact.\n"),
			section(prompt.System, "odd", "a\r\nb\x00\u202ec\n|bar\n\"quoted\"\n\ttab "),
			section(prompt.System, "empty", ""),
			section(prompt.Context, "system \"x\"", "now\n\nthen"),
		},
		Tools: []chat.ToolSpec{{Name: "read", Description: "Reads.\nA file.", Parameters: []byte(`{"type":"object"}`), Strict: true}, {Name: "stop"}},
		Mutes: []prompt.Channel{prompt.Reminder},
		Notes: []prompt.Note{{Name: "gone", Stage: "budget"}},
	}
	a.Sections[1].Sep, a.Sections[1].Class, a.Sections[1].From.Trust, a.Sections[1].Required = "\n", prompt.Turn, span.Project, true
	return a
}
