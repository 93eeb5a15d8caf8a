// Package inspect reports on prompts: what an assembly consists of, where every
// byte of it came from, and what was left out and why. It reads assemblies,
// spans, marks and notes, recomputes no text and changes nothing.
//
//	preview, err := a.Preview(ctx, "s1", agent.Text("hi"))
//	report := inspect.NewPrompt(preview, inspect.About{Preset: "standard", Counter: token.Estimate})
//	json.NewEncoder(os.Stdout).Encode(report)
package inspect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
	"github.com/proemhq/proem/token"
	"github.com/proemhq/proem/wire"
)

// About is what a report says of the circumstances.
type About struct {
	Preset, Agent, Model string
	Cwd, Root, Workspace string // absolute
	// Bodies are the encoded request by dialect; empty: the preview's own under the
	// name "".
	Bodies      map[string]wire.Body
	Counter     token.Counter
	IO          env.Counts
	Diagnostics []prompt.Diagnostic // besides those of the preview
}

// Prompt is the report of `proem prompt --json`, schema proem.prompt/1. Offsets
// are bytes, ends exclusive.
type Prompt struct {
	Schema      string                     `json:"schema"`
	Preset      string                     `json:"preset"`
	Agent       string                     `json:"agent"`
	Model       string                     `json:"model"`
	Cwd         string                     `json:"cwd"`
	Root        string                     `json:"root"`
	Workspace   string                     `json:"workspace"`
	Sections    []Section                  `json:"sections"`
	Omitted     []Omission                 `json:"omitted"`
	Channels    Channels                   `json:"channels"`
	Tools       []Tool                     `json:"tools"`
	Spans       []Span                     `json:"spans"`
	Wire        map[string]json.RawMessage `json:"wire"`
	Marks       map[string][]Mark          `json:"marks"`
	Losses      map[string][]Loss          `json:"losses"` // what each dialect could not carry as it was
	Diagnostics []prompt.Diagnostic        `json:"diagnostics"`
	IO          IO                         `json:"io"`
	Prefix      Prefix                     `json:"prefix"`
	Tokens      Tokens                     `json:"tokens"`
}

// Section is one section of the assembly. Text is what it says, without the
// fence around it.
type Section struct {
	Name    string     `json:"name"`
	Channel string     `json:"channel"`
	Order   float64    `json:"order"`
	Class   string     `json:"class"`
	Trust   span.Trust `json:"trust"`
	Source  string     `json:"source"`
	Path    string     `json:"path"`
	Aliases []string   `json:"aliases"`
	SHA256  string     `json:"sha256"` // of the file as read, or of the text
	Bytes   int        `json:"bytes"`
	Tokens  int        `json:"tokens"`
	Text    string     `json:"text"`
}

// Omission says what is absent or was changed, and why.
type Omission struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Stage  string `json:"stage"`
	Reason string `json:"reason"`
}

// Channels holds the text of each channel.
type Channels struct {
	System       string `json:"system"`
	Instructions string `json:"instructions"`
	Context      string `json:"context"`
	Reminder     string `json:"reminder"`
}

// Tool is a tool that the model is shown.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Source      string          `json:"source"`
	Tokens      int             `json:"tokens"`
}

// Span is a range of a channel with its origin. SrcStart and SrcEnd are -1 for
// text without a place in a source. Text that Stage wrote in place of what stood
// in the source, such as U+FFFD for bytes that are not text, is not as long as
// that was: SrcEnd is then where the next span of the file begins, or SrcStart if
// none follows.
type Span struct {
	Channel  string `json:"channel"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
	Section  string `json:"section"` // or "generated:<name>"
	Path     string `json:"path"`
	SrcStart int    `json:"srcStart"`
	SrcEnd   int    `json:"srcEnd"`
	Stage    string `json:"stage"`
}

// Mark is a range of a request body with its origin.
type Mark struct {
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Section string `json:"section"`
	Path    string `json:"path"`
}

// Loss is what a dialect merged, dropped, downgraded or repaired, with the origin
// of what was affected.
type Loss struct {
	Severity prompt.Severity `json:"severity"`
	Code     string          `json:"code"`
	Message  string          `json:"message"`
	Section  string          `json:"section"`
	Path     string          `json:"path"`
}

// IO counts what was read.
type IO struct {
	Opens     int64 `json:"opens"`
	Reads     int64 `json:"reads"`
	BytesRead int64 `json:"bytesRead"`
	Stats     int64 `json:"stats"`
	Processes int64 `json:"processes"`
}

// Prefix is the part of the prompt that should stay the same from request to
// request: canonical tools, a NUL, and the system and instructions text up to the
// end of the last section before the first one of class turn.
type Prefix struct {
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"`
}

// Tokens is the size of all texts and tools.
type Tokens struct {
	Total   int    `json:"total"`
	Counter string `json:"counter"`
	Exact   bool   `json:"exact"`
}

