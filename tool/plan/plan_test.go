package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/plan"
)

// A desk keeps a state as a session does.
type desk struct {
	t         testing.TB
	kept      json.RawMessage
	forgotten int
}

func (d *desk) ctx() context.Context {
	return tool.WithStates(d.t.Context(), func(name string) tool.Kept {
		if name != plan.StateName {
			return tool.Kept{}
		}
		return tool.Kept{Value: d.kept, Age: 1, Forgotten: d.forgotten}
	})
}

func (d *desk) state() plan.State { return plan.Parse(d.kept) }

func (d *desk) tool(name string) tool.Tool {
	d.t.Helper()
	for _, t := range plan.New() {
		if t.Spec().Name == name {
			return t
		}
	}
	d.t.Fatalf("no tool %s", name)
	return nil
}

// take keeps the state of a result and returns its text, an error with a "!".
func (d *desk) take(r tool.Result, err error) string {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
	for _, s := range r.State {
		if s.Name != plan.StateName {
			d.t.Errorf("state %s", s.Name)
		}
		d.kept = s.Value
	}
	if r.IsError {
		if len(r.State) > 0 {
			d.t.Error("an error that changes something")
		}
		return "!" + r.Text.String()
	}
	return r.Text.String()
}

func (d *desk) call(name, args string) string {
	d.t.Helper()
	return d.take(d.tool(name).Call(d.ctx(), json.RawMessage(args)))
}

// ask calls plan_exit, which must ask.
func (d *desk) ask(args string) *tool.Pending {
	d.t.Helper()
	_, err := d.tool(plan.ExitName).Call(d.ctx(), json.RawMessage(args))
	var p *tool.Pending
	if !errors.As(err, &p) {
		d.t.Fatalf("%s does not ask: %v", plan.ExitName, err)
	}
	return p
}

func (d *desk) answer(text string) string {
	d.t.Helper()
	return d.take(d.tool(plan.ExitName).(tool.Answerer).Answer(d.ctx(), json.RawMessage(`{}`), text))
}

func TestPlanning(t *testing.T) {
	d := &desk{t: t}
	want := func(got, want string, state plan.State) {
		t.Helper()
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("result (-got +want):\n%s", diff)
		}
		if diff := cmp.Diff(d.state(), state); diff != "" {
			t.Errorf("state (-got +want):\n%s", diff)
		}
	}
	off := plan.State{}
	want(d.call(plan.ExitName, `{}`), "!plan_exit: not in plan mode", off)
	want(d.call(plan.WriteName, `{"content":"x"}`), "!plan_write: not in plan mode", off)
	want(d.answer("yes"), "!plan_exit: not in plan mode", off)
	on := plan.State{Active: true, Told: true}
	want(d.call(plan.EnterName, `{}`), "Plan mode is on. Look and ask, and change nothing: calls that would are refused. Keep the plan with plan_write, then call plan_exit.", on)
	want(d.call(plan.EnterName, `{}`), "Already in plan mode.", on)
	want(d.call(plan.WriteName, `{"content":" \n"}`), "!plan_write: content is blank; the plan is as it was", on)
	if diff := cmp.Diff(d.ask(`{}`), &tool.Pending{Question: "Leave plan mode and carry out the plan?\n(No plan was written.)", Choices: []string{"no", "yes"}}); diff != "" {
		t.Errorf("question (-got +want):\n%s", diff)
	}
	on.Plan = "# Plan\n\n1. <a>\u00e9"
	want(d.call(plan.WriteName, `{"content":"\n# Plan\r\n\u202e\n1. <a>é\u0007\n "}`), "The plan is kept: 3 lines.", on)
	want(d.call(plan.WriteName, fmt.Sprintf(`{"content":%q}`, strings.Repeat("x", plan.MaxPlan+1))), "!plan_write: 65537 bytes, and at most 65536 are kept; the plan is as it was", on)
	q := d.ask(`{"summary":"fix\nLeave plan mode?"}`).Question
	if diff := cmp.Diff(q, "Leave plan mode and carry out the plan?\nIn short: fix Leave plan mode?\n| # Plan\n| \n| 1. <a>é"); diff != "" {
		t.Errorf("question (-got +want):\n%s", diff)
	}
	for _, no := range []string{"no", "N", "", " "} {
		want(d.answer(no), "The user did not agree, and plan mode stays on. Ask what is missing, or improve the plan.", on)
	}
	want(d.answer("first the tests\xff"), "The user did not agree, and plan mode stays on. They say: first the tests\ufffd", on)
	want(d.answer(" Yes\n"), "The user agreed. Plan mode is off: carry out the plan.", plan.State{Plan: on.Plan})
	want(d.call(plan.EnterName, `{}`), "Plan mode is on. Look and ask, and change nothing: calls that would are refused. Keep the plan with plan_write, then call plan_exit.",
		plan.State{Active: true, Told: true})
}

