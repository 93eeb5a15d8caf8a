// Package lint finds faults in the sources of prompts and in the composed prompts.
//
// It looks at what a preview shows and changes nothing. What sources and stages
// reported while they composed the prompt, such as an import of a file that is not
// there, becomes a finding under the code it had. What only the whole shows, such
// as a paragraph that two files have, is looked for here:
//
//	r := lint.Check(lint.Input{
//		Prompts: []lint.Prompt{{Agent: "default", Preview: p, Steps: 50}},
//		Reader:  files, // to see files as they lie on disk
//	})
//	for _, f := range r.Findings {
//		fmt.Println(f) // warning import.missing /w/AGENTS.md:3:5: @docs/none.md does not exist
//	}
//
// There is one table of rules, [Rules]. Each has an identifier that stays. Where
// there is one right repair, a finding has the edits that make it; [Apply] makes
// them. A comment in the file suppresses a finding and says why:
//
//	<!-- proem-lint-ignore text.duplicate: both teams want to read it -->
//
// Equal inputs give equal reports.
package lint

import (
	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
)

// A Reader reads whole files, as they lie on disk.
type Reader interface {
	// Read returns the bytes of the file with an absolute path. What cannot be read
	// is not looked at.
	Read(path string) ([]byte, error)
}

// An Input is what is looked at.
type Input struct {
	Prompts []Prompt // one for each agent
	// Docs are instruction files that join a prompt later, when an agent touches
	// their directories.
	Docs []prompt.Doc
	// Unread are files that look like instructions and that nobody reads.
	Unread []Unread
	Skills []Skill
	// Diagnostics are those of the surroundings: configuration, later files, skills.
	Diagnostics []prompt.Diagnostic
	Notes       []prompt.Note // of the files in Docs
	Reader      Reader        // nil: no file is looked at as it lies on disk
	Root        string        // the project's root; messages show paths from there
	// TurnTokens is what system and instructions may cost in a turn of all its
	// steps; 0: DefaultTurnTokens.
	TurnTokens int
	// Partial says that the project has further agents. A suppression that
	// suppresses nothing may then be meant for those.
	Partial bool
}

// DefaultTurnTokens is what system and instructions together may cost in a turn.
const DefaultTurnTokens = 1_000_000

// A Prompt is the prompt of one agent.
type Prompt struct {
	Agent   string
	Preview agent.Preview
	// Again is a second preview, of another day, session and message; nil: there is
	// none. What stands before the conversation should be the same in both.
	Again *agent.Preview
	Text  string           // the message of the user in Preview
	Steps int              // the most requests of a turn; 0: not known
	Count func(string) int // counts tokens; nil: a rough guess
	// Diagnostics are those of the agent besides its preview's.
	Diagnostics []prompt.Diagnostic
}

// An Unread is a file that looks like instructions and that nobody reads.
type Unread struct {
	Path   string
	Beside bool   // one that is read lies in the same directory
	Names  string // what is read there, for the message
}

// A Skill is a skill with its text; Loaded is nil if it cannot be loaded.
type Skill struct {
	skills.Entry
	Loaded *skills.Loaded
}

// Check looks at everything. Findings are ordered by path, place and rule.
func Check(in Input) Report {
	l := newLinter(in)
	for _, d := range in.Diagnostics {
		l.diagnostic("", d)
	}
	for i := range in.Prompts {
		l.prompt(&in.Prompts[i])
	}
	l.later()
	l.unreachable()
	l.skills()
	l.files()
	return l.result()
}

// prompt looks at the prompt of one agent.
func (l *linter) prompt(p *Prompt) {
	l.agent = p.Agent
	for _, d := range p.Diagnostics {
		l.diagnostic(p.Agent, d)
	}
	for _, d := range p.Preview.Diagnostics {
		l.diagnostic(p.Agent, d)
	}
	texts := l.texts(p)
	all := append(texts[:len(texts):len(texts)], l.laterTexts()...)
	l.shadowed(p.Preview.Assembly.Notes)
	l.literals(texts)
	l.duplicates(all)
	l.toolNames(p, all)
	l.copiedTools(p, texts)
	l.templates(p, texts)
	l.turns(p)
	l.unstable(p)
	l.volatile(texts)
	l.data(texts)
	l.protocol(texts)
	l.copiedInput(p, texts)
	l.budget(p)
	l.agent = ""
}

// later looks at the files that join a prompt later, of which no agent need know.
func (l *linter) later() {
	l.shadowed(l.in.Notes)
}
