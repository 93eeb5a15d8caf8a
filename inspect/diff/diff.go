// Package diff says how two prompts differ: by section first, then by text, with
// what the difference costs. It compares reports and recomputes nothing:
//
//	r, err := diff.New(diff.Side{Label: "git:HEAD", Prompt: before}, diff.Side{Label: ".", Prompt: now}, count)
//	for _, s := range r.Sections {
//		fmt.Println(s.Kind, s.Name) // changed project:AGENTS.md
//	}
//	r.Cache.Lost // tokens that the first request after the change reads anew
package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/myers"

	"github.com/proemhq/proem/inspect"
	"github.com/proemhq/proem/inspect/cache"
)

// Schema is the name of the form.
const Schema = "proem.diff/1"

// A Side is one of two prompts.
type Side struct {
	Label   string
	Prompt  inspect.Prompt
	Dialect string // whose body the cache is asked about
	Rates   Rates
}

// A Report says how B differs from A.
type Report struct {
	Schema   string    `json:"schema"`
	A        string    `json:"a"`
	B        string    `json:"b"`
	Sections []Section `json:"sections"` // in the order of B, what is gone behind its place in A
	Tools    []Tool    `json:"tools"`    // likewise
	Settings []Setting `json:"settings"` // preset, agent, model, dialect
	Tokens   Tokens    `json:"tokens"`
	Cache    Cache     `json:"cache"`
	Cost     *Cost     `json:"cost"` // nil: no price is known
}

// Equal reports whether nothing differs.
func (r Report) Equal() bool {
	return len(r.Sections)+len(r.Tools)+len(r.Settings) == 0 && !r.Cache.Body
}

// The kinds of a difference.
const (
	Added     = "added"
	Removed   = "removed"
	Changed   = "changed"   // its text
	Moved     = "moved"     // to another channel
	Reordered = "reordered" // within its channel
	Retagged  = "retagged"  // class, trust, order number or source, with the same text and place
)

// A Section is a section that differs.
type Section struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Channel string `json:"channel"` // of B, or of A if it is gone
	Was     string `json:"was"`     // what else it was, as "channel context, class turn"
	Is      string `json:"is"`      // and what it is
	Path    string `json:"path"`
	Tokens  [2]int `json:"tokens"`
	Bytes   [2]int `json:"bytes"`
	Diff    string `json:"diff"` // unified; of a new or removed section its whole text
}

// A Tool is a tool that differs.
type Tool struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Tokens [2]int `json:"tokens"`
	Diff   string `json:"diff"` // of description and schema
}

// A Setting is something about the whole that differs.
type Setting struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Tokens are the sizes of the whole.
type Tokens struct {
	A       int    `json:"a"`
	B       int    `json:"b"`
	Counter string `json:"counter"`
	Exact   bool   `json:"exact"`
}

// Cache is what a provider's cache makes of the change, if the request of A was
// sent just before that of B.
type Cache struct {
	Body    bool   `json:"body"`    // the bodies differ
	Offset  int    `json:"offset"`  // of the first byte of B that differs
	Section string `json:"section"` // where that is
	Cause   string `json:"cause"`
	Lost    int    `json:"lost"` // tokens that A had and that are read anew
}

// New compares two prompts. Count counts tokens.
func New(a, b Side, count func(string) int) (Report, error) {
	r := Report{Schema: Schema, A: a.Label, B: b.Label, Sections: []Section{}, Tools: []Tool{}, Settings: []Setting{},
		Tokens: Tokens{a.Prompt.Tokens.Total, b.Prompt.Tokens.Total, b.Prompt.Tokens.Counter, a.Prompt.Tokens.Exact && b.Prompt.Tokens.Exact}}
	for _, s := range []Setting{
		{"preset", a.Prompt.Preset, b.Prompt.Preset}, {"agent", a.Prompt.Agent, b.Prompt.Agent},
		{"model", a.Prompt.Model, b.Prompt.Model}, {"dialect", a.Dialect, b.Dialect},
	} {
		if s.A != s.B {
			r.Settings = append(r.Settings, s)
		}
	}
	var err error
	if r.Sections, err = sections(a, b); err != nil {
		return r, err
	}
	if r.Tools, err = tools(a, b); err != nil {
		return r, err
	}
	r.Cache = caches(a, b, count)
	r.Cost = costOf(r, a.Rates, b.Rates)
	return r, nil
}

