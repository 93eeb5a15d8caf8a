package reliability_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/session"
)

const steps = 40

// cuts are how many bytes of a write arrive before the process dies; the last is
// all of them. 0 is a death before the write, or before any other effect.
var cuts = []int{0, 1, 7, 60, 150, 1 << 30}

// childKill continues the session and kills itself at an effect.
func childKill(dir string, n []int) error {
	fail := &env.Failpoints{At: n[0], Do: func(kind env.Effect, _ string) error {
		if n[1] > 0 && kind == env.EffectWrite {
			return &env.ShortWrite{N: n[1], Err: env.ErrInjected, Then: killSelf}
		}
		killSelf()
		return nil
	}}
	ctx := context.Background()
	w, err := open(dir, steps, fail, n[2] == 0)
	if err != nil {
		return err
	}
	in, err := input(dir)
	if err != nil {
		return err
	}
	return w.run(ctx, in, func(seq uint64) { fmt.Println(seq) })
}

// a golden is what a session is when nothing interrupts it.
type golden struct {
	events  []session.Event
	bytes   []byte
	bodies  []string
	effects int
	writes  []bool // which of the effects are writes, from 0
}

func uninterrupted(t testing.TB, steps int, noSync bool) golden {
	t.Helper()
	dir := t.TempDir()
	var g golden
	fail := &env.Failpoints{At: 1, After: true, Do: func(kind env.Effect, _ string) error {
		g.writes = append(g.writes, kind == env.EffectWrite)
		return nil
	}}
	w, err := open(dir, steps, fail, noSync)
	must(t, err)
	defer w.store.Close()
	must(t, w.run(t.Context(), agent.Text(goOn), nil))
	g.effects = fail.Hits()
	g.events, err = read(t.Context(), w.store)
	must(t, err)
	g.writes = g.writes[:g.effects] // reading it here is no effect of the session
	g.bytes, g.bodies = journal(t, dir), w.model.bodies
	if n := len(g.bodies); n != steps {
		t.Fatalf("%d requests, want %d", n, steps)
	}
	return g
}

// tally counts over all kills.
type tally struct {
	kills, unknown, same, sameBut atomic.Int64
}

func acknowledged(out string) int { return strings.Count(out, "\n") }

// afterKill looks at what a killed process left, goes on in this one, and looks
// again.
func afterKill(t testing.TB, what, dir string, acked int, g *golden, noSync bool, sum *tally) {
	t.Helper()
	left := journal(t, dir)
	if !bytes.HasPrefix(g.bytes, left) {
		t.Errorf("%s: the log is no prefix of the log that was to be written", what)
	}
	w, err := open(dir, steps, nil, noSync)
	must(t, err)
	defer w.store.Close()
	survived, err := read(t.Context(), w.store)
	must(t, err)
	if len(survived) < acked {
		t.Errorf("%s: I1: %d events were acknowledged, %d survived", what, acked, len(survived))
	}
	checkEvents(t, what+": I2", g.events, survived)
	view, err := session.Fold(survived)
	must(t, err)
	answers := 0
	for i := range view.Messages {
		if view.Messages[i].Role == chat.Assistant {
			answers++
		}
	}
	if len(view.Messages) == 0 || answers < steps {
		in, err := input(dir)
		must(t, err)
		must(t, w.run(t.Context(), in, nil))
	}
	resumed, err := read(t.Context(), w.store)
	must(t, err)
	checkResumed(t, what, dir, survived, resumed)
	checkBodies(t, what, w.model.bodies, g.bodies[min(answers, len(g.bodies)):], outcomesOf(resumed), sum)
	must(t, w.run(t.Context(), agent.Text("and now?"), nil))
	last, err := read(t.Context(), w.store)
	must(t, err)
	checkResumed(t, what+", next turn", dir, resumed, last)
}

// checkResumed checks a session that went on after a kill.
func checkResumed(t testing.TB, what, dir string, before, after []session.Event) {
	t.Helper()
	checkEvents(t, what+": I1", after, before)
	if err := checkPaired(after); err != nil {
		t.Errorf("%s: I3: %v", what, err)
	}
	if err := checkOnce(after, ran(t, dir)); err != nil {
		t.Errorf("%s: I4: %v", what, err)
	}
	// A call that had begun before the kill, and had no result, is unknown.
	was, is := outcomesOf(before), outcomesOf(after)
	for call := range was.begun {
		if !was.done[call] && !was.unknown[call] && !was.notRun[call] && !is.unknown[call] {
			t.Errorf("%s: I4: %s was begun and its result does not say that its outcome is unknown", what, call)
		}
	}
}

