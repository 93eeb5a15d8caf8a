package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// A setTool is a tool of a set as the model was shown it. A call runs the tool of
// that very reading. The set is asked once more before: a tool that is gone is not
// run, and where it says something else of itself now, the result tells.
type setTool struct {
	offered
	set     tool.Set
	timeout time.Duration
}

// Spec returns what the model was shown.
func (t setTool) Spec() chat.ToolSpec { return t.spec }

// Effect implements [tool.Effector].
func (t setTool) Effect(ctx context.Context, args json.RawMessage) tool.Effect {
	return tool.EffectOf(ctx, t.tool, args)
}

var setChangedOrigin = span.Generated("tools-changed")

// Call implements [tool.Tool].
func (t setTool) Call(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	return t.run(ctx, func() (tool.Result, error) { return t.tool.Call(ctx, args) })
}

func (t setTool) run(ctx context.Context, f func() (tool.Result, error)) (tool.Result, error) {
	changed := ""
	if now := readSets(ctx, []tool.Set{t.set}, t.timeout)[0]; now.err == nil { // one that cannot be asked has not said that the tool is gone
		switch o := now.find(t.spec.Name); {
		case o == nil:
			return tool.Errorf("not run: the tool %s was removed from the set %s after it was shown to you", t.spec.Name, t.set.Name()), nil
		case o.hash != t.hash:
			changed = fmt.Sprintf("the set %s changed the tool %s after it was shown to you; this call ran the tool that you were shown", t.set.Name(), t.spec.Name)
		}
	}
	result, err := f()
	switch {
	case changed == "":
	case err != nil:
		err = fmt.Errorf("%w (%s)", err, changed)
	default:
		result.Text = append(slices.Clip(result.Text), span.OfGenerated("\n["+changed+"]", setChangedOrigin)...)
	}
	return result, err
}

// An askingTool is a setTool that may ask a person.
type askingTool struct {
	setTool
	answerer tool.Answerer
}

// Answer implements [tool.Answerer].
func (t askingTool) Answer(ctx context.Context, args json.RawMessage, answer string) (tool.Result, error) {
	return t.run(ctx, func() (tool.Result, error) { return t.answerer.Answer(ctx, args, answer) })
}

// newSetTool returns what runs the calls of an offered tool.
func newSetTool(o offered, set tool.Set, timeout time.Duration) tool.Tool {
	t := setTool{o, set, timeout}
	if a, ok := o.tool.(tool.Answerer); ok {
		return askingTool{t, a}
	}
	return t
}
