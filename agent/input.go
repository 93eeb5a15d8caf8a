package agent

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/wire"
)

// Input is one input of a user, and what holds for its turn alone.
type Input struct {
	Text   string
	Images []chat.Image
	Who    prompt.Who
	// Replies answer questions of a turn that paused, which goes on; see
	// [Permissions]. Such an input has neither text nor images, hooks that see inputs
	// do not see it, and what follows holds for the rest of the turn.
	Replies []session.Reply
	// FreshPrefix makes what stands before the conversation anew with the first
	// request of this turn, in a session that keeps it.
	FreshPrefix bool
	// Mode takes the place of the permission policy's for this turn; empty: the
	// policy's. In a session whose plan mode is on ([Agent.SetPlan]) every call is
	// judged in the mode plan.
	Mode permit.Mode

	// Model and ModelName take the place of the agent's for this turn; nil and
	// empty: the agent's. With one of them set, the agent's Fallback does not hold.
	Model     provider.Model
	ModelName string
	// Fallback takes the place of the agent's; nil: as said above.
	Fallback []Alternative
	// Options are laid over those of the agent: what is set here holds, what is zero
	// is the agent's. Members of Extra are laid over one by one.
	Options wire.Options
	// Vars are variables for this turn. They take the place of registered ones of
	// the same name. Values are not templates.
	Vars map[string]string

	// Parent makes the session a child if it begins with this input. The text of
	// such an input is then the model's, not a user's, whatever its turn.
	Parent *session.Parent

	typed *typed            // the form of the answer; nil: free text
	by    map[string]string // the hook that set a variable
	text  span.Text         // Text with its origins, if a hook changed it
}

// Text returns an input of plain text.
func Text(s string) Input { return Input{Text: s} }

var (
	userOrigin = &span.Origin{Section: "input", Source: "user", Trust: span.User}
	taskOrigin = &span.Origin{Section: "task", Source: "model", Trust: span.Tool}
)

// message returns the input as a message; it is nil if there is nothing in it.
func (in Input) message() *chat.Message {
	if in.Text == "" && len(in.Images) == 0 {
		return nil
	}
	m := chat.Message{Role: chat.User}
	if in.Text != "" {
		m.Parts = append(m.Parts, chat.Part{Kind: chat.TextPart, Text: in.spans()})
	}
	for i := range in.Images {
		m.Parts = append(m.Parts, chat.Part{Kind: chat.ImagePart, Image: &in.Images[i]})
	}
	return &m
}

// spans returns the text with its origins.
func (in Input) spans() span.Text {
	if in.text != nil {
		return in.text
	}
	if in.Parent != nil {
		return span.Of(validUTF8(in.Text), taskOrigin)
	}
	return span.Of(validUTF8(in.Text), userOrigin)
}

// check reports what makes the input unusable.
func (in Input) check() error {
	for _, name := range slices.Sorted(maps.Keys(in.Vars)) {
		if !prompt.IsVarName(name) {
			return fmt.Errorf("agent: the input's variable %q: not a name of lower-case letters, digits and underscores", name)
		}
	}
	if _, err := permit.ParseMode(string(in.Mode)); err != nil {
		return fmt.Errorf("agent: the input: %w", err)
	}
	if len(in.Replies) > 0 && in.message() != nil {
		return errors.New("agent: an input is a text or replies to questions, not both")
	}
	for i, f := range in.Fallback {
		if f.Model == nil {
			return fmt.Errorf("agent: fallback %d of the input has no model", i+1)
		}
	}
	return nil
}

// models are the models of a turn, in the order in which they are tried.
func (a *Agent) models(in Input) []Alternative {
	first, rest := Alternative{a.cfg.Model, cmp.Or(in.ModelName, a.cfg.ModelName)}, a.cfg.Fallback
	if in.Model != nil {
		first.Model = in.Model
	}
	if in.Model != nil || in.ModelName != "" || in.Fallback != nil {
		rest = in.Fallback
	}
	return append([]Alternative{first}, rest...)
}

// overlay returns the options o with those of top laid over them.
func overlay(o, top wire.Options) wire.Options {
	to, from := reflect.ValueOf(&o).Elem(), reflect.ValueOf(top)
	for i := range from.NumField() {
		if f := from.Field(i); !f.IsZero() {
			to.Field(i).Set(f)
		}
	}
	return o
}

// options returns the options of a turn.
func (a *Agent) options(in Input) wire.Options {
	base := a.cfg.Request.Options
	o := overlay(base, in.Options)
	if len(base.Extra) > 0 && len(in.Options.Extra) > 0 {
		o.Extra = maps.Clone(base.Extra)
		maps.Copy(o.Extra, in.Options.Extra)
	}
	return o
}

// A runVars are the variables of one turn.
type runVars struct {
	values map[string]string
	by     map[string]string
}

func (v runVars) equal(w runVars) bool {
	return maps.Equal(v.values, w.values) && maps.Equal(v.by, w.by)
}

// clone returns variables that nobody else changes.
func (v runVars) clone() runVars { return runVars{maps.Clone(v.values), maps.Clone(v.by)} }

// stage puts the variables into an assembly, before every other stage.
func (v runVars) stage() prompt.Stage {
	var set []prompt.Var
	for _, name := range slices.Sorted(maps.Keys(v.values)) {
		from := &span.Origin{Section: name, Source: "run", Trust: span.User}
		if by := v.by[name]; by != "" {
			from = &span.Origin{Section: name, Source: "hook", Stage: by, Trust: span.User}
		}
		set = append(set, prompt.Var{Name: name, Value: validUTF8(v.values[name]), From: from})
	}
	return prompt.Stage{
		Name:  "run",
		Doc:   "variables of this turn take the place of registered ones",
		Local: true,
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			vars := slices.Clone(a.Vars)
			for _, v := range set {
				at := slices.IndexFunc(vars, func(o prompt.Var) bool { return o.Name == v.Name })
				switch {
				case at < 0:
					vars = append(vars, v)
				case vars[at].From != v.From:
					a.Notes = append(slices.Clip(a.Notes), prompt.Note{Name: v.Name, Stage: "run", From: vars[at].From,
						Reason: "a variable of this turn takes its place"})
					vars[at] = v
				}
			}
			a.Vars = vars
			return a, nil
		},
	}
}
