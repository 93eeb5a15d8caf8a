package stage_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/stage"
)

func TestToolOrder(t *testing.T) {
	tests := []struct {
		name  string
		order []string
		tools []string
		known []string // nil: those of tools
		want  []string // "name index"; the index is that of tools
		codes []string
	}{
		{"no order sorts by bytes", nil, []string{"zeta", "alpha", "mu", "Beta"}, nil, []string{"Beta 3", "alpha 1", "mu 2", "zeta 0"}, nil},
		{"the marker alone", []string{stage.Unlisted}, []string{"z", "a"}, nil, []string{"a 1", "z 0"}, nil},
		{"listed before, rest, listed behind", []string{"todo", stage.Unlisted, "bash"}, []string{"bash", "b", "todo", "a"}, nil,
			[]string{"todo 2", "a 3", "b 1", "bash 0"}, nil},
		{"every tool of a name in collection order", []string{"dup", stage.Unlisted}, []string{"dup", "x", "dup", "a"}, nil,
			[]string{"dup 0", "dup 2", "a 3", "x 1"}, nil},
		{"unlisted ones of one name too", []string{stage.Unlisted}, []string{"dup", "x", "dup"}, nil, []string{"dup 0", "dup 2", "x 1"}, nil},
		{"known but hidden", []string{"bash", stage.Unlisted}, []string{"read"}, []string{"bash", "read"}, []string{"read 0"}, nil},
		{"shown but not known", []string{"read", stage.Unlisted}, []string{"read"}, []string{}, []string{"read 0"}, []string{"tool.order_unknown"}},
		{"the marker may be a known name", []string{stage.Unlisted}, []string{"a"}, []string{stage.Unlisted, "a"}, []string{"a 0"}, nil},
		{"a tool called like the marker fails first", []string{"ghost", stage.Unlisted}, []string{"b", stage.Unlisted, "a"}, nil,
			[]string{"b 0", "<unlisted-tools> 1", "a 2"}, []string{"tool.reserved_name", "tool.order_unknown"}},
		{"without a marker", []string{"b"}, []string{"b", "a"}, nil, []string{"b 0", "a 1"}, []string{"tool.order_marker"}},
		{"a name twice", []string{"b", stage.Unlisted, "b"}, []string{"b", "a"}, nil, []string{"b 0", "a 1"}, []string{"tool.order_duplicate"}},
		{"no tools", nil, nil, nil, []string{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := prompt.Assembly{Tools: tools(tt.tools...), Known: tt.known}
			if tt.known == nil {
				a.Known = slices.Sorted(slices.Values(tt.tools))
			}
			got, err := stage.ToolOrder(tt.order).Apply(prompt.Input{}, a)
			names := []string{}
			for _, s := range got.Tools {
				names = append(names, s.Description)
			}
			diff(t, "tools", names, tt.want)
			if tt.codes == nil {
				tt.codes = []string{}
			}
			diff(t, "codes", codes(err), tt.codes)
			diff(t, "argument", a.Tools, tools(tt.tools...))
		})
	}
}

func TestToolOrderUnknown(t *testing.T) {
	order := []string{"wraith", "ghost", stage.Unlisted, "read"}
	_, err := stage.ToolOrder(order).Apply(prompt.Input{}, prompt.Assembly{Tools: tools("read", "Zed"), Known: []string{"Zed", "bash", "read"}})
	want := `the tool order names tools that do not exist: "wraith", "ghost"; known tools: "Zed", "bash", "read"`
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got error %v, want …%s", err, want)
	}
	_, err = stage.ToolOrder(order[1:3]).Apply(prompt.Input{}, prompt.Assembly{})
	if err == nil || !strings.HasSuffix(err.Error(), `"ghost"; known tools: none`) {
		t.Errorf("got error %v", err)
	}
}

func TestToolOrderTies(t *testing.T) {
	a := prompt.Assembly{Tools: tools("～", "😀", "z")}
	diff(t, "bytes", toolNames(apply(t, stage.ToolOrder(nil), prompt.Input{}, a)), []string{"z", "～", "😀"})
	in := prompt.Input{Ties: prompt.Ties{Names: prompt.ByUTF16}}
	diff(t, "UTF-16", toolNames(apply(t, stage.ToolOrder(nil), in, a)), []string{"z", "😀", "～"})
}

func TestToolOrderNothingToDo(t *testing.T) {
	a := prompt.Assembly{Tools: tools("b", "a", "c"), Known: []string{"a", "b", "c"}}
	st := stage.ToolOrder([]string{"b", stage.Unlisted})
	untouched(t, a, apply(t, st, prompt.Input{}, a))
	noAllocs(t, st, a)
}

func TestToolOrderOwnsItsList(t *testing.T) {
	order := []string{"b", stage.Unlisted}
	st := stage.ToolOrder(order)
	order[0] = "ghost"
	diff(t, "tools", toolNames(apply(t, st, prompt.Input{}, prompt.Assembly{Tools: tools("a", "b"), Known: []string{"a", "b"}})), []string{"b", "a"})
}

func TestCheckOrder(t *testing.T) {
	for _, good := range [][]string{nil, {}, {stage.Unlisted}, {"a", stage.Unlisted, "b"}} {
		if err := stage.CheckOrder(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	err := stage.CheckOrder([]string{"a", "a", "b"})
	diff(t, "codes", codes(err), []string{"tool.order_duplicate", "tool.order_marker"})
	var fault prompt.Fault
	if !errors.As(err, &fault) || fault.Stage != "tool-order" {
		t.Errorf("got %+v", fault)
	}
}

func BenchmarkToolOrder(b *testing.B) {
	var names []string
	for i := range 100 {
		names = append(names, string(rune('a'+i*7%26))+strings.Repeat("x", i%5))
	}
	a := prompt.Assembly{Tools: tools(names...), Known: names}
	st := stage.ToolOrder([]string{names[3], stage.Unlisted, names[0]})
	b.ReportAllocs()
	for b.Loop() {
		apply(b, st, prompt.Input{}, a)
	}
}