// tagged returns what a section is besides its text.
func tagged(s inspect.Section) string {
	out := fmt.Sprintf("order %g, class %s, trust %s", s.Order, s.Class, s.Trust)
	if s.Source != "" {
		out += ", source " + s.Source
	}
	return out
}

func sections(a, b Side) ([]Section, error) {
	old, now := a.Prompt.Sections, b.Prompt.Sections
	usedBy := make([]int, len(old)) // the section of b that is this one; -1: none
	of := make([]int, len(now))
	for i := range usedBy {
		usedBy[i] = -1
	}
	match := func(same func(o, n inspect.Section) bool) {
		for n := range now {
			if of[n] >= 0 {
				continue
			}
			for o := range old {
				if usedBy[o] < 0 && same(old[o], now[n]) {
					of[n], usedBy[o] = o, n
					break
				}
			}
		}
	}
	for i := range of {
		of[i] = -1
	}
	match(func(o, n inspect.Section) bool { return o.Name == n.Name && o.Channel == n.Channel })
	match(func(o, n inspect.Section) bool { return o.Name == n.Name })
	still := unmoved(now, of)
	out := []Section{}
	gone := func(from, to int) error {
		for o := from; o < to; o++ {
			if usedBy[o] < 0 {
				if err := add(&out, Removed, &old[o], nil); err != nil {
					return err
				}
			}
		}
		return nil
	}
	at := 0
	for n := range now {
		if of[n] < 0 {
			if err := add(&out, Added, nil, &now[n]); err != nil {
				return nil, err
			}
			continue
		}
		o := of[n]
		if o >= at {
			if err := gone(at, o); err != nil {
				return nil, err
			}
			at = o + 1
		}
		kind := ""
		switch {
		case old[o].Text != now[n].Text:
			kind = Changed
		case old[o].Channel != now[n].Channel:
			kind = Moved
		case !still[n]:
			kind = Reordered
		case tagged(old[o]) != tagged(now[n]):
			kind = Retagged
		}
		if kind != "" {
			if err := add(&out, kind, &old[o], &now[n]); err != nil {
				return nil, err
			}
		}
	}
	return out, gone(at, len(old))
}

// unmoved finds the sections that kept their place among those that stayed in
// their channel: a longest run in the old order.
func unmoved(now []inspect.Section, of []int) []bool {
	still := make([]bool, len(now))
	channels := map[string][]int{}
	for n := range now {
		if of[n] >= 0 {
			channels[now[n].Channel] = append(channels[now[n].Channel], n)
		}
	}
	for _, list := range channels { // each by itself, so their order is none of ours
		best, prev := make([]int, len(list)), make([]int, len(list))
		last := -1
		for i := range list {
			best[i], prev[i] = 1, -1
			for j := range i {
				if of[list[j]] < of[list[i]] && best[j]+1 > best[i] {
					best[i], prev[i] = best[j]+1, j
				}
			}
			if last < 0 || best[i] > best[last] {
				last = i
			}
		}
		for ; last >= 0; last = prev[last] {
			still[list[last]] = true
		}
	}
	return still
}

