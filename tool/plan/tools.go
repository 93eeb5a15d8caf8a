package plan

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

type none struct{}

type content struct {
	Content string `json:"content" description:"The whole plan, in Markdown; it replaces the old one."`
}

type ending struct {
	Summary string `json:"summary,omitempty" description:"What the plan comes to, in a sentence."`
}

// answers that plan_exit understands, the one that changes least first.
const (
	no  = "no"
	yes = "yes"
)

// New returns the tools plan_enter, plan_write{content} and plan_exit{summary?}.
// They change nothing outside the session.
func New() []tool.Tool {
	return []tool.Tool{
		tool.Must(tool.Make(tool.Def[none]{
			Name:        EnterName,
			Description: "Turns plan mode on: nothing can be changed until the user agrees to your plan.",
			Call:        enter,
			Effect:      effect[none],
			Passages:    passages,
		})),
		tool.Must(tool.Make(tool.Def[content]{
			Name:        WriteName,
			Description: "Keeps the plan, in plan mode.",
			Call:        write,
			Effect:      effect[content],
		})),
		tool.Must(tool.Make(tool.Def[ending]{
			Name:        ExitName,
			Description: "Shows the plan to the user and asks whether to leave plan mode and carry it out.",
			Call:        exit,
			Answer:      answer,
			Effect:      effect[ending],
		})),
	}
}

func effect[A any](context.Context, A) tool.Effect {
	return tool.Effect{ReadOnly: true, Idempotent: true, Keeps: true}
}

// outside is the result of a call that makes sense in plan mode only.
func outside(name string) tool.Result { return tool.Errorf("%s: not in plan mode", name) }

func enter(ctx context.Context, _ none) (tool.Result, error) {
	s := From(ctx)
	if s.Active {
		return tool.Text("Already in plan mode."), nil
	}
	s = State{Active: true, Told: true}
	return s.keeping("Plan mode is on. Look and ask, and change nothing: calls that would are refused. Keep the plan with " + WriteName +
		", then call " + ExitName + "."), nil
}

func write(ctx context.Context, a content) (tool.Result, error) {
	s := From(ctx)
	text := clean(a.Content)
	switch {
	case !s.Active:
		return outside(WriteName), nil
	case text == "":
		return tool.Errorf("%s: content is blank; the plan is as it was", WriteName), nil
	case len(text) > MaxPlan:
		return tool.Errorf("%s: %d bytes, and at most %d are kept; the plan is as it was", WriteName, len(text), MaxPlan), nil
	}
	s.Plan, s.Told = text, true
	return s.keeping("The plan is kept: " + size(text) + "."), nil
}

// exit asks, always.
func exit(ctx context.Context, a ending) (tool.Result, error) {
	s := From(ctx)
	if !s.Active {
		return outside(ExitName), nil
	}
	return tool.Result{}, &tool.Pending{Question: question(s, a.Summary), Choices: []string{no, yes}}
}

// maxSummary is how much of a summary is shown.
const maxSummary = 1000

// question shows the plan. Its lines have a margin, so that none of them looks like
// a question of ours.
func question(s State, summary string) string {
	var b strings.Builder
	b.WriteString("Leave plan mode and carry out the plan?")
	if summary = strings.Join(strings.Fields(clean(summary)), " "); summary != "" {
		if len(summary) > maxSummary {
			summary = strings.ToValidUTF8(summary[:maxSummary], "") + "…"
		}
		b.WriteString("\nIn short: " + summary)
	}
	if s.Plan == "" {
		return b.String() + "\n(No plan was written.)"
	}
	for l := range strings.SplitSeq(s.Plan, "\n") {
		b.WriteString("\n| " + l)
	}
	return b.String()
}

// answer makes a result of what the user said.
func answer(ctx context.Context, _ ending, said string) (tool.Result, error) {
	s := From(ctx)
	if !s.Active { // it ended otherwise meanwhile
		return outside(ExitName), nil
	}
	said = strings.TrimSpace(said)
	switch strings.ToLower(said) {
	case yes, "y":
		s.Active, s.Told = false, false
		if h, ok := tool.HistoryOf(ctx); ok {
			s.Agreed = h.Turn
		}
		if s.Plan != "" && forgotten(ctx) {
			return s.keeping("The user agreed. Plan mode is off: carry out the plan, which is\n" + s.Plan), nil
		}
		return s.keeping("The user agreed. Plan mode is off: carry out the plan."), nil
	case no, "n", "":
		return tool.Text("The user did not agree, and plan mode stays on. Ask what is missing, or improve the plan."), nil
	}
	r := tool.Text("The user did not agree, and plan mode stays on. They say: ")
	r.Text = append(r.Text, span.Of(strings.ToValidUTF8(said, "\uFFFD"), &span.Origin{Section: ExitName, Source: "user", Trust: span.User})...)
	return r, nil
}

// clean returns a text without what people cannot see and without blank lines
// around it.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r == 0x2028, r == 0x2029:
			return '\n'
		case unicode.IsControl(r), r == 0xfeff:
			return -1
		}
		return r
	}, textnorm.String(s))
	return strings.TrimRight(strings.TrimLeft(s, "\n"), " \t\n")
}

// size says how long a plan is.
func size(text string) string {
	if n := strings.Count(text, "\n") + 1; n != 1 {
		return fmt.Sprintf("%d lines", n)
	}
	return "1 line"
}
