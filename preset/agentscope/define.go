package agentscope

import (
	"context"

	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/span"
)

// Names of the sections that the preset contributes, in their order. The files of
// the workspace are sections with names of their own. What a subagent can inherit of
// them is known by the names.
const (
	SessionSection     = "workspace:context"
	KnowledgeSection   = "agentscope:knowledge"
	RecallSection      = "agentscope:recall"
	PersistenceSection = "agentscope:persistence"
	WorkspaceSection   = "agentscope:workspace"
	FilesSection       = "agentscope:files"
	FilesEndSection    = "agentscope:files-end"
	TaskListSection    = "agentscope:task-list"
	PlanSection        = "agentscope:plan"
	SkillsSection      = standard.SkillsSection
	SubagentsSection   = standard.SubagentsSection
	TodosSection       = "agentscope:todos" // in the channel reminder
)

// OrderContext is where the preset's own sections begin. What the host registers
// in the system channel below it is the base prompt.
const OrderContext = 100_000

// The places of the contributions. The guidance is registered by nobody: a stage
// writes it.
const (
	OrderSession = OrderContext + 10*iota
	OrderKnowledge
	OrderRecall
	OrderPersistence
	OrderWorkspace
	OrderFiles
	OrderDocs // the files; the stage writes their blocks
	OrderFilesEnd
	OrderTaskList
	OrderPlan
	OrderSkills
	OrderSubagents
)

// Parts are what the prompt is made of besides the base. Empty ones are left out.
type Parts struct {
	Session *Session      // the facts of the session; without it there is no workspace context
	Home    source.Source // the files of the workspace: a *memory.Source or a *Home
	// Skills are listed; Dynamic, a set that code changes while sessions run, takes
	// their place.
	Skills, Dynamic *skills.Set
	List            List // how skills are listed
	Subagents       *subagents.Source
	Running         func(ctx context.Context) []Task // what subagents of the session do now
	Todos           func(ctx context.Context) []Todo // of the session
	Plan            func(ctx context.Context) Plan   // of the session
}

// Define registers the parts in a scope.
func Define(s *registry.Scope, p Parts) error {
	dynamic := func(d prompt.SectionDef, on bool, read source.Func) error {
		if !on {
			return nil
		}
		d.Class = max(d.Class, prompt.Session)
		_, err := s.Dynamic(d, read)
		return err
	}
	set := p.Skills
	if p.Dynamic != nil {
		set = p.Dynamic
	}
	list := &lister{set: set, list: p.List}
	agents := &subagentList{src: p.Subagents, running: p.Running}
	var home source.Func
	if p.Home != nil {
		home = p.Home.Read
	}
	for _, err := range []error{
		dynamic(prompt.SectionDef{Name: SessionSection, Order: OrderSession, Sep: "\n", Source: "session"}, p.Session != nil, p.Session.read),
		dynamic(prompt.SectionDef{Name: "workspace", Order: OrderDocs, Trust: span.Workspace, Source: "file"}, p.Session != nil && p.Home != nil, home),
		dynamic(prompt.SectionDef{Name: PlanSection, Order: OrderPlan, Class: prompt.Turn, Source: "plan"}, p.Plan != nil, readPlan(p.Plan)),
		dynamic(prompt.SectionDef{Name: SkillsSection, Order: OrderSkills, Source: "skills"}, set != nil, list.read),
		dynamic(prompt.SectionDef{Name: SubagentsSection, Order: OrderSubagents, Class: prompt.Turn, Source: "subagents"}, p.Subagents != nil, agents.read),
		dynamic(prompt.SectionDef{Name: TodosSection, Channel: prompt.Reminder, Class: prompt.Turn, Order: 200, Source: "todos"}, p.Todos != nil, readTodos(p.Todos)),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// put puts a section of the preset to its place among the others of its kind.
func put(a *prompt.Assembly, s prompt.Section) {
	at := -1
	for i := range a.Sections {
		o := &a.Sections[i]
		if o.Channel > prompt.System {
			if at < 0 {
				at = i
			}
			break
		}
		if isOwn(o) && o.Order > s.Order {
			at = i
			break
		}
	}
	if at < 0 {
		at = len(a.Sections)
	}
	out := make([]prompt.Section, 0, len(a.Sections)+1)
	out = append(append(out, a.Sections[:at]...), s)
	a.Sections = append(out, a.Sections[at:]...)
}

// own returns a section of the preset with a text that the preset itself says.
func own(name string, order float64, text string) prompt.Section {
	from := span.Generated(name)
	from.Section = name
	return prompt.Section{Name: name, Channel: prompt.System, Class: prompt.Session, Order: order,
		Text: span.OfGenerated(text, from), From: from}
}

// section returns the place of a section, or -1.
func section(a *prompt.Assembly, name string) int {
	for i := range a.Sections {
		if a.Sections[i].Name == name {
			return i
		}
	}
	return -1
}

// without returns the sections but for one.
func without(sections []prompt.Section, i int) []prompt.Section {
	out := make([]prompt.Section, 0, len(sections)-1)
	return append(append(out, sections[:i]...), sections[i+1:]...)
}
