package providertest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/wire"
)

// A tool that the agent runs: with arguments that were cut, never; with equal
// ids, once for each call.
func TestAgentAndArguments(t *testing.T) {
	const calls = "{calls: [{tool: read_file, args: {path: a.txt}}, {tool: grep, args: {x: 12}}]}"
	const yaml = "turns: [" + calls + ", {text: done, expect: {result_contains: %q}}, " + calls + ", {text: done}]"
	each(t, func(t *testing.T, d wire.Dialect) {
		const args = `{"x":12}`
		for n := range len(args) {
			if n == 0 && d.Name == "anthropic" {
				continue // no arguments at all are an empty object there
			}
			s := serve(t, fmt.Sprintf(yaml, "not run"), providertest.Fault{At: 1, Kind: providertest.CutArguments, N: n})
			a, fakes := newAgent(t, s.Model(d))
			answer, _, err := run(t.Context(), a, "s", "go")
			if err != nil || answer != "done" || len(fakes[0].ran) != 1 || len(fakes[1].ran) != 0 {
				t.Errorf("cut at %d: got %q, %v, ran %q", n, answer, err, fakes[1].ran)
			}
		}
		s := serve(t, fmt.Sprintf(yaml, "result of grep"), providertest.Fault{Kind: providertest.SameIDs})
		a, fakes := newAgent(t, s.Model(d))
		for _, in := range []string{"go", "again"} {
			answer, _, err := run(t.Context(), a, "s", in)
			if err != nil || answer != "done" {
				t.Errorf("%s: got %q, %v", in, answer, err)
			}
		}
		if len(fakes[0].ran) != 2 || len(fakes[1].ran) != 2 {
			t.Errorf("ran %q, %q", fakes[0].ran, fakes[1].ran)
		}
	})
}

// A turn through every fault of one request: it ends well, or says why.
func TestAgentAndFaults(t *testing.T) {
	each(t, func(t *testing.T, d wire.Dialect) {
		for _, c := range []struct {
			fault providertest.Fault
			want  string // the answer, or a part of the error
			size  int    // of the arguments, at least
		}{
			{providertest.Fault{At: 2, Kind: providertest.Status, Status: 529}, "done", 0},
			{providertest.Fault{At: 2, Kind: providertest.Reset}, "done", 0},
			{providertest.Fault{At: 2, Kind: providertest.StreamError}, "done", 0},
			{providertest.Fault{Kind: providertest.NoUsage}, "done", 2 << 20},
			{providertest.Fault{At: 1, Kind: providertest.LongLines, N: 1 << 20}, "done", 0},
			{providertest.Fault{Kind: providertest.Chunk, N: 7}, "done", 1000},
			{providertest.Fault{Kind: providertest.ContextLength}, "", 0},
			{providertest.Fault{At: 2, Kind: providertest.Filter}, "", 0},
		} {
			s := serve(t, "turns: [{calls: [{tool: grep, args: {x: "+strings.Repeat("x", c.size+1)+"}}]}, {text: done}]", c.fault)
			a, fakes := newAgent(t, s.Model(d))
			answer, stop, err := run(t.Context(), a, "s", "go")
			if err != nil {
				answer = err.Error()
			}
			if c.fault.Kind == providertest.ContextLength {
				if stop != agent.StopContext || err != nil || len(s.Requests()) != 1 {
					t.Errorf("too long, and nothing to make shorter: got %q, %v after %d requests", stop, err, len(s.Requests()))
				}
				continue
			}
			if c.want == "" && answer != "" || !strings.Contains(answer, c.want) {
				t.Errorf("%+v: got %.80q (%s), want %q", c.fault, answer, stop, c.want)
			}
			if n := len(s.Requests()); n > 3 {
				t.Errorf("%+v: %d requests", c.fault, n)
			}
			if err == nil && (len(fakes[1].ran) != 1 || len(fakes[1].ran[0]) < c.size) {
				t.Errorf("%+v: %d calls", c.fault, len(fakes[1].ran))
			}
		}
	})
}
