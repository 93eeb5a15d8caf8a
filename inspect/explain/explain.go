// Package explain says where every byte of a prompt came from, and why what is
// absent is absent.
//
// A [Report] is made from a preview and from the frames of its trace. It reads
// texts, spans, marks, notes and frames; it composes nothing anew and reads
// nothing:
//
//	p, err := a.Preview(ctx, "s1", agent.Text("hi"))
//	frames, err := p.Trace()
//	r := explain.New(explain.Subject{Step: p.Step, Frames: frames, Counter: token.Estimate})
//	for _, m := range r.Find(explain.Query{Any: "Use tabs"}) {
//		m.Text, m.Start, m.End // where it stands: "system", 120, 128
//		m.Ranges               // where it came from: a file and bytes in it, or "generated:…"
//	}
//	r.WhyNot("/w/CLAUDE.md", explain.Rules{Root: "/w", Cwd: "/w"})
//
// The ranges of each text tile it: channel by channel, the tools, the messages of
// the conversation, and the request body down to its punctuation. Package
// page below writes the report as one HTML file that needs nothing else.
package explain

import (
	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/token"
	"github.com/proemhq/proem/wire"
)

// Schema is the name of the JSON form of a report.
const Schema = "proem.explain/1"

// Conflicts is what holds where two instructions contradict each other.
const Conflicts = "later wins on conflict"

// A Subject is what a report is about.
type Subject struct {
	Step        agent.Step
	Frames      []prompt.Frame // of the step's trace; nil: nothing is said of stages
	Dialect     string         // of the body
	Body        *wire.Body     // nil: the step's own
	Counter     token.Counter
	Rates       Rates
	StepsMax    int // requests that a turn may take; 0: one
	Diagnostics []prompt.Diagnostic
	About       About
}

// An About says of what and where a report is.
type About struct {
	Preset string `json:"preset"`
	Agent  string `json:"agent"`
	Model  string `json:"model"`
	Root   string `json:"root"` // absolute; empty: there is none
	// Record is where what is known of the model's host comes from.
	Record string `json:"record"`
	Turn   int    `json:"turn"` // the user's turn, from 1
	Step   int    `json:"step"` // the model request within the turn, from 1
}

// A Report explains one model request. Its slices are not to be changed.
type Report struct {
	Schema    string `json:"schema"`
	About     About  `json:"about"`
	Conflicts string `json:"conflicts"` // what holds where instructions contradict each other
	// Sections stand in the order of the prompt.
	Sections    []Section           `json:"sections"`
	Tools       []Tool              `json:"tools"`
	Omitted     []Omission          `json:"omitted"`
	Stages      []Stage             `json:"stages"`
	Texts       []Text              `json:"texts"` // channels with a text, tools, messages
	Body        Text                `json:"body"`
	Costs       Costs               `json:"costs"`
	Diagnostics []prompt.Diagnostic `json:"diagnostics"`

	// Frames are those of the subject.
	Frames []prompt.Frame `json:"-"`
}

// A Section is a section of the prompt: where it stands, where it came from, who
// let it in, and what was done to it.
type Section struct {
	Name    string     `json:"name"`
	Channel string     `json:"channel"`
	Order   float64    `json:"order"`
	Class   string     `json:"class"`
	Trust   span.Trust `json:"trust"`
	Source  string     `json:"source"`
	Scope   string     `json:"scope"` // whose layer registered it; empty: the global one
	Path    string     `json:"path"`
	Aliases []string   `json:"aliases"`
	Rule    string     `json:"rule"`  // why it is there
	Start   int        `json:"start"` // in the text of its channel, the fence included
	End     int        `json:"end"`
	Content [2]int     `json:"content"` // the same without the fence
	Cost    Cost       `json:"cost"`
	// Changes are what stages and the reading of files did to it, in order.
	Changes []Change `json:"changes"`
	// Unused are the ranges between the pieces of a source that are not in the text.
	Unused []Place `json:"unused"`
	// Won are those that are absent because this one is there.
	Won []Omission `json:"won"`
}

// A Place is a range of bytes in a source.
type Place struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	// Text is the beginning of what stands there, for showing; [Report.Check] fills
	// it in.
	Text string `json:"text"`
}

// A Tool is a tool that the model is shown.
type Tool struct {
	Name   string     `json:"name"`
	Source string     `json:"source"`
	Scope  string     `json:"scope"`
	Path   string     `json:"path"`
	Trust  span.Trust `json:"trust"`
	Rule   string     `json:"rule"`
	Start  int        `json:"start"` // in the text "tools"
	End    int        `json:"end"`
	Cost   Cost       `json:"cost"`
}

// An Omission says what is absent or was changed, who decided, and why.
type Omission struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Stage  string `json:"stage"`
	Reason string `json:"reason"`
	Tokens int    `json:"tokens,omitempty"` // what leaving it out saved, where a budget decided
}

// New returns the report of a step. Equal subjects give equal reports.
func New(s Subject) Report {
	if s.Body == nil {
		s.Body = &s.Step.Body
	}
	if s.StepsMax < 1 {
		s.StepsMax = 1
	}
	r := Report{Schema: Schema, About: s.About, Conflicts: Conflicts,
		Sections: []Section{}, Tools: []Tool{}, Omitted: []Omission{}, Stages: []Stage{}, Texts: []Text{},
		Diagnostics: append(append([]prompt.Diagnostic{}, s.Diagnostics...), s.Step.Diagnostics...), Frames: s.Frames}
	r.About.Turn, r.About.Step = s.Step.Turn, s.Step.Step
	a := s.Step.Assembly
	m := meter{count: s.Counter.Count, rates: s.Rates, steps: s.StepsMax}
	for _, n := range a.Notes {
		r.Omitted = append(r.Omitted, Omission{n.Name, n.Path, n.Stage, n.Reason, n.Tokens})
	}
	var changed map[key][]Change
	r.Stages, changed = stages(s.Frames)
	for ch := range prompt.Channels {
		r.channel(a, ch, m, changed)
	}
	r.tools(a, m)
	r.messages(s.Step.Request.Messages)
	r.Body = bodyText(s.Dialect, s.Body)
	r.Costs = r.costs(m, s.Counter)
	return r
}
