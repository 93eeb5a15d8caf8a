package prompt

import (
	"bytes"
	"slices"

	"github.com/proemhq/proem/chat"
)

// ChangeKind says what happened to a section, tool or variable.
type ChangeKind string

// The kinds of changes. A section can be changed and moved at once: that is two
// changes.
const (
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	Changed ChangeKind = "changed" // its text, schema or value
	Moved   ChangeKind = "moved"   // among those that both assemblies have
)

// A Change is one difference between two assemblies.
type Change struct {
	Kind    ChangeKind
	What    string // "section", "tool" or "variable"
	Name    string
	Channel Channel // of a section
	Before  string  // the text, description and schema, or value; empty if added
	After   string  // likewise; empty if removed
}

// Diff compares two assemblies: sections by channel, then tools, then variables,
// each in the order of b with what was removed in the place it had in a. Equal
// assemblies give nil.
func Diff(a, b Assembly) []Change {
	var out []Change
	for ch := range Channels {
		out = append(out, diffItems("section", ch, sectionItems(a, ch), sectionItems(b, ch))...)
	}
	out = append(out, diffItems("tool", 0, toolItems(a.Tools), toolItems(b.Tools))...)
	return append(out, diffItems("variable", 0, varItems(a.Vars), varItems(b.Vars))...)
}

// An item is anything with a name and a text. Names may repeat: the n-th of one
// name is compared with the n-th.
type item struct {
	name string
	nth  int
	text string
}

func number(items []item) []item {
	seen := map[string]int{}
	for i := range items {
		items[i].nth = seen[items[i].name]
		seen[items[i].name]++
	}
	return items
}

func sectionItems(a Assembly, ch Channel) []item {
	var out []item
	for _, s := range a.Sections {
		if s.Channel == ch {
			out = append(out, item{name: s.Name, text: s.Text.String()})
		}
	}
	return number(out)
}

func toolItems(tools []chat.ToolSpec) []item {
	out := make([]item, len(tools))
	for i, t := range tools {
		out[i] = item{name: t.Name, text: t.Description + "\n" + string(bytes.TrimSpace(t.Parameters))}
	}
	return number(out)
}

func varItems(vars []Var) []item {
	out := make([]item, len(vars))
	for i, v := range vars {
		out[i] = item{name: v.Name, text: v.Value}
		if v.None {
			out[i].text = "(no value)"
		}
	}
	return number(out)
}

func diffItems(what string, ch Channel, a, b []item) []Change {
	type key struct {
		name string
		nth  int
	}
	inA, inB := make(map[key]int, len(a)), make(map[key]int, len(b))
	for i, x := range a {
		inA[key{x.name, x.nth}] = i
	}
	for i, x := range b {
		inB[key{x.name, x.nth}] = i
	}
	// Of what both have, the longest run in a common order did not move.
	var places []int // in a, in the order of b
	for _, x := range b {
		if i, ok := inA[key{x.name, x.nth}]; ok {
			places = append(places, i)
		}
	}
	stays := longestRun(places)

	var out []Change
	next := 0 // in a
	removed := func(until int) {
		for ; next < until; next++ {
			if _, ok := inB[key{a[next].name, a[next].nth}]; !ok {
				out = append(out, Change{Kind: Removed, What: what, Name: a[next].name, Channel: ch, Before: a[next].text})
			}
		}
	}
	for _, x := range b {
		i, ok := inA[key{x.name, x.nth}]
		if !ok {
			out = append(out, Change{Kind: Added, What: what, Name: x.name, Channel: ch, After: x.text})
			continue
		}
		removed(max(next, i))
		if !slices.Contains(stays, i) {
			out = append(out, Change{Kind: Moved, What: what, Name: x.name, Channel: ch, Before: a[i].text, After: x.text})
		}
		if a[i].text != x.text {
			out = append(out, Change{Kind: Changed, What: what, Name: x.name, Channel: ch, Before: a[i].text, After: x.text})
		}
	}
	removed(len(a))
	return out
}

// longestRun returns the longest ascending subsequence.
func longestRun(s []int) []int {
	var tops []int // tops[k]: index of the smallest end of a run of k+1
	prev := make([]int, len(s))
	for i, v := range s {
		k, _ := slices.BinarySearchFunc(tops, v, func(t, v int) int { return s[t] - v })
		prev[i] = -1
		if k > 0 {
			prev[i] = tops[k-1]
		}
		if k == len(tops) {
			tops = append(tops, i)
		} else {
			tops[k] = i
		}
	}
	var out []int
	if len(tops) > 0 {
		for i := tops[len(tops)-1]; i >= 0; i = prev[i] {
			out = append(out, s[i])
		}
		slices.Reverse(out)
	}
	return out
}
