package agent

import (
	"context"
	"time"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"

	"github.com/proemhq/proem/preset/standard"
)

// A Runtime lets a model act by its answers instead of by tool calls. The one
// there is, package codeact, lets it write code. Under a runtime a request has no
// tools: what the model is told of them stands in the section "runtime" of the
// system channel. The history has the model's answers as it wrote them, and what it
// is told of its code as messages of the user role; text of an answer is not
// streamed, because it is no text for people.
//
// A runtime keeps nothing of a session, and may be used concurrently.
type Runtime interface {
	// Text is how the model shall answer. It does not change.
	Text() string
	// Guide describes the tools that the model is shown, to stand behind Text. It is
	// a pure function.
	Guide(tools []Guided) span.Text
	// Read says what an answer asks for.
	Read(answer string, p Progress) Move
	// Run runs code. What it calls it calls through call, which makes each of the
	// calls as if the model had made it, hooks and permissions included, and returns
	// the results in order; ids are given to the calls. An error of call, and of its
	// context, ends Run at once with that error. It is no fault of the code: the turn
	// may pause and run the code again later, with the results that there are.
	Run(ctx context.Context, p Program, call CallFunc) (Ran, error)
}

// A CallFunc makes calls of a program.
type CallFunc func(ctx context.Context, calls []chat.ToolCall) ([]chat.ToolResult, error)

// A Guided is a tool that a runtime describes.
type Guided struct {
	chat.ToolSpec
	Note string // the tool's own, see tool.Noter
}

// A Progress is how far a turn has come.
type Progress struct {
	Invalid   int  // answers without a break, up to now, that were not understood
	Succeeded bool // code of the turn ran without an error
	Calls     int  // tool calls of the answer, which a runtime does not run
}

// A Move is what an answer asks for: the first of its fields that is set.
type Move struct {
	Final *string       // the answer of the turn
	Code  *session.Code // to run; without an ID
	Stop  *session.Stop // the end of the turn
	// Again is what the model is told, to answer once more.
	Again   string
	Invalid bool // Again, because the answer was not understood
}

// A Program is code to run.
type Program struct {
	session.Code
	Began time.Time // what the code is told of the time
	Tools []string  // the names that the model was shown, in order
	// Again says that the code ran before, up to calls whose results are there now.
	Again bool
}

// A Ran is what came of code.
type Ran struct {
	Message string  // to the model, valid UTF-8
	OK      bool    // the code ran to its end
	Final   *string // the answer of the turn, if the turn ends with it
}

// runtimeStage puts the guide to the tools behind the text of the runtime.
func (a *Agent) runtimeStage() prompt.Stage {
	return prompt.Stage{
		Name: "runtime",
		Doc:  "the tools are described behind the runtime text, since the request has none",
		Apply: func(_ prompt.Input, as prompt.Assembly) (prompt.Assembly, error) {
			for i := range as.Sections {
				s := &as.Sections[i]
				if s.Name != standard.RuntimeSection || s.Channel != prompt.System {
					continue
				}
				sections := append([]prompt.Section(nil), as.Sections...)
				sections[i].Text = span.Concat(s.Text, a.cfg.Runtime.Guide(a.guided(as.Tools)))
				as.Sections = sections
				return as, nil
			}
			as.Diagnostics = append(as.Diagnostics[:len(as.Diagnostics):len(as.Diagnostics)], prompt.Diagnostic{Severity: prompt.Warning,
				Code: "runtime.missing", Message: "the section runtime is not in the prompt: the model is not told how to answer, nor of the tools"})
			return as, nil
		},
	}
}

// guided returns the tools with their notes.
func (a *Agent) guided(specs []chat.ToolSpec) []Guided {
	out := make([]Guided, len(specs))
	for i, spec := range specs {
		out[i] = Guided{ToolSpec: spec}
		if n, ok := a.tools[spec.Name].(tool.Noter); ok {
			out[i].Note = n.Note()
		}
	}
	return out
}

// withoutCalls returns an answer whose tool calls, which a runtime does not run,
// are text: the request that holds them has no tools. It returns how many there
// were.
func withoutCalls(m chat.Message) (chat.Message, int) {
	n := len(m.Calls())
	if n == 0 {
		return m, 0
	}
	parts := append([]chat.Part(nil), m.Parts...)
	for i := range parts {
		if c := parts[i].Call; c != nil {
			parts[i] = chat.Part{Kind: chat.TextPart, Text: span.OfGenerated(validUTF8("[tool call "+c.Name+" "+string(c.Args)+"]"), c.From)}
		}
	}
	m.Parts = parts
	return m, n
}
