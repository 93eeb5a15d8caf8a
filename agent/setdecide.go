package agent

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
)

// A sitting is what a session knows when its sets are read.
type sitting struct {
	known   session.Tools   // of its last event
	first   bool            // no request was sent yet
	frozen  bool            // and the block is known, or this is the first request
	own     map[string]bool // names that are taken
	timeout time.Duration   // for a set to answer
}

// An offer is what the sets amount to in a session at one step.
type offer struct {
	agent       *Agent
	specs       []chat.ToolSpec
	sets        []session.ToolSet // as the session knows them from here on
	runs        map[string]tool.Tool
	refusals    map[string]string // why a call of a tool is not run
	diagnostics []prompt.Diagnostic
	sections    []prompt.Doc // of the prefix
	changes     []prompt.Doc // behind the history
	told        []string     // lines of the changes
}

// decide says which tools of the sets are shown and may run. The rules:
//
// A name belongs to the agent's own tools, then to the set that first showed it in
// the session, then to the earlier set. What a set said of a tool when it was first
// shown is pinned. One that says something else later is held back: it stays as it
// was in the block, if it stood there, and its calls are refused until a new session.
// Only a trusted set under the live policy may change a tool. A set that cannot be
// read changes nothing.
func decide(s sitting, readings []reading) *offer {
	o := &offer{runs: map[string]tool.Tool{}, refusals: map[string]string{}}
	for _, set := range s.known.Sets {
		set.Pins = slices.Clone(set.Pins)
		o.sets = append(o.sets, set)
	}
	byName := map[string]*reading{}
	for i := range readings {
		r := &readings[i]
		name := r.set.Name()
		byName[name] = r
		o.diagnostics = append(o.diagnostics, r.diagnostics...)
		if r.err != nil {
			o.say("tools.failed", "the set of tools %s cannot be read: %v", name, r.err)
		}
		if s.known.Set(name) == nil && (len(r.tools) > 0 || r.instructions != "") {
			set := session.ToolSet{Name: name}
			if s.first {
				set.Instructions = r.instructions
			} else {
				set.Later = r.instructions
			}
			o.sets = append(o.sets, set)
		}
	}
	owner := map[string]string{}
	for i := range o.sets {
		for _, p := range o.sets[i].Pins {
			owner[p.Name] = o.sets[i].Name
		}
	}
	for i := range o.sets {
		d := decider{offer: o, sitting: s, set: &o.sets[i], owner: owner}
		d.decide(byName[o.sets[i].Name])
	}
	o.finish()
	return o
}

func (o *offer) say(code, format string, args ...any) {
	o.diagnostics = append(o.diagnostics, prompt.Diagnostic{Severity: prompt.Warning, Code: code, Message: fmt.Sprintf(format, args...)})
}

// A decider decides about one set.
type decider struct {
	*offer
	sitting
	set   *session.ToolSet
	owner map[string]string // of a name: its set

	joined, waiting, held, gone, silent []string // names of tools
}

// block returns the spec that a tool of the set has in the block of the last
// request.
func (d *decider) block(p session.ToolPin) *chat.ToolSpec {
	for i := range d.known.Block {
		if b := &d.known.Block[i]; b.Name == p.Name && b.From != nil && b.From.Source == setOriginSource && b.From.Path == d.set.Name {
			return b
		}
	}
	return nil
}

func (d *decider) decide(r *reading) {
	if r == nil {
		r = &reading{}
	}
	if r.err == nil {
		for i := range r.tools {
			d.pin(&r.tools[i])
		}
	}
	for _, p := range d.set.Pins {
		if d.own[p.Name] {
			continue // said already, if the set still has it
		}
		d.place(p, r)
	}
	d.instruct(r)
	d.tell(r.err == nil && len(r.tools) == 0 && r.instructions == "")
}

// pin ties the name of a tool to what it says, unless the name is another's.
func (d *decider) pin(o *offered) {
	name := o.spec.Name
	other, taken := d.owner[name]
	switch {
	case d.own[name]:
		d.say("tool.shadowed", "the tool %s of the set %s is not shown: the agent has a tool of that name", name, d.set.Name)
	case other == d.set.Name:
	case taken:
		d.say("tool.shadowed", "the tool %s of the set %s is not shown: in this session the name belongs to the set %s", name, d.set.Name, other)
	case len(d.set.Pins) >= maxPins:
		d.say("tools.truncated", "the tool %s of the set %s is not shown: the set had %d others in this session", name, d.set.Name, len(d.set.Pins))
	default:
		d.owner[name] = d.set.Name
		d.set.Pins = append(d.set.Pins, session.ToolPin{Name: name, Hash: o.hash, Late: !d.first})
		slices.SortFunc(d.set.Pins, func(a, b session.ToolPin) int { return cmp.Compare(a.Name, b.Name) })
	}
}

// place decides about a tool whose name the set has.
func (d *decider) place(p session.ToolPin, r *reading) {
	pin, now, old := d.set.Pin(p.Name), r.find(p.Name), d.block(p)
	if now != nil && now.hash != p.Hash {
		if tool.IsTrusted(r.set) && !d.frozen && !p.Held {
			pin.Hash = now.hash
		} else {
			pin.Held = true
		}
	}
	switch {
	case pin.Held:
		d.held = append(d.held, p.Name)
		d.say("tool.changed", "the tool %s of the set %s says something else of itself than when this session first showed it; it is held back until a new session", p.Name, d.set.Name)
		d.refusals[p.Name] = fmt.Sprintf("not run: the tool %s of the set %s changed its description within the session and is held back until a new one", p.Name, d.set.Name)
	case r.err != nil:
		d.silent = append(d.silent, p.Name)
		d.refusals[p.Name] = fmt.Sprintf("not run: the set %s cannot be reached at present; try again later", d.set.Name)
	case now == nil:
		d.gone = append(d.gone, p.Name)
		d.refusals[p.Name] = fmt.Sprintf("not run: the tool %s was removed from the set %s; it cannot be called any more", p.Name, d.set.Name)
	case d.frozen && !d.first && old == nil:
		d.waiting = append(d.waiting, p.Name)
		d.refusals[p.Name] = fmt.Sprintf("not run: the tool %s joined after the session began; it can be used in the next session", p.Name)
	default:
		if p.Late {
			d.joined = append(d.joined, p.Name)
		}
		d.specs = append(d.specs, now.spec)
		d.runs[p.Name] = newSetTool(*now, r.set, d.timeout)
		return
	}
	// What is not run stays in the block where that keeps it as it is.
	if old != nil && (d.frozen || now != nil || r.err != nil) {
		d.specs = append(d.specs, *old)
	}
}

// instruct takes in what the set says about the use of its tools.
func (d *decider) instruct(r *reading) {
	if r.err != nil || len(r.tools) == 0 && r.instructions == "" {
		return
	}
	latest := cmp.Or(d.set.Later, d.set.Instructions)
	switch {
	case r.instructions == latest:
	case tool.IsTrusted(r.set) && !d.frozen && r.instructions != "":
		d.set.Later = r.instructions
		if r.instructions == d.set.Instructions { // as they stand in the prefix
			d.set.Later = ""
		}
	default:
		d.say("tool.changed", "the instructions of the set of tools %s changed; this session goes on with those it began with", d.set.Name)
	}
}
