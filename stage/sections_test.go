package stage_test

import (
	"testing"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/stage"
)

func TestDropBlank(t *testing.T) {
	a := system("A", "", " \n\t", "B")
	got := apply(t, stage.DropBlank(), prompt.Input{}, a)
	diff(t, "sections", shape(got), []string{`system s0: "A"`, `system s3: "B"`})
	diff(t, "notes", notes(got), []string{"drop-blank: s2: the section is white space only"})
	diff(t, "argument", shape(a), shape(system("A", "", " \n\t", "B")))

	untouched(t, got, apply(t, stage.DropBlank(), prompt.Input{}, got))
	noAllocs(t, stage.DropBlank(), got)
}

func TestHeading(t *testing.T) {
	a := prompt.Assembly{Sections: []prompt.Section{
		section(prompt.System, "s", "S"), section(prompt.Context, "empty", ""), section(prompt.Context, "a", "A"), section(prompt.Context, "b", "B"),
	}}
	st := stage.Heading(prompt.Context, "Context as of now.")
	got := apply(t, st, prompt.Input{}, a)
	diff(t, "sections", shape(got), shape(a))
	diff(t, "text", got.Render(prompt.Context), "Context as of now.\n\nA\n\nB")
	diff(t, "parts", origins(got.Text(prompt.Context))[0], `heading/heading: "Context as of now."`)
	diff(t, "source", got.Text(prompt.Context)[0].From.Source, "generated:heading")

	for _, next := range []prompt.Stage{st, stage.Heading(prompt.Context, "")} {
		untouched(t, got, apply(t, next, prompt.Input{}, got))
		noAllocs(t, next, got)
	}
	diff(t, "replaced", apply(t, stage.Heading(prompt.Context, "Now."), prompt.Input{}, got).Render(prompt.Context), "Now.\n\nA\n\nB")
	two := apply(t, stage.Heading(prompt.System, "Rules."), prompt.Input{}, got)
	diff(t, "another channel", two.Render(prompt.System)+two.Render(prompt.Context), "Rules.\n\nSContext as of now.\n\nA\n\nB")
	diff(t, "the argument", len(got.Heads), 1)

	a.Sections = a.Sections[:2]
	diff(t, "no body", apply(t, st, prompt.Input{}, a).Render(prompt.Context), "")
}

func TestMoveTurn(t *testing.T) {
	build := func() prompt.Assembly {
		a := prompt.Assembly{Sections: []prompt.Section{
			section(prompt.System, "base", "base"), section(prompt.System, "clock", "noon"), section(prompt.Instructions, "todo", "one"),
			section(prompt.Instructions, "task", "task"), section(prompt.Context, "b", "B"), section(prompt.Context, "d", "D"), section(prompt.Reminder, "r", "R"),
		}}
		for _, i := range []int{1, 2, 6} {
			a.Sections[i].Class = prompt.Turn
		}
		for i, order := range []float64{0, 1, 1, 0, 1, 1, 0} {
			a.Sections[i].Order = order
		}
		return a
	}
	a := build()
	got := apply(t, stage.MoveTurn(), prompt.Input{}, a)
	diff(t, "sections", shape(got), []string{
		`system base: "base"`, `instructions task: "task"`, `context b: "B"`, `context clock: "noon"`, `context d: "D"`, `context todo: "one"`, `reminder r: "R"`,
	})
	diff(t, "notes", notes(got), []string{
		"move-turn: clock: it changes at every request and was moved from system to context",
		"move-turn: todo: it changes at every request and was moved from instructions to context",
	})
	diff(t, "argument", a, build())
	untouched(t, got, apply(t, stage.MoveTurn(), prompt.Input{}, got))
	noAllocs(t, stage.MoveTurn(), got)

	// Where position decides, what moves stands behind its equals.
	in := prompt.Input{}
	in.Ties.ByPosition[prompt.Context] = true
	diff(t, "by position", shape(apply(t, stage.MoveTurn(), in, a))[2:6], []string{`context b: "B"`, `context d: "D"`, `context clock: "noon"`, `context todo: "one"`})

	// Without contexts, what moves stands before the reminders.
	a.Sections = append(a.Sections[:4:4], a.Sections[6])
	diff(t, "no contexts", shape(apply(t, stage.MoveTurn(), prompt.Input{}, a))[2:], []string{`context clock: "noon"`, `context todo: "one"`, `reminder r: "R"`})
}

func TestMoveTurnStays(t *testing.T) {
	tests := []struct {
		name string
		do   func(*prompt.Assembly)
		want string
	}{
		{"muted", func(a *prompt.Assembly) { a.Mutes = []prompt.Channel{prompt.Context} },
			"move-turn: s1: it changes at every request but stays in system: the context channel is muted"},
		{"sole", func(a *prompt.Assembly) { a.Sections[1].Sole = true },
			"move-turn: s1: it changes at every request but stays in system: it is the channel's only section"},
		{"a sole context", func(a *prompt.Assembly) {
			c := section(prompt.Context, "c", "C")
			c.Sole = true
			a.Sections = append(a.Sections, c)
		}, "move-turn: s1: it changes at every request but stays in system: the context channel belongs to the section c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := system("A", "B")
			a.Sections[1].Class = prompt.Turn
			tt.do(&a)
			got := apply(t, stage.MoveTurn(), prompt.Input{}, a)
			diff(t, "sections", shape(got), shape(a))
			diff(t, "notes", notes(got), []string{tt.want})
		})
	}
}

func BenchmarkDropBlank(b *testing.B) {
	a := system(make([]string, 100)...)
	b.ReportAllocs()
	for b.Loop() {
		apply(b, stage.DropBlank(), prompt.Input{}, a)
	}
}