// NewPrompt returns the report of a preview. Equal arguments give equal reports.
func NewPrompt(p agent.Preview, about About) Prompt {
	a := p.Assembly
	count := about.Counter.Count
	out := Prompt{
		Schema: "proem.prompt/1", Preset: about.Preset, Agent: about.Agent, Model: about.Model,
		Cwd: about.Cwd, Root: about.Root, Workspace: about.Workspace,
		Sections: []Section{}, Omitted: []Omission{}, Tools: []Tool{}, Spans: []Span{},
		Wire:        map[string]json.RawMessage{},
		Marks:       map[string][]Mark{},
		Losses:      map[string][]Loss{},
		Diagnostics: append(append([]prompt.Diagnostic{}, about.Diagnostics...), p.Diagnostics...),
		IO: IO{about.IO.Opens, about.IO.Reads, about.IO.BytesRead, about.IO.Stats,
			about.IO.Processes},
		Tokens: Tokens{Counter: about.Counter.Name(), Exact: about.Counter.Exact()},
	}
	if len(about.Bodies) == 0 {
		about.Bodies = map[string]wire.Body{"": p.Body}
	}
	for name, body := range about.Bodies {
		out.Wire[name], out.Marks[name], out.Losses[name] = body.JSON, marks(body.Marks), losses(body.Losses)
	}
	for ch := range prompt.Channels {
		for _, s := range a.Sections {
			if s.Channel == ch {
				out.Sections = append(out.Sections, section(s, count))
			}
		}
		out.Spans = append(out.Spans, Spans(a, ch)...)
	}
	out.Channels = Channels{a.Render(prompt.System), a.Render(prompt.Instructions), a.Render(prompt.Context), a.Render(prompt.Reminder)}
	for _, n := range a.Notes {
		out.Omitted = append(out.Omitted, Omission{n.Name, n.Path, n.Stage, n.Reason})
	}
	for _, t := range a.Tools {
		out.Tools = append(out.Tools, newTool(t, count))
		out.Tokens.Total += out.Tools[len(out.Tools)-1].Tokens
	}
	for _, text := range []string{out.Channels.System, out.Channels.Instructions, out.Channels.Context, out.Channels.Reminder} {
		out.Tokens.Total += count(text)
	}
	out.Prefix = NewPrefix(a, count)
	return out
}

func section(s prompt.Section, count func(string) int) Section {
	text := stage.Content(s).String()
	out := Section{Name: s.Name, Channel: s.Channel.String(), Order: s.Order, Class: s.Class.String(), Trust: s.Trust(),
		Aliases: []string{}, Bytes: len(text), Tokens: count(text), Text: text}
	if s.From != nil {
		out.Source, out.Path = s.From.Source, s.From.Path
	}
	if s.Doc != nil {
		out.Aliases = append(out.Aliases, s.Doc.Aliases...)
		out.SHA256 = s.Doc.SHA256
	}
	if out.SHA256 == "" {
		out.SHA256 = sum([]byte(text))
	}
	return out
}

func newTool(t chat.ToolSpec, count func(string) int) Tool {
	out := Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Source: "builtin"}
	if len(out.Parameters) == 0 {
		out.Parameters = json.RawMessage("{}")
	}
	if t.From != nil && t.From.Source != "tool" {
		out.Source = t.From.Source
	}
	out.Tokens = count(t.Name) + count(t.Description) + count(string(t.Parameters))
	return out
}

// Spans returns the spans of a channel's text, which tile it.
func Spans(a prompt.Assembly, ch prompt.Channel) []Span {
	var out []Span
	at := 0
	text := a.Text(ch)
	for i, s := range text {
		x := Span{Channel: ch.String(), Start: at, End: at + len(s.Text), SrcStart: -1, SrcEnd: -1}
		x.Section, x.Path, x.Stage = origin(s.From)
		if s.Off >= 0 {
			x.SrcStart, x.SrcEnd = int(s.Off), int(s.Off)+len(s.Text)
			if s.From != nil && s.From.Stage != "" {
				x.SrcEnd = rewrittenEnd(text[i:])
			}
		}
		at = x.End
		out = append(out, x)
	}
	return out
}

// rewrittenEnd returns where the source of the first span ends, whose text is not
// that of the source.
func rewrittenEnd(text span.Text) int {
	first := text[0]
	for _, s := range text[1:] {
		if s.From != nil && s.From.Path == first.From.Path && s.From.Section == first.From.Section && s.Off > first.Off {
			return int(s.Off)
		}
	}
	return int(first.Off)
}

func marks(in []wire.Mark) []Mark {
	out := make([]Mark, len(in))
	for i, m := range in {
		out[i] = Mark{Start: m.Lo, End: m.Hi}
		out[i].Section, out[i].Path, _ = origin(m.From)
	}
	return out
}

func losses(in []wire.Loss) []Loss {
	out := make([]Loss, len(in))
	for i, l := range in {
		out[i] = Loss{Severity: l.Severity, Code: l.Code, Message: l.Message}
		out[i].Section, out[i].Path, _ = origin(l.From)
	}
	return out
}

// origin returns what a report says of an origin. Text of no section is known by
// its source.
func origin(from *span.Origin) (section, path, stage string) {
	switch {
	case from == nil:
		return "", "", ""
	case from.Section == "":
		return from.Source, from.Path, from.Stage
	}
	return from.Section, from.Path, from.Stage
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}