// add appends a difference. One of o and n may be nil.
func add(out *[]Section, kind string, o, n *inspect.Section) error {
	s := Section{Kind: kind}
	before, after := "", ""
	if o != nil {
		s.Name, s.Channel, s.Path, s.Was = o.Name, o.Channel, o.Path, "channel "+o.Channel+", "+tagged(*o)
		s.Tokens[0], s.Bytes[0], before = o.Tokens, o.Bytes, o.Text
	}
	if n != nil {
		s.Name, s.Channel, s.Path, s.Is = n.Name, n.Channel, n.Path, "channel "+n.Channel+", "+tagged(*n)
		s.Tokens[1], s.Bytes[1], after = n.Tokens, n.Bytes, n.Text
	}
	if o != nil && n != nil && s.Was == s.Is {
		s.Was, s.Is = "", ""
	}
	var err error
	s.Diff, err = unified(s.Name, before, after)
	*out = append(*out, s)
	return err
}

// maxShortest is up to how many lines the shortest difference is looked for.
const maxShortest = 4000

func unified(name, before, after string) (string, error) {
	if before == after {
		return "", nil
	}
	var edits []udiff.Edit
	if strings.Count(before, "\n")+strings.Count(after, "\n") > maxShortest {
		edits = udiff.Lines(before, after)
	} else {
		//lint:ignore SA1019 the library's other differences are several times as long
		edits = myers.ComputeEdits(before, after)
	}
	return udiff.ToUnified("a/"+name, "b/"+name, before, edits, 3)
}

func tools(a, b Side) ([]Tool, error) {
	out := []Tool{}
	find := func(list []inspect.Tool, name string) *inspect.Tool {
		i := slices.IndexFunc(list, func(t inspect.Tool) bool { return t.Name == name })
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	put := func(kind string, o, n *inspect.Tool) error {
		t := Tool{Kind: kind}
		before, after := "", ""
		if o != nil {
			t.Name, t.Tokens[0], before = o.Name, o.Tokens, described(o)
		}
		if n != nil {
			t.Name, t.Tokens[1], after = n.Name, n.Tokens, described(n)
		}
		var err error
		t.Diff, err = unified("tool "+t.Name, before, after)
		out = append(out, t)
		return err
	}
	for i := range b.Prompt.Tools {
		n := &b.Prompt.Tools[i]
		o := find(a.Prompt.Tools, n.Name)
		var err error
		switch {
		case o == nil:
			err = put(Added, nil, n)
		case described(o) != described(n):
			err = put(Changed, o, n)
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range a.Prompt.Tools {
		if o := &a.Prompt.Tools[i]; find(b.Prompt.Tools, o.Name) == nil {
			if err := put(Removed, o, nil); err != nil {
				return nil, err
			}
		}
	}
	if len(out) == 0 && !sameOrder(a.Prompt.Tools, b.Prompt.Tools) {
		out = append(out, Tool{Kind: Reordered, Name: "*"})
	}
	return out, nil
}

func sameOrder(a, b []inspect.Tool) bool {
	return slices.EqualFunc(a, b, func(x, y inspect.Tool) bool { return x.Name == y.Name })
}

// described returns a tool for reading.
func described(t *inspect.Tool) string {
	var b bytes.Buffer
	b.WriteString(t.Description + "\n")
	if json.Indent(&b, t.Parameters, "", "  ") != nil {
		b.Write(t.Parameters)
	}
	return b.String() + "\n"
}

// caches asks what would be read anew.
func caches(a, b Side, count func(string) int) Cache {
	before, after := a.Prompt.Wire[a.Dialect], b.Prompt.Wire[b.Dialect]
	c := Cache{Body: !bytes.Equal(before, after)}
	if !c.Body {
		return c
	}
	if a.Dialect != b.Dialect {
		c.Cause, c.Lost = "dialect.changed", a.Prompt.Tokens.Total
		return c
	}
	an := cache.New(count)
	for _, s := range []Side{a, b} {
		if err := an.Add(cache.Recorded{Body: s.Prompt.Wire[s.Dialect]}); err != nil {
			return c // a body that says nothing, such as one without messages
		}
	}
	for _, br := range an.Report("").Breaks {
		c.Offset, c.Section, c.Cause, c.Lost = br.Offset, br.Section, br.Cause, br.Lost
	}
	return c
}

// Delta returns the change of all tokens.
func (t Tokens) Delta() int { return t.B - t.A }
