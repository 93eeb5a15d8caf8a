package stage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
)

// Unlisted is the place of the tools that an order does not name. No tool may
// have this name.
const Unlisted = "<unlisted-tools>"

// ToolOrder returns a stage that sorts the tools. Each name in order stands for
// every tool of that name, as they were collected; [Unlisted] stands for all
// others, sorted by name under the input's ties. An empty order sorts all by
// name. A name that is known but not shown at present is simply absent.
//
// Faults: tool.reserved_name (a tool is called like the marker);
// tool.order_unknown (one fault for all names that no tool is known by); those
// of [CheckOrder]. With a fault the tools stay as they are.
func ToolOrder(order []string) prompt.Stage {
	o := newToolOrder(order)
	return prompt.Stage{
		Name:  "tool-order",
		Doc:   "sorts the tools: those listed as listed, the others by name",
		Local: true, // no section is looked at
		Apply: o.apply,
	}
}

// CheckOrder returns what is wrong with an order by itself, whatever tools there
// are: faults tool.order_duplicate and tool.order_marker (a list that is not
// empty must hold [Unlisted]). It returns nil for a good one.
func CheckOrder(order []string) error {
	var faults prompt.Faults
	seen := make(map[string]bool, len(order))
	for _, name := range order {
		if seen[name] {
			faults = append(faults, prompt.Fault{Code: "tool.order_duplicate", Stage: "tool-order",
				Message: fmt.Sprintf("the tool order names %q more than once", name)})
		}
		seen[name] = true
	}
	if len(order) > 0 && !seen[Unlisted] {
		faults = append(faults, prompt.Fault{Code: "tool.order_marker", Stage: "tool-order",
			Message: fmt.Sprintf("the tool order lacks %q, the place of the tools it does not name", Unlisted)})
	}
	if len(faults) > 0 {
		return faults
	}
	return nil
}

type toolOrder struct {
	names []string // without the marker
	rank  map[string]int
	rest  int   // the rank of what is not listed
	err   error // of CheckOrder
}

func newToolOrder(order []string) *toolOrder {
	o := &toolOrder{rank: make(map[string]int, len(order)), err: CheckOrder(order)}
	for i, name := range order {
		if name == Unlisted {
			o.rest = i
			continue
		}
		o.names = append(o.names, name)
		o.rank[name] = i
	}
	return o
}

func (o *toolOrder) apply(in prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
	if faults := o.check(a); len(faults) > 0 {
		return a, faults
	}
	compare := func(x, y chat.ToolSpec) int {
		i, listed := o.rankOf(x.Name)
		j, _ := o.rankOf(y.Name)
		if i != j || listed {
			return cmp.Compare(i, j)
		}
		return in.Ties.Names.Compare(x.Name, y.Name)
	}
	if slices.IsSortedFunc(a.Tools, compare) {
		return a, nil
	}
	a.Tools = slices.Clone(a.Tools)
	slices.SortStableFunc(a.Tools, compare)
	return a, nil
}

func (o *toolOrder) rankOf(name string) (rank int, listed bool) {
	if i, ok := o.rank[name]; ok {
		return i, true
	}
	return o.rest, false
}

// check returns the faults of the order with the tools there are. The reserved
// name comes first.
func (o *toolOrder) check(a prompt.Assembly) prompt.Faults {
	var faults prompt.Faults
	for i := range a.Tools {
		if a.Tools[i].Name == Unlisted {
			faults = append(faults, prompt.Fault{Code: "tool.reserved_name", Stage: "tool-order", Path: path(a.Tools[i].From),
				Message: fmt.Sprintf("a tool is named %q, which marks a place in the tool order; rename it", Unlisted)})
		}
	}
	if more, ok := o.err.(prompt.Faults); ok {
		faults = append(faults, more...)
	}
	var unknown []string
	for _, name := range o.names {
		if !slices.Contains(a.Known, name) && !slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		faults = append(faults, prompt.Fault{Code: "tool.order_unknown", Stage: "tool-order",
			Message: fmt.Sprintf("the tool order names tools that do not exist: %s; known tools: %s", quoted(unknown), knownNames(a.Known))})
	}
	return faults
}

func knownNames(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if !slices.IsSorted(names) {
		names = slices.Sorted(slices.Values(names))
	}
	return quoted(names)
}

func quoted(names []string) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", n)
	}
	return b.String()
}
