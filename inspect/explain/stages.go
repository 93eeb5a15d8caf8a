package explain

import (
	"fmt"
	"slices"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// A Stage is a stage with what it changed.
type Stage struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Changes []Change `json:"changes"`
}

// A Change is what a stage, or the reading of a file, did to one section, tool or
// variable.
type Change struct {
	Stage   string `json:"stage"`
	Kind    string `json:"kind"` // added, removed, changed, moved, or rewritten while it was read
	What    string `json:"what"` // section, tool or variable
	Name    string `json:"name"`
	Channel string `json:"channel"` // of a section, after the stage
	Before  int    `json:"before"`  // bytes
	After   int    `json:"after"`
	Text    string `json:"text"` // a sentence for people, without its full stop
}

// key is a thing that stages change.
type key struct{ what, name string }

// stages returns what each stage changed, and the same by section.
func stages(frames []prompt.Frame) ([]Stage, map[key][]Change) {
	out := make([]Stage, 0, len(frames))
	by := map[key][]Change{}
	for i, f := range frames {
		s := Stage{Name: f.Stage, Doc: f.Doc, Changes: []Change{}}
		if i > 0 {
			s.Changes = append(s.Changes, changes(f.Stage, frames[i-1].Assembly, f.Assembly)...)
		}
		for _, c := range s.Changes {
			k := key{c.What, c.Name}
			by[k] = append(by[k], c)
		}
		out = append(out, s)
	}
	return out, by
}

// changes returns the differences between two assemblies as what a stage did. A
// section that left one channel and entered another is one move.
func changes(by string, a, b prompt.Assembly) []Change {
	diff := prompt.Diff(a, b)
	var out []Change
	for i, d := range diff {
		c := Change{Stage: by, Kind: string(d.Kind), What: d.What, Name: d.Name, Before: len(d.Before), After: len(d.After)}
		if d.What == "section" {
			c.Channel = d.Channel.String()
		}
		if other := counterpart(diff, i); other >= 0 {
			if d.Kind == prompt.Removed {
				continue // it is told where it went
			}
			from := diff[other]
			c.Kind, c.Before = string(prompt.Moved), len(from.Before)
			c.Text = fmt.Sprintf("moved from %s to %s", from.Channel, d.Channel)
		} else {
			c.Text = sentence(d)
		}
		out = append(out, c)
	}
	return out
}

// counterpart returns the change in another channel that belongs to a removed or
// added section, or -1.
func counterpart(diff []prompt.Change, i int) int {
	d := diff[i]
	want := prompt.Added
	switch {
	case d.What != "section":
		return -1
	case d.Kind == prompt.Added:
		want = prompt.Removed
	case d.Kind != prompt.Removed:
		return -1
	}
	return slices.IndexFunc(diff, func(o prompt.Change) bool {
		return o.What == "section" && o.Name == d.Name && o.Kind == want && o.Channel != d.Channel
	})
}

func sentence(d prompt.Change) string {
	switch d.Kind {
	case prompt.Added:
		return fmt.Sprintf("added with %d bytes", len(d.After))
	case prompt.Removed:
		return fmt.Sprintf("removed with %d bytes", len(d.Before))
	case prompt.Moved:
		return "moved within its channel"
	}
	return fmt.Sprintf("changed from %d to %d bytes", len(d.Before), len(d.After))
}

// rewritten returns what reading files did to a section's text: the pieces that
// do not stand as the file says.
func rewritten(t span.Text, name, channel string, frames []prompt.Frame) []Change {
	var out []Change
	for _, s := range t {
		if s.From == nil || s.From.Stage == "" || slices.ContainsFunc(frames, func(f prompt.Frame) bool { return f.Stage == s.From.Stage }) {
			continue
		}
		i := slices.IndexFunc(out, func(c Change) bool { return c.Stage == s.From.Stage })
		if i < 0 {
			i = len(out)
			out = append(out, Change{Stage: s.From.Stage, Kind: "rewritten", What: "section", Name: name, Channel: channel})
		}
		out[i].Before++ // counts the places until the sentence is written
		out[i].After += len(s.Text)
	}
	for i := range out {
		out[i].Text = fmt.Sprintf("wrote %d bytes in %d places while the source was read", out[i].After, out[i].Before)
		out[i].Before = 0
	}
	return out
}
