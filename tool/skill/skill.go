// Package skill has the tool by which a model loads a skill that the prompt
// lists.
//
//	set := skills.New(…)
//	tools := []tool.Tool{skill.Load(set)}
//
// A skill's text comes from a file and is data: it is handed over inside a fence,
// nothing in it is run, and its files never lead out of its folder.
//
// What the session's history holds already is not handed over again, until it
// changes. That is read off the history, so it holds after a restart, and what
// was cut from the history is loaded anew.
package skill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
	"github.com/proemhq/proem/tool"
)

// Name is the tool's name.
const Name = "load_skill"

// Load returns the tool load_skill{name, path?} over a set of skills: without a
// path it returns the skill's text and names its files, with one the file.
func Load(set *skills.Set) tool.Tool { return load{set} }

type load struct{ set *skills.Set }

// Spec implements [tool.Tool].
func (load) Spec() chat.ToolSpec {
	return chat.ToolSpec{
		Name:        Name,
		Description: "Loads a skill of the list by its name, or a file of a skill by its path in the skill.",
		Parameters: json.RawMessage(`{"additionalProperties":false,"properties":{` +
			`"name":{"description":"The skill's name.","type":"string"},` +
			`"path":{"description":"A file of the skill, relative to it. Left out: the skill itself.","type":"string"}},` +
			`"required":["name"],"type":"object"}`),
	}
}

// Effect implements [tool.Effector]: loading changes nothing.
func (load) Effect(context.Context, json.RawMessage) tool.Effect {
	return tool.Effect{ReadOnly: true, Idempotent: true}
}

// request is the arguments of a call.
type request struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

func parse(args json.RawMessage) (in request, err error) {
	d := json.NewDecoder(strings.NewReader(string(args)))
	d.DisallowUnknownFields()
	if err = d.Decode(&in); in.Path == skills.Manifest {
		in.Path = ""
	}
	return in, err
}

// Call implements [tool.Tool].
func (l load) Call(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	in, err := parse(args)
	switch {
	case err != nil:
		return tool.Errorf("load_skill: %v; it takes name and path", err), nil
	case in.Name == "":
		return tool.Errorf("load_skill: name is missing"), nil
	}
	who := tool.Who(ctx)
	var ref string
	var text span.Text
	if in.Path == "" {
		ref, text, err = l.manifest(ctx, who, in.Name)
	} else {
		ref, text, err = l.file(ctx, who, in.Name, in.Path)
	}
	var refused *skills.Error
	switch {
	case errors.As(err, &refused):
		return tool.Errorf("%s: %v", refused.Code, refused), nil
	case err != nil:
		return tool.Result{}, err
	}
	return tool.Result{Text: once(ctx, in, ref, text)}, nil
}

// manifest returns the text of a skill, and what it is called.
func (l load) manifest(ctx context.Context, who prompt.Who, name string) (ref string, out span.Text, err error) {
	got, err := l.set.Load(ctx, who, name)
	if err != nil {
		return "", nil, err
	}
	out = stage.Enclose("skill", got.Ref(), got.Trust, got.Body)
	if len(got.Files) > 0 {
		rest := ""
		if got.More {
			rest = ", and more"
		}
		names := make([]string, len(got.Files))
		for i, f := range got.Files {
			names[i] = shown(f)
		}
		out = append(out, note(fmt.Sprintf("\nFiles of the skill, to be loaded by path: %s%s", strings.Join(names, ", "), rest))...)
	}
	return got.Ref(), out, nil
}

// shown returns the name of a file as it can stand outside of a fence: one with
// line breaks or the like is quoted.
func shown(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.QuoteToGraphic(name)
	}
	return name
}

// file returns a file of a skill, and what it is called.
func (l load) file(ctx context.Context, who prompt.Who, name, path string) (ref string, out span.Text, err error) {
	got, err := l.set.Open(ctx, who, name, path)
	if err != nil {
		return "", nil, err
	}
	text := got.Spans
	if text == nil {
		text = span.Of(got.Text, &span.Origin{Section: name, Source: "skill", Path: got.Path, Trust: span.Project})
	}
	ref = name + "/" + path
	out = stage.Enclose("skill", ref, span.Project, text)
	if got.Partial {
		out = append(out, note(fmt.Sprintf("\nThe file is cut: it has %d bytes.", got.Size))...)
	}
	return ref, out, nil
}

func note(s string) span.Text { return span.OfGenerated(s, span.Generated("skill")) }
