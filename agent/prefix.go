package agent

import (
	"fmt"
	"path"
	"path/filepath"
	"reflect"
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
	retell := !a.preset.Untold && view.Prefix != nil && len(view.Prefix.Changes) > 0 && len(view.Contexts) == 0 // a summary took the notices along
	if f := l.frozen; f != nil && f.of == c && f.by == view.Prefix && !fresh && !retell && (view.Prefix == nil || view.Prefix.Model == model) {
		return f
	}
	f := &frozen{of: c, by: view.Prefix, assembly: validAssembly(c.Assembly)}
	l.frozen = f
	if refresh == preset.EachStep {
		return f
	}
	if view.Prefix == nil || fresh {
		f.record = session.PrefixOf(model, f.assembly)
		if view.Prefix == nil && view.LastRequest != nil {
			f.say(prompt.Warning, codeRebuilt, "the session keeps no prefix, because it was begun in another way or its log is damaged; it was made anew from what is there now")
		}
		return f
	}
	kept := view.Prefix
	if kept.Model != model {
		kept = remodelled(kept, f.assembly, model)
		f.record = kept
		f.say(prompt.Warning, "cache.break", "cause=model.changed: %s reads the whole request anew", model)
	}
	if retell {
		f.retell(kept, &a.preset)
		return f
	}
	f.assembly = overlaid(kept, f.assembly, f, &a.preset)
	return f
}

// retell lays the kept prefix over the assembly and tells each section that differs
// from it once, however often it changed: the model knows of no notice.
func (f *frozen) retell(kept *session.Prefix, p *preset.Preset) {
	bare := *kept
	bare.Changes = nil
	if f.record == nil {
		f.record = &session.Prefix{Retold: true}
	} else {
		f.record = &bare
	}
	f.assembly = overlaid(&bare, f.assembly, f, p)
	if f.record.Retold && reflect.DeepEqual(f.record.Changes, kept.Changes) {
		f.record = nil
	}
}

func (f *frozen) say(s prompt.Severity, code, format string, args ...any) {
	f.said = append(f.said, prompt.Diagnostic{Severity: s, Code: code, Message: fmt.Sprintf(format, args...)})
}

// remodelled is a prefix for another model: what the agent itself says may depend
// on the model and is taken anew; what others say stays (C88).
func remodelled(kept *session.Prefix, a prompt.Assembly, model string) *session.Prefix {
	out := session.PrefixOf(model, a)
	old := map[string]bool{}
	for i, s := range out.Sections {
		if s.From != nil && s.From.Trust <= span.User && s.From.Source != "file" {
			continue
		}
		at := slices.IndexFunc(kept.Sections, func(k session.PrefixSection) bool { return k.Name == s.Name && k.Channel == s.Channel })
		if at >= 0 {
			out.Sections[i] = kept.Sections[at]
			old[s.Channel+" "+s.Name] = true
		}
	}
	for _, c := range kept.Changes {
		if old[c.Channel+" "+c.Name] {
			out.Changes = append(out.Changes, c)
		}
	}
	return out
}

func key(s prompt.Section) string { return s.Channel.String() + " " + s.Name }

// changeOrder puts changes behind what else is told.
const changeOrder = 1000

// noticeOf returns the section that tells of the n-th change of a section.
func noticeOf(c session.PrefixChange, n, at int) prompt.Section {
	name := ChangedSection + c.Name
	if n > 0 {
		name += fmt.Sprintf(" (%d)", n+1)
	}
	from := *origin(c.From, c.Name)
	from.Stage = freezeStage
	return prompt.Section{Name: name, Channel: prompt.Context, Class: prompt.Turn, Order: changeOrder + float64(at), From: &from, Text: c.Notice}
}

func origin(o *span.Origin, name string) *span.Origin {
	if o == nil {
		return &span.Origin{Section: name, Trust: span.Tool}
	}
	return o
}

// changed tells how a section differs from what the model knows of it; nil: it
// does not.
func changed(told prompt.Section, now *prompt.Section, key string) *session.PrefixChange {
	channel, name, _ := strings.Cut(key, " ")
	c := &session.PrefixChange{Name: name, Channel: channel, From: origin(told.From, name)}
	if now == nil || now.Text.Len() == 0 {
		if told.Text.Len() == 0 {
			return nil
		}
		c.Notice = says(name, "This part does not hold any more.", nil)
		return c
	}
	c.Now, c.From = now.Text, origin(now.From, name)
	switch {
	case told.Text.String() == now.Text.String():
		return nil
	case told.Text.Len() == 0:
		c.Notice = says(name, "Added since this conversation began:\n", now.Text)
		return c
	}
	before, after := stage.Content(told), stage.Content(*now)
	diff, err := udiff.ToUnified("before", "now", before.String(), udiff.Lines(before.String(), after.String()), 0)
	if err != nil || diff == "" || len(diff) > after.Len()+200 {
		c.Notice = says(name, "This takes the place of the part of that name:\n", now.Text)
		return c
	}
	from := *c.From
	from.Stage = freezeStage
	_, diff, _ = strings.Cut(diff, "\n") // without the names
	_, diff, _ = strings.Cut(diff, "\n")
	text := span.Text{{Text: diff, From: &from, Off: span.NoOffset}}
	if from.Trust >= span.Workspace {
		text = stage.Enclose("diff", shown(name), from.Trust, text)
	}
	c.Notice = says(name, "Changed; what it says now holds:\n", text)
	return c
}

// shown is what a notice calls a section: the path from where the prefix's fence
// has it, which is the same on every machine, or its name.
func shown(section string) string {
	_, name, ok := strings.Cut(section, ":")
	if !ok {
		name = section
	}
	return path.Clean(filepath.ToSlash(name))
}

// says returns a notice.
func says(name, text string, rest span.Text) span.Text {
	head := span.OfGenerated(text, &span.Origin{Section: name, Source: "generated:" + freezeStage, Stage: freezeStage})
	return append(head, rest...)
}