// checkBodies compares the requests after a kill with those of the session that was
// not interrupted (I5). Where the outcome of a call is unknown its result differs,
// and nothing else.
func checkBodies(t testing.TB, what string, got, want []string, o outcomes, sum *tally) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d requests after the kill, want %d", what, len(got), len(want))
		return
	}
	sum.unknown.Add(int64(len(o.unknown)))
	other := maps.Clone(o.unknown)
	maps.Copy(other, o.notRun)
	for i := range got {
		switch {
		case len(other) == 0 && got[i] == want[i]:
			sum.same.Add(1)
		case len(other) > 0 && blank(t, got[i], other) == blank(t, want[i], other):
			sum.sameBut.Add(1)
		default:
			t.Errorf("%s: I5: request %d of those after the kill differs:\n%s\n%s", what, i+1, got[i], want[i])
			return
		}
	}
}

// TestKill kills a session of 40 steps at each of its effects, and each write at
// several of its bytes, and goes on in another process.
func TestKill(t *testing.T) {
	for _, noSync := range pick([]bool{true}, []bool{true, false}) { // fsync is an effect more for each write
		start := time.Now()
		g := uninterrupted(t, steps, noSync)
		type point struct{ at, cut int }
		var points []point
		for i, write := range g.writes {
			for _, cut := range cuts {
				if cut == 0 || write && (noSync || cut == 60) {
					points = append(points, point{i + 1, cut})
				}
			}
		}
		if !*full { // every so many, so that each kind is met
			every := 43
			if raced {
				every = 101
			}
			var some []point
			for i := 0; i < len(points); i += every {
				some = append(some, points[i])
			}
			points = some
		}
		var sum tally
		parallel(t, len(points), func(t testing.TB, i int) {
			dir, remove := scratch(t)
			defer remove()
			p := points[i]
			out, killed := output(t, process(t.Context(), "kill", dir, p.at, p.cut, sync01(noSync)))
			if !killed {
				t.Errorf("effect %d did not take place", p.at)
				return
			}
			sum.kills.Add(1)
			afterKill(t, fmt.Sprintf("killed at effect %d, %d bytes", p.at, p.cut), dir, acknowledged(out), &g, noSync, &sum)
		})
		synced := "without fsync"
		if !noSync {
			synced = "with fsync"
		}
		report(t, fmt.Sprintf("SIGKILL at %d points of a session of %d steps with %d effects, %s", len(points), steps, g.effects, synced),
			"0 violations of I1 to I4 in %d kills; %d outcomes said to be unknown; of %d requests after a kill %d equal those of the uninterrupted session byte for byte, %d but for the result that says unknown or not run; %.0f s",
			sum.kills.Load(), sum.unknown.Load(), sum.same.Load()+sum.sameBut.Load(), sum.same.Load(), sum.sameBut.Load(), time.Since(start).Seconds())
	}
}

func sync01(noSync bool) int {
	if noSync {
		return 0
	}
	return 1
}

// TestKillAgain kills a session again and again, at effects chosen at random, until
// it comes to its end.
func TestKillAgain(t *testing.T) {
	chains := pick(4, 200)
	start := time.Now()
	var sum tally
	parallel(t, chains, func(t testing.TB, i int) {
		dir, remove := scratch(t)
		defer remove()
		r := rand.New(rand.NewPCG(*seed, uint64(i)))
		var before []session.Event
		for n := 0; ; n++ {
			at, cut := 1+r.IntN(40), cuts[r.IntN(len(cuts))]
			what := fmt.Sprintf("seed %d, chain %d, kill %d at effect %d, %d bytes", *seed, i, n, at, cut)
			out, killed := output(t, process(t.Context(), "kill", dir, at, cut, 0))
			store, err := open(dir, steps, nil, true)
			must(t, err)
			after, err := read(t.Context(), store.store)
			must(t, err)
			must(t, store.store.Close())
			if n := len(before) + acknowledged(out); len(after) < n {
				t.Errorf("%s: I1: %d events survived, %d were acknowledged", what, len(after), n)
			}
			checkEvents(t, what+": I2", after, before)
			if err := checkOnce(after, ran(t, dir)); err != nil {
				t.Errorf("%s: I4: %v", what, err)
			}
			before = after
			if !killed {
				break
			}
			sum.kills.Add(1)
			if t.Failed() || n > 1000 {
				t.Errorf("%s: given up", what)
				return
			}
		}
		if err := checkPaired(before); err != nil {
			t.Errorf("chain %d: I3: %v", i, err)
		}
		sum.unknown.Add(int64(len(outcomesOf(before).unknown)))
	})
	report(t, fmt.Sprintf("%d sessions, each killed with SIGKILL at random effects and bytes until it came to its end", chains),
		"0 violations in %d kills; %d outcomes said to be unknown; %.0f s", sum.kills.Load(), sum.unknown.Load(), time.Since(start).Seconds())
}
