// Package toolset presents proem's tools as a model trained on AgentScope knows
// them: under its names, with its arguments, and with its two roots, a workspace
// laid over a project.
//
//	tools := toolset.Files(toolset.Config{Project: "/w", Workspace: "/w/.agentscope/workspace"})
//	tools = append(tools, toolset.Rename(sh, skill)...)
//	tools[0].Spec().Name                                       // "read_file"
//	tools[2].Call(ctx, []byte(`{"path":"main.go","content":"…"}`)) // written to the workspace; the project's stays
//
// What a tool is called by is [Table]. Rules of permissions are about proem's own
// names, so that they mean the same under every preset.
package toolset

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// A Row is a tool under its two names.
type Row struct {
	Theirs, Ours string
	Description  string // in place of the tool's own; empty: that
	Args         []Arg  // those that have another name
	// Literal is the argument, by our name, that is taken as it is and not as a
	// regular expression; empty: none.
	Literal string
}

// An Arg is an argument under its two names.
type Arg struct{ Theirs, Ours string }

// Table is all tools that are presented otherwise than they are. What is not in it
// has the same name and the same arguments.
func Table() []Row {
	return []Row{
		{Theirs: "grep_files", Ours: "grep", Literal: "pattern",
			Description: "Finds lines that hold a text, taken literally, in the files below a directory; glob narrows the files by name."},
		{Theirs: "glob_files", Ours: "glob"},
		{Theirs: "execute", Ours: "shell"},
		{Theirs: "load_skill_through_path", Ours: "load_skill", Args: []Arg{{"skillId", "name"}}},
		{Theirs: "agent_spawn", Ours: "agent_spawn", Args: []Arg{{"agent_id", "agent"}}},
		{Theirs: "agent_send", Ours: "agent_send", Args: []Arg{{"agent_key", "id"}}},
	}
}

// Rename returns the tools as the table presents them.
func Rename(tools ...tool.Tool) []tool.Tool {
	out := make([]tool.Tool, len(tools))
	for i, t := range tools {
		out[i] = t
		for _, r := range Table() {
			if r.Ours == t.Spec().Name {
				out[i] = renamed{t, r, r.spec(t.Spec())}
			}
		}
	}
	return out
}

// renamed is a tool under another name.
type renamed struct {
	tool.Tool
	row  Row
	spec chat.ToolSpec
}

var (
	_ tool.Effector = renamed{}
	_ tool.Answerer = renamed{}
	_ tool.Alias    = renamed{}
)

// Spec implements [tool.Tool].
func (r renamed) Spec() chat.ToolSpec { return r.spec }

// RuleName implements [tool.Alias].
func (r renamed) RuleName() string { return r.row.Ours }

// Call implements [tool.Tool].
func (r renamed) Call(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	out, err := r.Tool.Call(ctx, r.row.args(args))
	return r.row.said(out), err
}

// said has an error speak of the tool and of its arguments by the names that the
// model knows.
func (r Row) said(out tool.Result) tool.Result {
	if !out.IsError || !strings.HasPrefix(out.Text.String(), r.Ours+":") {
		return out
	}
	from := span.Generated("agentscope")
	rest := out.Text.Slice(len(r.Ours), out.Text.Len())
	if s := rest.String(); len(r.Args) > 0 && aboutArguments.MatchString(s) {
		rest = span.OfGenerated(r.named(s), from)
	}
	out.Text = span.Concat(span.OfGenerated(r.Theirs, from), rest)
	return out
}

// aboutArguments matches what tools say of arguments that they do not take.
var aboutArguments = regexp.MustCompile(`^: (the argument |there is no argument |name is missing|.*; it takes name )`)

// named returns such a text with the names of arguments that the model knows.
func (r Row) named(s string) string {
	for _, a := range r.Args {
		wrong, ours := notTold+a.Ours, regexp.MustCompile(`\b`+regexp.QuoteMeta(a.Ours)+`\b`)
		parts := strings.Split(s, wrong)
		for i := range parts {
			parts[i] = ours.ReplaceAllLiteralString(parts[i], a.Theirs)
		}
		s = strings.Join(parts, a.Ours)
	}
	return s
}

// notTold stands before a name that only we have for an argument.
const notTold = "unknown argument "

// Effect implements [tool.Effector].
func (r renamed) Effect(ctx context.Context, args json.RawMessage) tool.Effect {
	return tool.EffectOf(ctx, r.Tool, r.row.args(args))
}

// Answer implements [tool.Answerer].
func (r renamed) Answer(ctx context.Context, args json.RawMessage, answer string) (tool.Result, error) {
	a, ok := r.Tool.(tool.Answerer)
	if !ok {
		return tool.Errorf("%s: it asks nothing, so that there is nothing to answer", r.row.Theirs), nil
	}
	out, err := a.Answer(ctx, r.row.args(args), answer)
	return r.row.said(out), err
}

// spec returns what the model is told.
func (r Row) spec(s chat.ToolSpec) chat.ToolSpec {
	s.Name = r.Theirs
	if r.Description != "" {
		s.Description = r.Description
	}
	var schema map[string]json.RawMessage
	if len(r.Args) == 0 || json.Unmarshal(s.Parameters, &schema) != nil {
		return s
	}
	var properties map[string]json.RawMessage
	var required []string
	_ = json.Unmarshal(schema["properties"], &properties)
	_ = json.Unmarshal(schema["required"], &required)
	for _, a := range r.Args {
		if p, ok := properties[a.Ours]; ok {
			properties[a.Theirs] = p
			delete(properties, a.Ours)
		}
		for i, name := range required {
			if name == a.Ours {
				required[i] = a.Theirs
			}
		}
	}
	schema["properties"], _ = json.Marshal(properties)
	if required != nil {
		schema["required"], _ = json.Marshal(required)
	}
	s.Parameters, _ = json.Marshal(schema)
	return s
}

// args returns the arguments under our names. What is no object is for the tool to
// refuse, and so is an argument by a name that the model was not told.
func (r Row) args(args json.RawMessage) json.RawMessage {
	if len(r.Args) == 0 && r.Literal == "" {
		return args
	}
	d := json.NewDecoder(bytes.NewReader(args))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return args
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for d.More() {
		t, err := d.Token()
		key, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return args
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		name, _ := json.Marshal(r.ours(key))
		out.Write(append(name, ':'))
		out.Write(r.literal(key, value))
	}
	out.WriteByte('}')
	if _, err := d.Token(); err != nil || d.More() {
		return args
	}
	return out.Bytes()
}

// ours returns our name of an argument. One by which only we know it becomes a name
// that no tool has.
func (r Row) ours(key string) string {
	for _, a := range r.Args {
		switch key {
		case a.Theirs:
			return a.Ours
		case a.Ours:
			return notTold + key
		}
	}
	return key
}

func (r Row) literal(key string, value json.RawMessage) json.RawMessage {
	var s string
	if r.Literal == "" || key != r.Literal || json.Unmarshal(value, &s) != nil {
		return value
	}
	quoted, err := json.Marshal(regexp.QuoteMeta(s))
	if err != nil {
		return value
	}
	return quoted
}