// The largest plan fits into what a session keeps, whatever it is made of.
func TestLargestPlan(t *testing.T) {
	for _, c := range []string{"\n", "\"", "<", "\u2028", "é", "\\", "\t"} {
		d := &desk{t: t, kept: plan.State{Active: true}.Keep().Value}
		text := "a" + strings.Repeat(c, (plan.MaxPlan-2)/len(c)) + "z"
		args, _ := json.Marshal(map[string]string{"content": text})
		if got := d.call(plan.WriteName, string(args)); !strings.HasPrefix(got, "The plan is kept") || len(d.kept) > 256<<10 {
			t.Errorf("%q: %s, %d bytes", c, got, len(d.kept))
		}
	}
}

// What the user says is the user's.
func TestAnswerTrust(t *testing.T) {
	d := &desk{t: t, kept: plan.State{Active: true}.Keep().Value}
	r, err := d.tool(plan.ExitName).(tool.Answerer).Answer(d.ctx(), json.RawMessage(`{}`), "no, smaller")
	if err != nil || r.Text[len(r.Text)-1].From.Trust != span.User {
		t.Errorf("got %v, %v", r.Text, err)
	}
}

func TestEffects(t *testing.T) {
	for name, args := range map[string]string{plan.EnterName: `{}`, plan.WriteName: `{"content":"x"}`, plan.ExitName: `{"summary":"x"}`} {
		d := &desk{t: t}
		if e := tool.EffectOf(t.Context(), d.tool(name), json.RawMessage(args)); !e.ReadOnly || !e.Keeps || e.Refused {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// A state that cannot be read forbids.
func TestBrokenState(t *testing.T) {
	d := &desk{t: t, kept: json.RawMessage(`{"active":"no"}`)}
	if !d.state().Active {
		t.Error("not active")
	}
	d.ask(`{}`)
	if d.answer("yes"); d.state().Active {
		t.Error("it cannot be left")
	}
}

// reminders returns what is said at the end of a request, and which tools it needs.
func (d *desk) reminders() (out []string) {
	d.t.Helper()
	for _, p := range d.tool(plan.EnterName).(tool.Speaker).Passages() {
		if p.Source == nil {
			continue
		}
		f, err := p.Source.Read(d.ctx(), source.Query{})
		if err != nil || p.Section.Channel != prompt.Reminder || p.Section.Class != prompt.Turn {
			d.t.Errorf("section %v, %v", p.Section, err)
		}
		if !f.None {
			out = append(out, strings.Join(p.Needs, " ")+": "+f.Text)
		}
	}
	return out
}

func TestReminder(t *testing.T) {
	const (
		mode  = ": Plan mode is on. Look, ask and think the task through; calls that would change something are refused, also in another form."
		tools = "plan_write plan_exit: Keep the plan with plan_write, and end with plan_exit: the user decides whether it is carried out. "
	)
	d := &desk{t: t}
	check := func(want ...string) {
		t.Helper()
		if diff := cmp.Diff(d.reminders(), want); diff != "" {
			t.Errorf("(-got +want):\n%s", diff)
		}
	}
	check()
	d.call(plan.EnterName, `{}`)
	check(mode, tools+"No plan is kept yet.")
	d.call(plan.WriteName, `{"content":"one"}`)
	check(mode, tools+"A plan is kept: 1 line.")
	d.forgotten = 3 // the conversation does not have it any more
	check(mode, tools+"The plan that is kept:\none")
	if got := d.answer("y"); got != "The user agreed. Plan mode is off: carry out the plan, which is\none" {
		t.Errorf("got %q", got)
	}
	check()
}

func ExampleNew() {
	for _, t := range plan.New() {
		fmt.Println(t.Spec().Name)
	}
	// Output:
	// plan_enter
	// plan_write
	// plan_exit
}
