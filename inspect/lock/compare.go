package lock

import (
	"fmt"
	"slices"
)

// A Difference is one thing that is not as it was pinned.
type Difference struct {
	Agent  string `json:"agent"`
	Preset string `json:"preset"`
	What   string `json:"what"`   // "agent", "model", "section", "tool", "order", "body" or "prefix"
	Name   string `json:"name"`   // of the section, tool or dialect
	Change string `json:"change"` // a clause
}

// String returns the difference as a line.
func (d Difference) String() string {
	s := "agent " + d.Agent + " (" + d.Preset + "): "
	if d.What == "agent" {
		return s + d.Change
	}
	s += d.What + " "
	if d.Name != "" {
		s += d.Name + " "
	}
	return s + d.Change
}

// Compare returns what is different in a file from the pinned one, in a fixed
// order: agents by name; of each what it is made of before what follows from it.
func Compare(pinned, now File) []Difference {
	var out []Difference
	for _, e := range now.Agents {
		old, ok := pinned.Entry(e.Agent, e.Preset)
		if !ok {
			out = append(out, Difference{e.Agent, e.Preset, "agent", "", "is not pinned"})
			continue
		}
		if old.SHA256 != e.SHA256 {
			out = append(out, compareEntry(old, e)...)
		}
	}
	for _, e := range pinned.Agents {
		if _, ok := now.Entry(e.Agent, e.Preset); !ok {
			out = append(out, Difference{e.Agent, e.Preset, "agent", "", "is pinned and not there any more"})
		}
	}
	return out
}

func compareEntry(old, now Entry) []Difference {
	var out []Difference
	add := func(what, name, format string, args ...any) {
		out = append(out, Difference{now.Agent, now.Preset, what, name, fmt.Sprintf(format, args...)})
	}
	if old.Model != now.Model {
		add("model", "", "is %s, pinned is %s", now.Model, old.Model)
	}
	var kept []string // sections of both, by their place now
	for _, s := range now.Sections {
		i := slices.IndexFunc(old.Sections, func(o Section) bool { return o.Name == s.Name && o.Channel == s.Channel })
		if i < 0 {
			add("section", s.Name, "is new: %s in %s", bytesOf(s.Bytes), s.Channel)
			continue
		}
		kept = append(kept, s.Channel+" "+s.Name)
		o := old.Sections[i]
		if o.SHA256 != s.SHA256 {
			add("section", s.Name, "says something else: %s, pinned are %s", bytesOf(s.Bytes), bytesOf(o.Bytes))
		}
		for _, f := range []struct{ what, old, now string }{
			{"order", fmt.Sprint(o.Order), fmt.Sprint(s.Order)}, {"class", o.Class, s.Class}, {"trust", o.Trust, s.Trust}, {"path", o.Path, s.Path},
		} {
			if f.old != f.now {
				add("section", s.Name, "has the %s %s, pinned is %s", f.what, f.now, f.old)
			}
		}
	}
	var was []string
	for _, o := range old.Sections {
		if key := o.Channel + " " + o.Name; slices.Contains(kept, key) {
			was = append(was, key)
		} else {
			add("section", o.Name, "is gone: %s in %s", bytesOf(o.Bytes), o.Channel)
		}
	}
	if !slices.Equal(kept, was) {
		add("order", "", "of the sections is another")
	}
	for _, t := range now.Tools {
		i := slices.IndexFunc(old.Tools, func(o Tool) bool { return o.Name == t.Name })
		switch {
		case i < 0:
			add("tool", t.Name, "is new: %s", bytesOf(t.Bytes))
		case old.Tools[i].SHA256 != t.SHA256:
			add("tool", t.Name, "has another description or schema: %s, pinned are %s", bytesOf(t.Bytes), bytesOf(old.Tools[i].Bytes))
		}
	}
	for _, o := range old.Tools {
		if !slices.ContainsFunc(now.Tools, func(t Tool) bool { return t.Name == o.Name }) {
			add("tool", o.Name, "is gone")
		}
	}
	if old.Prefix != now.Prefix {
		add("prefix", "", "is another: %s, pinned are %s", bytesOf(now.Prefix.Bytes), bytesOf(old.Prefix.Bytes))
	}
	for _, b := range now.Bodies {
		i := slices.IndexFunc(old.Bodies, func(o Body) bool { return o.Dialect == b.Dialect })
		if i < 0 || old.Bodies[i].SHA256 != b.SHA256 {
			add("body", b.Dialect, "is another: %s", bytesOf(b.Bytes))
		}
	}
	if len(out) == 0 {
		add("agent", "", "the entry was edited by hand: its hash does not fit what it holds")
	}
	return out
}

func bytesOf(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
