package agent

import (
	"slices"
	"strings"

	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
)

// overlaid returns the assembly with the kept prefix, with a section in the context
// channel for each change that was told, and for each that is new.
func overlaid(kept *session.Prefix, a prompt.Assembly, f *frozen, p *preset.Preset) prompt.Assembly {
	o := laying{live: map[string]*prompt.Section{}, told: map[string]prompt.Section{}, count: map[string]int{}}
	o.now(a, p.Live)
	o.before(kept, p.Live)
	a.Sections = o.kept
	if len(o.following) > 0 {
		a.Sections = interleaved(o.kept, o.following, o.ahead)
	}
	if !p.Untold {
		o.tell(f)
		a.Notes = o.notes(a.Notes)
	}
	a.Sections = append(a.Sections, o.rest...)
	return a
}

// A laying puts an assembly and a kept prefix together. Sections are known by
// [key].
type laying struct {
	live      map[string]*prompt.Section // as they are now
	told      map[string]prompt.Section  // as the model knows them
	order     []string                   // of both
	count     map[string]int             // changes that were told
	kept      []prompt.Section           // of the prefix
	following []prompt.Section           // that are never kept
	ahead     [prompt.Channels]int       // how many of those stand in front of the others
	rest      []prompt.Section           // of other channels, and what tells of changes
}

// now takes in the assembly.
func (o *laying) now(a prompt.Assembly, follows func(*prompt.Section) bool) {
	var begun [prompt.Channels]bool
	for i := range a.Sections {
		s := &a.Sections[i]
		switch {
		case s.Channel != prompt.System && s.Channel != prompt.Instructions:
			o.rest = append(o.rest, *s)
		case follows != nil && follows(s):
			if !begun[s.Channel] {
				o.ahead[s.Channel]++
			}
			o.following = append(o.following, *s)
		default:
			begun[s.Channel] = true
			o.live[key(*s)] = s
			o.order = append(o.order, key(*s))
		}
	}
}

// before takes in what the session keeps: the sections, and the changes that were
// told.
func (o *laying) before(kept *session.Prefix, follows func(*prompt.Section) bool) {
	for _, k := range kept.Sections {
		s, err := k.Section()
		if err != nil || follows != nil && follows(&s) {
			continue // the log was checked when it was read
		}
		if now := o.live[key(s)]; now != nil { // what the log does not keep of it
			s.Doc, s.Required, s.Priority, s.Min = now.Doc, now.Required, now.Priority, now.Min
		} else {
			o.order = append(o.order, key(s))
		}
		o.told[key(s)] = s
		o.kept = append(o.kept, s)
	}
	for _, c := range kept.Changes {
		k := c.Channel + " " + c.Name
		s := o.told[k]
		if s.Name == "" {
			s = prompt.Section{Name: c.Name, From: c.From}
		}
		if o.live[k] == nil && !slices.Contains(o.order, k) {
			o.order = append(o.order, k)
		}
		s.Text = c.Now
		o.told[k] = s
		o.notice(k, c)
	}
}

func (o *laying) notice(key string, c session.PrefixChange) {
	o.rest = append(o.rest, noticeOf(c, o.count[key], len(o.rest)))
	o.count[key]++
}

// tell makes notices of what is new, to be recorded with the request.
func (o *laying) tell(f *frozen) {
	var news []session.PrefixChange
	for _, k := range o.order {
		c := changed(o.told[k], o.live[k], k)
		if c == nil {
			continue
		}
		news = append(news, *c)
		o.notice(k, *c)
		f.said = append(f.said, prompt.Diagnostic{Severity: prompt.Info, Code: codeChanged, Path: c.From.Path,
			Message: c.Name + " changed since the session began: the prefix keeps what it said, and a notice behind the conversation tells the change"})
	}
	switch {
	case len(news) > 0 && f.record != nil:
		f.record.Changes = append(slices.Clip(f.record.Changes), news...)
	case len(news) > 0:
		f.record = &session.Prefix{Changes: news}
	}
}

// notes says of each section that changed where that is told.
func (o *laying) notes(notes []prompt.Note) []prompt.Note {
	for _, k := range o.order {
		if o.count[k] == 0 {
			continue
		}
		from := o.told[k].From
		if o.live[k] != nil {
			from = o.live[k].From
		}
		_, name, _ := strings.Cut(k, " ")
		notes = append(slices.Clip(notes), prompt.Note{Name: name, Stage: freezeStage, From: from,
			Reason: "changed since session start; told in " + ChangedSection + name})
	}
	return notes
}

// interleaved puts the sections that follow at every request around those that are
// kept: as many as ahead says before those of their channel, the others behind.
func interleaved(kept, following []prompt.Section, ahead [prompt.Channels]int) []prompt.Section {
	var out []prompt.Section
	for _, ch := range []prompt.Channel{prompt.System, prompt.Instructions} {
		var behind []prompt.Section
		for _, s := range following {
			switch {
			case s.Channel != ch:
			case ahead[ch] > 0:
				ahead[ch]--
				out = append(out, s)
			default:
				behind = append(behind, s)
			}
		}
		for _, s := range kept {
			if s.Channel == ch {
				out = append(out, s)
			}
		}
		out = append(out, behind...)
	}
	return out
}
