package deepseek_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

// The form of a vector is described in testdata/vectors/README.md.
type vector struct {
	Name            string
	Config          json.RawMessage
	Layers          []vectorLayer
	OnRegisterError string
	Dispose         []string
	Waterfall       []vectorHook
	Assemble        struct {
		Scope  string
		Signal string
		Times  int
	}
	Expected expected
}

type vectorLayer struct {
	Scope, Parent *string
	Sections      []vectorText
	Contexts      []vectorText
	Variables     []struct {
		Name  string
		Value json.RawMessage
	}
	Tools []struct {
		Schemas    []vectorTool
		KnownNames []string
		Throws     *string
	}
	Suppressors int
}

type vectorText struct {
	Name     string
	Order    json.RawMessage
	Text     json.RawMessage
	Complete bool
}

type vectorTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type vectorHook struct {
	Scope           *string
	Prepend, Global bool
	When, Message   string
	Ops             []struct {
		Op, Name, Text string
		Value          *string
		Schema         vectorTool
	}
}

type failure struct{ Stage, Kind, At, Target string }

type named struct{ Name, Text string }

type variable struct {
	Name  string
	Value *string
}

type expected struct {
	Error            *failure
	Sections         []named
	Contexts         []named
	Tools            []vectorTool
	Variables        []variable
	Changes          *int
	Prompt, Snapshot *string
	SnapshotSections []named
	RegisterErrors   []failure
	PromptError      *failure
	SnapshotError    *failure
}

// A world is a preset with everything of a vector registered.
type world struct {
	preset         *deepseek.Preset
	changes        int
	registerErrors []failure
	known          map[string]bool // scopes with a layer in the vector
}

// setUp loads and registers a vector. The failure is of stage load or register.
func setUp(v vector) (*world, *failure) {
	cfg, err := deepseek.LoadConfig(v.Config)
	if err != nil {
		var ce *deepseek.ConfigError
		if errors.As(err, &ce) {
			return &world{}, &failure{Stage: "load", Kind: ce.Kind}
		}
		return &world{}, &failure{Stage: "load", Kind: err.Error()}
	}
	p, err := deepseek.New(cfg)
	if err != nil {
		return &world{}, &failure{Stage: "load", Kind: err.Error()}
	}
	w := &world{preset: p, known: map[string]bool{}}
	p.Registry.OnChange(func() error { w.changes++; return nil })
	made := map[string]*registry.Registration{}
	scopes := map[string]*registry.Scope{}
	for i, l := range v.Layers {
		scope := p.Registry.Global()
		if l.Scope != nil {
			key := *l.Scope
			w.known[key] = true
			if scopes[key] == nil {
				scopes[key] = p.Registry.Scope(key)
				if l.Parent != nil {
					if _, err := p.Registry.Bind(key, *l.Parent); err != nil {
						return w, &failure{Stage: "scope", Kind: err.Error()}
					}
				}
			}
			scope = scopes[key]
		}
		f := w.layer(v, i, l, scope, made)
		if f != nil {
			return w, f
		}
	}
	for _, d := range v.Dispose {
		if key, ok := strings.CutPrefix(d, "scope:"); ok {
			scopes[key].Dispose()
		} else if r := made[d]; r != nil {
			r.Dispose()
		}
	}
	for i, h := range v.Waterfall {
		w.hook(i, h)
	}
	return w, nil
}

