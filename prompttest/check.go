package prompttest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/prompt"
)

// A Case is an argument on which Check tries a stage. Take assemblies on which
// the stage has something to do, and one on which it has not.
type Case struct {
	Name     string // for messages
	Input    prompt.Input
	Assembly prompt.Assembly
}

// Check fails the test if a stage breaks a promise on one of the cases:
//
//   - it returns equal results, and equal errors, for equal arguments;
//   - it leaves its argument as it was: no element, no shared origin, and nothing
//     behind the end of a shared slice either;
//   - if it is Local, applying it to each section alone gives the sections of the
//     whole, and it adds, removes and moves none;
//   - unless it is PerStep, turn and step make no difference.
//
// It also asks for a name and a sentence. A stage that passes may still be
// impure in ways that no case brings to light.
func Check(t testing.TB, s prompt.Stage, cases ...Case) {
	t.Helper()
	if s.Name == "" {
		t.Error("prompttest: the stage has no name")
	}
	if s.Doc == "" {
		t.Errorf("prompttest: the stage %q has no Doc: one sentence that says what it does", s.Name)
	}
	if s.Apply == nil {
		t.Errorf("prompttest: the stage %q has no Apply", s.Name)
		return
	}
	for _, c := range cases {
		for _, problem := range checkCase(s, c) {
			t.Errorf("prompttest: stage %q, case %q: %s", s.Name, c.Name, problem)
		}
	}
}

var comparing = cmp.Options{cmpopts.IgnoreUnexported(prompt.Section{}), cmpopts.EquateNaNs()}

// compare returns the difference of two values, or "".
func compare(got, want any) string { return cmp.Diff(got, want, comparing) }

func checkCase(s prompt.Stage, c Case) (problems []string) {
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }

	arg := copyAssembly(c.Assembly)
	first, err := s.Apply(c.Input, arg)
	if d := compare(arg, c.Assembly); d != "" {
		report("it changes its argument (- after, + before):\n%s", d)
	}
	if where := written(arg); where != "" {
		report("it writes behind the end of its argument's %s: clone or clip the slice before appending", where)
	}
	second, err2 := s.Apply(c.Input, copyAssembly(c.Assembly))
	if d := compare(first, second); d != "" {
		report("two runs differ (- first, + second):\n%s", d)
	}
	if text(err) != text(err2) {
		report("two runs differ in their errors: %q and %q", text(err), text(err2))
	}
	if !s.PerStep {
		for _, n := range []int{-1, 1, 7} {
			in := c.Input
			in.Turn, in.Step = in.Turn+n, in.Step+n
			later, err3 := s.Apply(in, copyAssembly(c.Assembly))
			if d := compare(later, first); d != "" || text(err3) != text(err) {
				report("the turn or step makes a difference; set PerStep (- turn %d and step %d, + turn %d and step %d):\n%s%s",
					in.Turn, in.Step, c.Input.Turn, c.Input.Step, d, compare(text(err3), text(err)))
				break
			}
		}
	}
	if s.Local {
		problems = append(problems, checkLocal(s, c, first, err)...)
	}
	return problems
}

// checkLocal compares the whole with what the stage makes of each section.
func checkLocal(s prompt.Stage, c Case, whole prompt.Assembly, err error) (problems []string) {
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	var faults prompt.Faults
	if err != nil && !errors.As(err, &faults) {
		return nil // there is no whole to compare with
	}
	n := len(c.Assembly.Sections)
	if len(whole.Sections) != n {
		report("it is marked Local but makes %d sections of %d", len(whole.Sections), n)
		return problems
	}
	failed := false
	for i := range n {
		part := copyAssembly(c.Assembly)
		part.Sections = part.Sections[i : i+1 : i+1]
		name := part.Sections[0].Name
		out, err2 := s.Apply(c.Input, part)
		if err2 != nil && !errors.As(err2, &faults) {
			failed = true
			continue
		}
		failed = failed || err2 != nil
		if len(out.Sections) != 1 {
			report("it is marked Local but makes %d sections of the section %q alone", len(out.Sections), name)
			continue
		}
		if d := cmp.Diff(out.Sections[0], whole.Sections[i], comparing, cmpopts.EquateEmpty()); d != "" {
			report("it is marked Local but the section %q depends on others (- alone, + with all):\n%s", name, d)
		}
		if d := cmp.Diff([]any{out.Tools, out.Vars, out.Known, out.Mutes, out.Heads}, []any{whole.Tools, whole.Vars, whole.Known, whole.Mutes, whole.Heads}, comparing, cmpopts.EquateEmpty()); d != "" {
			report("it is marked Local but the tools, variables or heads depend on the sections (- with %q alone, + with all):\n%s", name, d)
		}
	}
	if n > 0 && failed != (err != nil) {
		report("it is marked Local but fails for the whole and not for any section alone, or the other way round: %v", err)
	}
	return problems
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
