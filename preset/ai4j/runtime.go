package ai4j

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// The texts of the runtimes.
const (
	// ReAct is that of the loop of thought and tool calls.
	ReAct = "Call a tool only where you need one, and end with a short final answer."
	// DeepResearch is that of a loop that gathers evidence; see [Plan].
	DeepResearch = "Divide the question, gather evidence for each part with the tools, and end with a structured summary that names its sources."
)

// Plan returns the text of a plan, a numbered line for each step. A hook puts it
// before the input, or a source into the context channel; the turn is then the
// same with and without streaming.
func Plan(steps ...string) string {
	var b strings.Builder
	b.WriteString("Plan:")
	for i, s := range steps {
		fmt.Fprintf(&b, "\n%d. %s", i+1, s)
	}
	return b.String()
}

const runtimeSep = "\n"

var runtimeOrigin = &span.Origin{Section: standard.RuntimeSection, Source: "preset", Stage: "runtime"}

// Runtime returns a stage that ends the system text with the text of the runtime,
// behind a newline. It takes the place of what the standard preset says of its
// loop; the text of another runtime stays, and is joined likewise. Empty: nothing
// is said of the standard loop. A channel that is muted or has a sole section is
// left alone.
func Runtime(text string) prompt.Stage {
	return prompt.Stage{
		Name: "runtime",
		Doc:  "says how the loop works, behind a newline at the end of the system text",
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			return withRuntime(a, text), nil
		},
	}
}

func withRuntime(a prompt.Assembly, text string) prompt.Assembly {
	at, end := -1, 0 // of the runtime's section; where a new one goes
	for i := range a.Sections {
		s := &a.Sections[i]
		switch {
		case s.Channel != prompt.System:
			continue
		case s.Sole:
			return a
		case s.Name == standard.RuntimeSection:
			at = i
		}
		if s.Order <= standard.OrderRuntime {
			end = i + 1
		}
	}
	if a.Muted(prompt.System) {
		return a
	}
	ours := prompt.Section{Name: standard.RuntimeSection, Channel: prompt.System, Order: standard.OrderRuntime, Required: true,
		Sep: runtimeSep, Text: span.Of(text, runtimeOrigin), From: runtimeOrigin}
	switch {
	case at < 0 && text == "":
		return a
	case at < 0:
		a.Sections = slices.Insert(slices.Clone(a.Sections), end, ours)
	case a.Sections[at].Text.String() != standard.RuntimeText:
		a.Sections = slices.Clone(a.Sections)
		a.Sections[at].Sep = runtimeSep
	case text == "":
		a.Notes = append(slices.Clip(a.Notes), prompt.Note{Name: standard.RuntimeSection, Stage: "runtime", From: a.Sections[at].From,
			Reason: "nothing is said of the loop"})
		a.Sections = slices.Delete(slices.Clone(a.Sections), at, at+1)
	default:
		a.Sections = slices.Clone(a.Sections)
		a.Sections[at] = ours
	}
	return a
}
