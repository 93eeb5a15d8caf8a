package deepseek

import (
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
)

// Orders of what proem has in the prompt and the original elsewhere, or not at all.
// What a project or a user says stands behind all that is the same everywhere, so
// that the beginning of the prompt is the same too.
const (
	OrderBase         = 100  // the system prompt, behind the persona's first part
	OrderRuntime      = 950  // how the loop works, before what is said of the tools
	OrderMemory       = 2310 // of the memory tools, behind what is said of earlier sessions
	OrderInstructions = 6000 // instruction files
	OrderSkills       = 6100
	OrderWorkspace    = 6200 // files of the agent's home
)

// orders are the places of the sections that proem's own agent has under every
// preset.
var orders = map[string]float64{
	"base": OrderBase, "runtime": OrderRuntime, "memory-recall": OrderMemory, "memory-persistence": OrderMemory + 1,
	"project-instructions": OrderInstructions, "skills": OrderSkills, "workspace": OrderWorkspace,
	"subagents": Subagent.Order(), "tool-sets": MCPServers.Order(), "plan_enter": PlanPolicy.Order(), "todo_write": Goal.Order(),
}

// The names of the contexts that say what an agent may do.
const (
	SandboxContext  = "sandbox:policy"
	ApprovalContext = "approval:policy"
)

// Sources of these parts. A subagent has both with what the runtime says of itself.
const (
	GuidanceSource = "guidance"
	PolicySource   = "permissions"
)

// guidance is what is said of proem's own tools, which the original has under other
// names. A text speaks of its own tool only: the others may be hidden.
var guidance = []struct {
	tool, section string
	row           SectionName
	text          string
}{
	{"shell", "tool:bash", Bash, "shell: a command has worked only if its exit status is 0, so look at that before you go on. " +
		"Run what ends by itself, and nothing that waits for a key."},
	{"read_file", "tool:read", Read, "read_file: read a file before you change it, and before you say what is in it. Of a long one read the part that you need."},
	{"write_file", "tool:write", Write, "write_file: for new files, and for those of which little stays. It replaces all that was there."},
	{"edit_file", "tool:edit", Edit, "edit_file: for changes within a file that you have read. Replace no more than the change needs; " +
		"if the old text is not found, read the file again before the next attempt."},
	{"glob", "tool:glob", Glob, "glob: find files whose names you know in part. Make the pattern narrow enough that you can read what comes."},
	{"grep", "tool:grep", Grep, "grep: find where something is said before you open whole files. A rare word finds more than a frequent one."},
}

// Guidance returns the section in which the model is told how to use one of proem's
// own tools, at its row of the table; not ok: there is none for a tool of that name.
// Where the tool is not shown, a stage of [Preset.Preset] leaves it out.
func Guidance(tool string) (d prompt.SectionDef, ok bool) {
	for _, g := range guidance {
		if g.tool == tool {
			return prompt.SectionDef{Name: g.section, Order: g.row.Order(), Source: GuidanceSource, Body: prompt.Body{Literal: g.text}}, true
		}
	}
	return prompt.SectionDef{}, false
}

// shownTools leaves out what is said of tools that are not shown. It stands behind
// all that may hide one.
var shownTools = prompt.Stage{
	Name: "guidance",
	Doc:  "leaves out what is said of tools that are not shown",
	Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
		missing := func(s prompt.Section) bool {
			if s.From == nil || s.From.Source != GuidanceSource {
				return false
			}
			for _, g := range guidance {
				if g.section == s.Name {
					return !slices.ContainsFunc(a.Tools, func(t chat.ToolSpec) bool { return t.Name == g.tool })
				}
			}
			return false
		}
		if !slices.ContainsFunc(a.Sections, missing) {
			return a, nil
		}
		a.Notes = slices.Clip(a.Notes)
		for _, s := range a.Sections {
			if missing(s) {
				a.Notes = append(a.Notes, prompt.Note{Name: s.Name, Stage: "guidance", From: s.From, Reason: "the tool is not shown"})
			}
		}
		a.Sections = slices.DeleteFunc(slices.Clone(a.Sections), missing)
		return a, nil
	},
}
