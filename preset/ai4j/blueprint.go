package ai4j

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/proemhq/proem/internal/frontmatter"
)

// BlueprintVersion is the version of the blueprints that [LoadBlueprint] reads.
const BlueprintVersion = "ai4j.agent/v1"

// A Blueprint is what the original's YAML description of an agent says that has a
// counterpart here. What it leaves out is empty.
type Blueprint struct {
	ID, Name        string
	Provider, Model string // as the file calls them
	System          string // instructions.system, without white space around it
	Instructions    string // instructions.developer, likewise
	Temperature     *float64
	Mode            string   // "react" or "codeact"; empty: react
	MaxSteps        int      // workflow.maxTurns
	Tools           []string // tools[].ref
	// Ignored are the keys that were not used, in the order of the file, such as
	// "session". Their meaning is for the reader to carry over.
	Ignored []string
}

// LoadBlueprint reads a blueprint. It may be of 16 KB at most and has neither
// anchors nor aliases. A wrong type, a missing version or id is an error with its
// line; a key that has no counterpart is listed in Ignored.
func LoadBlueprint(data []byte) (Blueprint, error) {
	text := strings.ReplaceAll(strings.ToValidUTF8(string(data), "\uFFFD"), "\r\n", "\n")
	r := blueprintReader{shift: 1}
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		text, r.shift = rest, 0
	}
	text = "---\n" + text + "\n---\n"
	doc, err := frontmatter.Parse(text)
	var at *frontmatter.Error
	switch {
	case errors.As(err, &at):
		r.fail(at.Line, "%s", at.Message)
	case err != nil:
		r.fail(r.shift, "%v", err)
	case len(doc.Slips) > 0:
		r.fail(doc.Slips[0].Line, "%s", doc.Slips[0].Message)
	case strings.TrimSpace(text[doc.Body:]) != "":
		r.fail(doc.Line, "a second document")
	}
	r.fields("", doc.Fields)
	switch {
	case r.err != nil:
	case r.version != BlueprintVersion:
		r.err = fmt.Errorf("version is %q; it must be %s", r.version, BlueprintVersion)
	case r.out.ID == "":
		r.err = errors.New("it has no id")
	}
	if r.err != nil {
		return Blueprint{}, fmt.Errorf("ai4j: blueprint: %w", r.err)
	}
	return r.out, nil
}

// A blueprintReader fills in a blueprint. It keeps the first fault.
type blueprintReader struct {
	out     Blueprint
	version string
	shift   int // lines before the file's first
	err     error
}

func (r *blueprintReader) fail(line int, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("line %d: %s", max(line-r.shift, 1), fmt.Sprintf(format, args...))
	}
}

// groups are the keys whose own keys are looked at.
var groups = []string{"model", "model.options", "instructions", "workflow"}

func (r *blueprintReader) fields(prefix string, fields []frontmatter.Field) {
	for _, f := range fields {
		r.field(prefix+f.Name, f.Value, f.Line)
	}
}

func (r *blueprintReader) field(key string, v frontmatter.Value, line int) {
	b := &r.out
	switch {
	case v.Kind == frontmatter.Null:
		return
	case slices.Contains(groups, key) && v.Kind == frontmatter.Map:
		r.fields(key+".", v.Fields)
		return
	case key == "tools" && v.Kind == frontmatter.List:
		r.tools(v.Items)
		return
	}
	texts := map[string]*string{"version": &r.version, "id": &b.ID, "name": &b.Name, "model.provider": &b.Provider, "model.model": &b.Model,
		"instructions.system": &b.System, "instructions.developer": &b.Instructions, "workflow.mode": &b.Mode}
	text, scalar := v.Scalar()
	text = strings.TrimSpace(text)
	var err error
	switch to := texts[key]; {
	case to != nil && scalar:
		*to = text
	case key == "model.options.temperature" && scalar:
		b.Temperature = new(float64)
		if *b.Temperature, err = strconv.ParseFloat(text, 64); err == nil && !(*b.Temperature >= 0 && *b.Temperature <= math.MaxFloat64) {
			err = strconv.ErrRange
		}
	case key == "workflow.maxTurns" && scalar:
		if b.MaxSteps, err = strconv.Atoi(text); err == nil && b.MaxSteps <= 0 {
			err = strconv.ErrRange
		}
	case to != nil || slices.Contains(groups, key) || key == "tools" || key == "model.options.temperature" || key == "workflow.maxTurns":
		r.fail(line, "%s is %s", key, v.Kind)
	default:
		b.Ignored = append(b.Ignored, key)
	}
	if err != nil {
		r.fail(line, "%s is %q, not a number that it may be", key, text)
	}
	if key == "workflow.mode" && b.Mode != "react" && b.Mode != "codeact" {
		r.fail(line, "workflow.mode is %q; it is react or codeact", b.Mode)
	}
}

// tools takes in the names of tools. What else is said of one is ignored.
func (r *blueprintReader) tools(items []frontmatter.Value) {
	for i, item := range items {
		name := ""
		for _, f := range item.Fields {
			if f.Name == "ref" {
				name, _ = f.Value.Scalar()
				continue
			}
			r.out.Ignored = append(r.out.Ignored, fmt.Sprintf("tools[%d].%s", i, f.Name))
		}
		if name = strings.TrimSpace(name); name == "" {
			r.fail(item.Line, "tools[%d] has no ref", i)
		}
		r.out.Tools = append(r.out.Tools, name)
	}
}