func (w *world) layer(v vector, i int, l vectorLayer, scope *registry.Scope, made map[string]*registry.Registration) *failure {
	keep := func(kind string, n int, r *registry.Registration, err error) *failure {
		at := fmt.Sprintf("%d.%s.%d", i, kind, n)
		if err == nil {
			made[at] = r
			return nil
		}
		f := failure{Stage: "register", Kind: kindOf(err, scope.Key()), At: at}
		if v.OnRegisterError == "continue" {
			w.registerErrors = append(w.registerErrors, f)
			return nil
		}
		return &f
	}
	for n, t := range l.Sections {
		r, err := register(scope, prompt.System, t)
		if f := keep("sections", n, r, err); f != nil {
			return f
		}
	}
	for n, t := range l.Contexts {
		r, err := register(scope, prompt.Context, t)
		if f := keep("contexts", n, r, err); f != nil {
			return f
		}
	}
	for n, x := range l.Variables {
		var r *registry.Registration
		var err error
		if s, ok := text(x.Value); ok {
			r, err = scope.Variable(x.Name, s)
		} else {
			r, err = scope.DynamicVariable(x.Name, dynamic(x.Value))
		}
		if f := keep("variables", n, r, err); f != nil {
			return f
		}
	}
	for n, t := range l.Tools {
		var r *registry.Registration
		var err error
		if t.Throws != nil {
			r, err = scope.DynamicTools(source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
				return prompt.Fact{}, errors.New(*t.Throws)
			}))
		} else {
			d := prompt.ToolDef{Known: t.KnownNames}
			for _, s := range t.Schemas {
				d.Specs = append(d.Specs, chat.ToolSpec{Name: s.Name, Description: s.Description, Parameters: s.Parameters})
			}
			r, err = scope.Tools(d)
		}
		if f := keep("tools", n, r, err); f != nil {
			return f
		}
	}
	for n := range l.Suppressors {
		r, err := scope.Mute(prompt.Context)
		if f := keep("suppressors", n, r, err); f != nil {
			return f
		}
	}
	return nil
}

func register(scope *registry.Scope, ch prompt.Channel, t vectorText) (*registry.Registration, error) {
	d := prompt.SectionDef{Name: t.Name, Channel: ch, Order: order(t.Order), Sole: t.Complete, Body: prompt.Body{Template: true}}
	if s, ok := text(t.Text); ok {
		d.Body.Literal = s
		return scope.Section(d)
	}
	return scope.Dynamic(d, dynamic(t.Text))
}

func order(raw json.RawMessage) float64 {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		switch s {
		case "-0":
			return math.Copysign(0, -1)
		default:
			f, err := strconv.ParseFloat(s, 64)
			if err != nil {
				panic(err)
			}
			return f
		}
	}
	var f float64
	if err := json.Unmarshal(raw, &f); err != nil {
		panic(err)
	}
	return f
}

