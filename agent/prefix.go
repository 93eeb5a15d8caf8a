package agent

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

// The names of sections in the context channel that tell of a change in the
// prefix begin with ChangedSection.
const ChangedSection = "changed:"

const (
	// codeRebuilt: the prefix of a session was lost and made anew.
	codeRebuilt = "session.prefix_rebuilt"
	// codeChanged: a section says something else than the kept prefix.
	codeChanged = "section.changed"
	freezeStage = "freeze"
)

// A frozen is an assembly whose prefix is that of its session.
type frozen struct {
	of       *prompt.Composed // what it was made from, and
	by       *session.Prefix
	assembly prompt.Assembly
	record   *session.Prefix // to be recorded with the request; nil: as before
	said     []prompt.Diagnostic
}

// freezeFor replaces the system and instructions of a composed prompt by those
// that the session keeps (P9): what changed since is told in the context channel,
// behind the conversation. An unchanged composition costs nothing.
func (a *Agent) freezeFor(l *live, view session.View, c *prompt.Composed, model string, in Input, at At) *frozen {
	refresh := a.preset.Refresh
	fresh := at.Step == 1 && (refresh == preset.EachTurn || in.FreshPrefix)
	if f := l.frozen; f != nil && f.of == c && f.by == view.Prefix && !fresh && (view.Prefix == nil || view.Prefix.Model == model) {
		return f
	}
	f := &frozen{of: c, by: view.Prefix, assembly: c.Assembly}
	l.frozen = f
	if refresh == preset.EachStep {
		return f
	}
	if view.Prefix == nil || fresh {
		f.record = session.PrefixOf(model, c.Assembly)
		if view.Prefix == nil && view.LastRequest != nil {
			f.say(prompt.Warning, codeRebuilt, "the session keeps no prefix, because it was begun in another way or its log is damaged; it was made anew from what is there now")
		}
		return f
	}
	kept := view.Prefix
	if kept.Model != model {
		kept = remodelled(kept, c.Assembly, model)
		f.record = kept
		f.say(prompt.Warning, "cache.break", "cause=model.changed: %s reads the whole request anew", model)
	}
	f.assembly = overlaid(kept, c.Assembly, f)
	return f
}

func (f *frozen) say(s prompt.Severity, code, format string, args ...any) {
	f.said = append(f.said, prompt.Diagnostic{Severity: s, Code: code, Message: fmt.Sprintf(format, args...)})
}

// remodelled is a prefix for another model: what the agent itself says may depend
// on the model and is taken anew; what others say stays (C88).
func remodelled(kept *session.Prefix, a prompt.Assembly, model string) *session.Prefix {
	out := session.PrefixOf(model, a)
	for i, s := range out.Sections {
		if s.From != nil && s.From.Trust <= span.User && s.From.Source != "file" {
			continue
		}
		at := slices.IndexFunc(kept.Sections, func(k session.PrefixSection) bool { return k.Name == s.Name && k.Channel == s.Channel })
		if at >= 0 {
			out.Sections[i] = kept.Sections[at]
		}
	}
	return out
}

// overlaid returns the assembly with the kept prefix, and with a section in the
// context channel for each difference.
func overlaid(kept *session.Prefix, a prompt.Assembly, f *frozen) prompt.Assembly {
	var out []prompt.Section
	live := map[string]*prompt.Section{}
	for i := range a.Sections {
		if s := &a.Sections[i]; s.Channel == prompt.System || s.Channel == prompt.Instructions {
			live[key(*s)] = s
		}
	}
	var changes []prompt.Section
	for _, k := range kept.Sections {
		s, err := k.Section()
		if err != nil {
			continue // the log was checked when it was read
		}
		now := live[key(s)]
		delete(live, key(s))
		if now != nil { // what the log does not keep of it
			s.Doc, s.Required, s.Priority, s.Min = now.Doc, now.Required, now.Priority, now.Min
		}
		out = append(out, s)
		if c := changed(s, now); c != nil {
			changes = append(changes, *c)
		}
	}
	for i := range a.Sections {
		s := &a.Sections[i]
		switch {
		case s.Channel != prompt.System && s.Channel != prompt.Instructions:
			out = append(out, *s)
		case live[key(*s)] == s && s.Text.Len() > 0:
			changes = append(changes, *added(s))
		}
	}
	for _, c := range changes {
		name := strings.TrimPrefix(c.Name, ChangedSection)
		f.said = append(f.said, prompt.Diagnostic{Severity: prompt.Info, Code: codeChanged, Path: c.From.Path,
			Message: name + " changed since the session began: the prefix keeps what it said, and a notice behind the conversation tells the change"})
		a.Notes = append(slices.Clip(a.Notes), prompt.Note{Name: name, Stage: freezeStage, From: c.From, Reason: "changed since session start; told in " + c.Name})
	}
	a.Sections = append(out, changes...)
	return a
}

func key(s prompt.Section) string { return s.Channel.String() + " " + s.Name }

// changeOrder puts changes behind what else is told.
const changeOrder = 1000

// notice returns a section that tells of a change.
func notice(s *prompt.Section, text string, rest span.Text) *prompt.Section {
	from := *origin(s)
	from.Stage = freezeStage
	head := span.OfGenerated(text, &span.Origin{Section: s.Name, Source: "generated:" + freezeStage, Stage: freezeStage})
	return &prompt.Section{Name: ChangedSection + s.Name, Channel: prompt.Context, Class: prompt.Turn, Order: changeOrder, From: &from, Text: append(head, rest...)}
}

func origin(s *prompt.Section) *span.Origin {
	if s.From == nil {
		return &span.Origin{Section: s.Name, Trust: span.Tool}
	}
	return s.From
}

// added tells of a section that the prefix does not have.
func added(s *prompt.Section) *prompt.Section {
	return notice(s, "Added since this conversation began:\n", s.Text)
}

// changed tells how a section differs from the kept one; nil: it does not.
func changed(kept prompt.Section, now *prompt.Section) *prompt.Section {
	switch {
	case now == nil || now.Text.Len() == 0:
		if kept.Text.Len() == 0 {
			return nil
		}
		return notice(&kept, "This part of the text at the beginning does not hold any more.", nil)
	case kept.Text.String() == now.Text.String():
		return nil
	case kept.Text.Len() == 0:
		return added(now)
	}
	before, after := stage.Content(kept), stage.Content(*now)
	diff, err := udiff.ToUnified("before", "now", before.String(), udiff.Lines(before.String(), after.String()), 2)
	if err != nil || diff == "" || len(diff) > after.Len()+200 {
		return notice(now, "This takes the place of the part with the same name at the beginning:\n", now.Text)
	}
	const how = "This part of the text at the beginning changed; what it says now holds. The change:\n"
	from := *origin(now)
	from.Stage = freezeStage
	text := span.Text{{Text: diff, From: &from, Off: span.NoOffset}}
	if from.Trust >= span.Workspace {
		text = stage.Enclose("diff", shown(now), from.Trust, text)
	}
	return notice(now, how, text)
}

// shown is what a notice calls a section: the path from where the prefix's fence
// has it, which is the same on every machine, or its name.
func shown(s *prompt.Section) string {
	_, name, ok := strings.Cut(s.Name, ":")
	if !ok {
		name = s.Name
	}
	return path.Clean(filepath.ToSlash(name))
}
