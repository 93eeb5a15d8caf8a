package agent

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
)

// A bench is what the calls of an answer are run with: it belongs to the request
// that showed the tools.
type bench struct {
	tools    map[string]tool.Tool
	refusals map[string]string // of tools that are not run: why
	state    *session.Tools    // to be recorded with the request; nil: as before
	said     []prompt.Diagnostic
}

// newBench returns what the agent and its sets have to run calls with.
func (a *Agent) newBench(o *offer) bench {
	if o == nil {
		return bench{tools: a.tools}
	}
	b := bench{tools: maps.Clone(o.runs), refusals: o.refusals, said: o.diagnostics}
	maps.Copy(b.tools, a.tools)
	return b
}

// settleTools gives the step the tools block of its policy in place of the one
// that the stages made, and says what changed in it since the last request.
func (a *Agent) settleTools(l *live, v session.View, o *offer, s *Step, history []chat.Message, model Alternative) {
	s.bench = a.newBench(o)
	defer func() { l.block = s.Assembly.Tools }()
	frozen := a.cfg.ToolChanges == FrozenTools
	before, known := l.block, l.block != nil
	if v.Tools != nil {
		before, known = v.Tools.Block, true
	}
	switch {
	case v.LastRequest == nil: // there is nothing to keep yet
	case frozen && v.Tools != nil:
		s.freeze(v.Tools.Block)
	case frozen:
		s.say("tools.unknown", "the tools of the session's first request are not known; they are frozen as they are now")
	default:
		if !known && o != nil {
			before, known = withoutSets(s.Assembly.Tools), true // the session began before the agent had sets
		}
		if known && !sameBlock(before, s.Assembly.Tools) {
			causes := changes(before, s.Assembly.Tools)
			n, how := prefixLost(model.Name, before, s.Assembly, history)
			s.say("cache.break", "cause=%s tokens=%d (%s): the tools changed; what stands behind the first change is read anew", causes, n, how)
		}
	}
	if o == nil && !frozen && v.Tools == nil {
		return
	}
	state := session.Tools{Block: s.Assembly.Tools, Frozen: frozen}
	if o != nil {
		state.Sets = o.sets
	} else if v.Tools != nil {
		state.Sets = v.Tools.Sets
	}
	if len(state.Sets) == 0 && !frozen && v.Tools == nil {
		return // no set has shown anything yet
	}
	if v.Tools == nil || v.Tools.Frozen != frozen || !sameBlock(v.Tools.Block, state.Block) || !reflect.DeepEqual(v.Tools.Sets, state.Sets) {
		s.bench.state = &state
	}
}

// freeze keeps a block. Tools of which it says something else than the stages
// would are not run.
func (s *Step) freeze(block []chat.ToolSpec) {
	now := s.Assembly.Tools
	if sameBlock(block, now) {
		return
	}
	s.bench.refusals = maps.Clone(s.bench.refusals)
	if s.bench.refusals == nil {
		s.bench.refusals = map[string]string{}
	}
	for _, b := range block {
		at := slices.IndexFunc(now, func(x chat.ToolSpec) bool { return x.Name == b.Name })
		if s.bench.refusals[b.Name] == "" && (at < 0 || !sameSpec(now[at], b)) {
			s.bench.refusals[b.Name] = fmt.Sprintf("not run: the tool %s is not available as it was shown to you", b.Name)
		}
	}
	s.Assembly.Tools = block
	s.say("tools.frozen", "the tools stay as at the session's first request, although they changed: %s", changes(block, now))
}

func (s *Step) say(code, format string, args ...any) {
	d := prompt.Diagnostic{Severity: prompt.Warning, Code: code, Message: fmt.Sprintf(format, args...)}
	s.Diagnostics = append(slices.Clip(s.Diagnostics), d)
	s.bench.said = append(slices.Clip(s.bench.said), d)
}

// withoutSets returns the tools that are of no set.
func withoutSets(block []chat.ToolSpec) []chat.ToolSpec {
	return slices.DeleteFunc(slices.Clone(block), func(s chat.ToolSpec) bool { return s.From != nil && s.From.Source == setOriginSource })
}

// maxNamed is how many tools a diagnostic names of each kind of change.
const maxNamed = 16

// changes says how two blocks differ, as in "tools.added(B/one,B/two)".
func changes(before, after []chat.ToolSpec) string {
	find := func(block []chat.ToolSpec, name string) *chat.ToolSpec {
		for i := range block {
			if block[i].Name == name {
				return &block[i]
			}
		}
		return nil
	}
	var added, removed, changed []string
	for _, s := range after {
		switch old := find(before, s.Name); {
		case old == nil:
			added = append(added, fullName(s))
		case !sameSpec(*old, s):
			changed = append(changed, fullName(s))
		}
	}
	for _, s := range before {
		if find(after, s.Name) == nil {
			removed = append(removed, fullName(s))
		}
	}
	var out []string
	for _, c := range []struct {
		cause string
		names []string
	}{{"tools.added", added}, {"tools.removed", removed}, {"tools.changed", changed}} {
		if n := len(c.names); n > 0 {
			slices.Sort(c.names)
			if n > maxNamed {
				c.names = append(c.names[:maxNamed], fmt.Sprintf("and %d more", n-maxNamed))
			}
			out = append(out, c.cause+"("+strings.Join(c.names, ",")+")")
		}
	}
	if out == nil {
		return "tools.order"
	}
	return strings.Join(out, " ")
}

// fullName is the name of a tool behind that of its set.
func fullName(s chat.ToolSpec) string {
	if s.From != nil && s.From.Source == setOriginSource && s.From.Path != "" {
		return s.From.Path + "/" + s.Name
	}
	return s.Name
}

// take makes the tools of a request those of the calls that answer it, and returns
// what is to be recorded of them with it.
func (r *run) take(s Step) []session.Event {
	var events []session.Event
	if r.step > 1 { // at the first all diagnostics are recorded
		for i, d := range s.bench.said {
			if !slices.Contains(r.bench.said, d) {
				events = append(events, session.Event{Kind: session.Diagnostic, Diagnostic: &s.bench.said[i]})
			}
		}
	}
	if s.bench.state != nil {
		events = append(events, session.Event{Kind: session.ToolState, Tools: s.bench.state})
	}
	r.bench = s.bench
	return events
}

// takeUp makes the tools of the last request those of the calls that a pause left
// open. What says something else of itself by now is not run.
func (r *run) takeUp(ctx context.Context) error {
	v := r.l.folder.View()
	if err := r.a.recallSets(v); err != nil {
		return err
	}
	composed, o, err := r.a.compose(ctx, r.l, r.a.cfg.Registry.View(), r.in, r.at())
	if err != nil {
		return err
	}
	s := Step{Assembly: composed.Assembly, bench: r.a.newBench(o)}
	if v.Tools != nil {
		s.freeze(v.Tools.Block)
	}
	r.shown, r.bench = s.Assembly.Tools, s.bench
	return nil
}

// tool returns the tool of a name that a call may run.
func (r *run) tool(name string) tool.Tool {
	if r.bench.refusals[name] != "" {
		return nil
	}
	return r.bench.tools[name]
}