func text(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// dynamic returns the source that a dynamic text of a vector describes.
func dynamic(raw json.RawMessage) source.Source {
	if string(raw) == "null" {
		return source.None
	}
	var d struct {
		Dynamic, Value string
		Throws         *string
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		panic(err)
	}
	calls := 0
	return source.Func(func(ctx context.Context, q source.Query) (prompt.Fact, error) {
		switch {
		case d.Throws != nil:
			return prompt.Fact{}, errors.New(*d.Throws)
		case d.Dynamic == "const":
			return prompt.Fact{Text: d.Value}, nil
		case d.Dynamic == "scope":
			if len(q.Lineage) == 0 {
				return prompt.Fact{Text: "scope=none"}, nil
			}
			return prompt.Fact{Text: "scope=" + q.Lineage[0]}, nil
		case d.Dynamic == "signal":
			switch {
			case ctx.Err() != nil:
				return prompt.Fact{Text: "signal=aborted"}, nil
			case q.Who.Attrs["signal"] == "live":
				return prompt.Fact{Text: "signal=live"}, nil
			}
			return prompt.Fact{Text: "signal=none"}, nil
		case d.Dynamic == "counter":
			calls++
			return prompt.Fact{Text: fmt.Sprintf("call %d", calls)}, nil
		}
		panic("unknown dynamic text " + d.Dynamic)
	})
}

func (w *world) hook(i int, h vectorHook) {
	o := deepseek.HookOptions{Prepend: h.Prepend, Global: h.Global}
	if h.Scope != nil {
		o.Scope = *h.Scope
	}
	w.preset.Hook(stage.Hook{Name: fmt.Sprintf("hook-%d", i), Apply: func(_ prompt.Input, a prompt.Assembly, next stage.Next) (prompt.Assembly, error) {
		switch h.When {
		case "throw":
			return prompt.Assembly{}, prompt.Faults{{Code: "hook.failed", Message: h.Message, Err: errors.New(h.Message)}}
		case "before":
			return next(h.apply(a))
		case "instead":
			return h.apply(prompt.Assembly{}), nil
		case "after", "replace":
			a, err := next(a)
			if err != nil {
				return a, err
			}
			if h.When == "replace" {
				a = a.Clone()
			}
			return h.apply(a), nil
		}
		panic("unknown hook " + h.When)
	}}, o)
}

func (h vectorHook) apply(a prompt.Assembly) prompt.Assembly {
	section := func(ch prompt.Channel, name, text string) prompt.Section {
		return prompt.Section{Name: name, Channel: ch, Text: span.Of(text, nil)}
	}
	is := func(ch prompt.Channel, name string) func(prompt.Section) bool {
		return func(s prompt.Section) bool { return s.Channel == ch && s.Name == name }
	}
	for _, o := range h.Ops {
		switch o.Op {
		case "pushSection":
			a.Sections = append(a.Sections, section(prompt.System, o.Name, o.Text))
		case "unshiftSection":
			a.Sections = append([]prompt.Section{section(prompt.System, o.Name, o.Text)}, a.Sections...)
		case "setSectionText":
			if i := slices.IndexFunc(a.Sections, is(prompt.System, o.Name)); i >= 0 {
				a.Sections[i].Text = span.Of(o.Text, nil)
			}
		case "removeSection":
			a.Sections = slices.DeleteFunc(a.Sections, is(prompt.System, o.Name))
		case "pushContext":
			a.Sections = append(a.Sections, section(prompt.Context, o.Name, o.Text))
		case "removeContext":
			a.Sections = slices.DeleteFunc(a.Sections, is(prompt.Context, o.Name))
		case "setVariable":
			v := prompt.Var{Name: o.Name, None: o.Value == nil}
			if o.Value != nil {
				v.Value = *o.Value
			}
			if i := slices.IndexFunc(a.Vars, func(x prompt.Var) bool { return x.Name == o.Name }); i >= 0 {
				a.Vars[i] = v
			} else {
				a.Vars = append(a.Vars, v)
			}
		case "deleteVariable":
			a.Vars = slices.DeleteFunc(a.Vars, func(x prompt.Var) bool { return x.Name == o.Name })
		case "pushTool":
			a.Tools = append(a.Tools, chat.ToolSpec{Name: o.Schema.Name, Description: o.Schema.Description, Parameters: o.Schema.Parameters})
		case "removeTool":
			a.Tools = slices.DeleteFunc(a.Tools, func(t chat.ToolSpec) bool { return t.Name == o.Name })
		default:
			panic("unknown op " + o.Op)
		}
	}
	return a
}

// kindOf maps proem's fault codes to the labels of the vectors.
func kindOf(err error, scope string) string {
	var f prompt.Fault
	if !errors.As(err, &f) {
		return err.Error()
	}
	where := "global"
	if scope != "" {
		where = "scope"
	}
	what := "section"
	if f.Channel == prompt.Context {
		what = "context"
	}
	switch f.Code {
	case "section.order":
		return what + "-order-not-finite"
	case "section.duplicate":
		return what + "-duplicate-" + where
	case "var.duplicate":
		return "variable-duplicate-" + where
	case "var.name":
		return "variable-name-invalid"
	case "section.failed", "hook.failed":
		return "provider-threw"
	case "section.sole_conflict":
		return "multiple-complete"
	case "tool.reserved_name":
		return "tool-reserved-name"
	case "tool.order_unknown":
		return "tool-order-unknown"
	case "template.name":
		return "reference-malformed-name"
	case "template.open":
		return "reference-malformed-open"
	case "var.missing":
		return "variable-unknown"
	case "var.no_value":
		return "variable-no-value"
	}
	return f.Code
}
