package agentscope

import (
	"context"
	"path"
	"strings"

	"github.com/proemhq/proem/internal/frontmatter"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/tool/plan"
	"github.com/proemhq/proem/tool/todo"
)

// A Todo is an item of the session's list.
type Todo struct {
	Content string
	Status  string // pending, in_progress or completed
}

// A Plan is what a session keeps of planning.
type Plan struct {
	Active bool
	File   string // of the plan; empty: none was written
	// Left is the turn in which the user agreed to the plan, which ended plan mode;
	// 0: none did.
	Left int
}

// SessionTodos returns the list that the tool of package todo keeps in a session. It
// is a value for Parts.Todos.
func SessionTodos(ctx context.Context) []Todo {
	var out []Todo
	for _, i := range todo.From(ctx).Items {
		out = append(out, Todo{Content: i.Content, Status: string(i.Status)})
	}
	return out
}

// SessionPlan returns a value for Parts.Plan: what the tools of package plan keep in
// a session, of which the plan is written to a file of that name; see package
// toolset.
func SessionPlan(file string) func(ctx context.Context) Plan {
	return func(ctx context.Context) Plan {
		s := plan.From(ctx)
		p := Plan{Active: s.Active, Left: s.Agreed}
		if s.Plan != "" || s.Active {
			p.File = file
		}
		return p
	}
}

// DefaultPlanFile is where a plan is written, in the workspace.
const DefaultPlanFile = "plans/PLAN.md"

// PlanFile returns the name of the plan's file in a folder of the workspace; "" is
// the default.
func PlanFile(dir string) string {
	if dir = strings.Trim(dir, "/"); dir == "" {
		return DefaultPlanFile
	}
	return path.Join(dir, "PLAN.md")
}

// taskList returns the stage of the guidance for todos, and of their reminder.
func (cfg Config) taskList() prompt.Stage {
	return prompt.Stage{
		Name: "task-list",
		Doc:  "says how todos are kept, if the tool for it is shown",
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			t := namedOf(a.Tools)
			if t.todo != "" && !cfg.NoTaskList {
				put(&a, own(TaskListSection, OrderTaskList, t.taskList()))
				return a, nil
			}
			return drop(a, TodosSection, "task-list", "todos are switched off, or their tool is not shown"), nil
		},
	}
}

// banner returns the stage of plan mode's banners.
func (cfg Config) banner() prompt.Stage {
	return prompt.Stage{
		Name: "banner",
		Doc:  "leaves out the banners of plan mode if they are switched off",
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			if cfg.NoPlan {
				a = drop(a, PlanSection, "banner", "plan mode is switched off")
			}
			return a, nil
		},
	}
}

// drop leaves a section out, and says so.
func drop(a prompt.Assembly, name, by, reason string) prompt.Assembly {
	i := section(&a, name)
	if i < 0 {
		return a
	}
	s := a.Sections[i]
	a.Sections = without(a.Sections, i)
	a.Notes = append(a.Notes[:len(a.Notes):len(a.Notes)], prompt.Note{Name: s.Name, Stage: by, From: s.From, Reason: reason})
	return a
}

// readTodos returns the source of the reminder.
func readTodos(todos func(context.Context) []Todo) source.Func {
	return func(ctx context.Context, _ source.Query) (prompt.Fact, error) {
		text := todosText(todos(ctx))
		return prompt.Fact{Text: text, None: text == "", Class: prompt.Turn}, nil
	}
}

func todosText(todos []Todo) string {
	if len(todos) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Your task list as it is now. Bring it up to date when something of it changed, and do not speak of this reminder.")
	for _, t := range todos {
		mark := map[string]string{"completed": "[x]", "in_progress": "[~]"}[t.Status]
		if mark == "" {
			mark = "[ ]"
		}
		b.WriteString("\n- " + mark + " " + frontmatter.OneLine(t.Content))
	}
	return reminder(b.String())
}

// reminder puts a text into the tags of a reminder, which it cannot leave.
func reminder(text string) string {
	return "<system-reminder>\n" + escaped(text, nil) + "\n</system-reminder>"
}

// readPlan returns the source of the banners.
func readPlan(of func(context.Context) Plan) source.Func {
	return func(ctx context.Context, q source.Query) (prompt.Fact, error) {
		text := of(ctx).banner(q.Turn)
		return prompt.Fact{Text: text, None: text == "", Class: prompt.Turn}, nil
	}
}

// banner returns the text for a request of a turn. The build banner stands in what
// is left of the turn in which the user agreed, and in the next one.
func (p Plan) banner(turn int) string {
	file := frontmatter.OneLine(p.File)
	switch {
	case p.Active:
		if file == "" {
			file = DefaultPlanFile
		}
		return reminder("PLAN MODE is active (read-only). Look at what there is, ask, and think the task through. Change nothing: calls that would " +
			"are refused, whatever allows them, and so is every other way to the same effect. Write the plan with plan_write, which keeps it in " +
			file + ", and end with plan_exit: the user decides whether it is carried out.")
	case p.Left > 0 && file != "" && turn >= p.Left && turn <= p.Left+1:
		return reminder("You have been switched from PLAN to BUILD. The user agreed to the plan in " + file +
			": read it, carry it out, and change what it says to change. Ask before you depart from it.")
	}
	return ""
}
