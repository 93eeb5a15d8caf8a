package prefix_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/providertest/internal/prefix"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// words returns a text of n words, each of which is a token here.
func words(name string, n int) string { return strings.Repeat(name+" ", n) }

func count(s string) int { return len(strings.Fields(s)) }

func blocks(texts ...string) []prefix.Block {
	out := make([]prefix.Block, len(texts))
	for i, s := range texts {
		out[i] = prefix.Block{Text: strings.TrimSuffix(strings.TrimSuffix(s, "|5m"), "|1h")}
		for _, mark := range []string{"5m", "1h"} {
			if strings.HasSuffix(s, "|"+mark) {
				out[i].Mark = mark
			}
		}
	}
	return out
}

func TestSteps(t *testing.T) {
	s := prefix.New(prefix.Steps, 0, count)
	a, b := words("a", 900), words("b", 300)
	for i, c := range []struct {
		prompt []prefix.Block
		want   prefix.Hit
	}{
		{blocks(a, b), prefix.Hit{Input: 1200}},
		{blocks(a, b, "more"), prefix.Hit{Input: 1201, Cached: 1152}},
		{blocks(a, "other"), prefix.Hit{Input: 901}},                            // under the minimum
		{blocks(a, words("b", 250)+"c"), prefix.Hit{Input: 1151, Cached: 1024}}, // inside a block
		{blocks("x", a, b), prefix.Hit{Input: 1201}},
		{blocks(a, b), prefix.Hit{Input: 1200, Cached: 1152}},
	} {
		if diff := cmp.Diff(s.Ask(c.prompt, t0), c.want); diff != "" {
			t.Errorf("prompt %d: (-got +want)\n%s", i, diff)
		}
	}
}

func TestBreakpoints(t *testing.T) {
	s := prefix.New(prefix.Breakpoints, 0, count)
	sys := words("s", 1100)
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprint("m", i))
	}
	for _, c := range []struct {
		name   string
		at     time.Duration
		prompt []prefix.Block
		want   prefix.Hit
	}{
		{"too small", 0, blocks("tool|5m", "x"), prefix.Hit{Input: 2}},
		{"no breakpoint", 0, blocks("tool", sys), prefix.Hit{Input: 1101}},
		{"first", 0, blocks("tool|5m", sys+"|1h", "u1|5m"), prefix.Hit{Input: 1102, Written: 1102, WrittenLong: 1101}},
		{"append", time.Minute, blocks("tool", sys+"|1h", "u1", "a1", "u2|5m"), prefix.Hit{Input: 1104, Cached: 1102, Written: 2}},
		{"without a breakpoint", time.Minute, blocks("tool", sys, "u1", "a1", "u2", "z"), prefix.Hit{Input: 1105}},
		{"nineteen later", time.Minute, blocks(append([]string{"tool", sys, "u1", "a1", "u2"}, append(many[:18:18], "end|5m")...)...), prefix.Hit{Input: 1123, Cached: 1104, Written: 19}},
		{"twenty later", time.Minute, blocks(append([]string{"tool", sys, "u1", "a1", "u2"}, append(many[1:20:20], "other|5m")...)...), prefix.Hit{Input: 1124, Written: 1124}},
		{"the short ones are gone", 10 * time.Minute, blocks("tool", sys+"|1h", "u1|5m"), prefix.Hit{Input: 1102, Cached: 1101, Written: 1}},
		{"all are gone", 3 * time.Hour, blocks("tool", sys+"|1h", "u1"), prefix.Hit{Input: 1102, Written: 1101, WrittenLong: 1101}},
	} {
		if diff := cmp.Diff(s.Ask(c.prompt, t0.Add(c.at)), c.want); diff != "" {
			t.Errorf("%s: (-got +want)\n%s", c.name, diff)
		}
	}
}

func TestUnits(t *testing.T) {
	s := prefix.New(prefix.Units, 0, count)
	ask := func(texts ...string) int {
		b := blocks(texts...)
		hit := s.Ask(b, t0)
		s.Answered(b, prefix.Block{Text: "answer " + texts[len(texts)-1]})
		return hit.Cached
	}
	for i, c := range []struct {
		texts []string
		want  int
	}{
		{[]string{"sys sys", "u1"}, 0},
		{[]string{"sys sys", "u1", "answer u1", "u2"}, 5}, // the end of the output
		{[]string{"sys sys", "u1", "answer else"}, 3},     // the end of the input
		{[]string{"sys sys", "v1"}, 0},                    // no unit ends behind the system text yet
		{[]string{"sys sys", "w1"}, 2},                    // now one does
		{[]string{"sys other"}, 0},
	} {
		if got := ask(c.texts...); got != c.want {
			t.Errorf("prompt %d: got %d, want %d", i, got, c.want)
		}
	}
}

func TestNone(t *testing.T) {
	s := prefix.New(prefix.None, 0, count)
	for range 2 {
		if diff := cmp.Diff(s.Ask(blocks(words("a", 3000)), t0), prefix.Hit{Input: 3000}); diff != "" {
			t.Errorf("(-got +want)\n%s", diff)
		}
	}
}
