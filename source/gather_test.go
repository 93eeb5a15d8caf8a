package source_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
)

// finder knows sources by name.
type finder map[string]source.Source

func (f finder) Source(fact string) (source.Source, bool) {
	s, ok := f[fact]
	return s, ok
}

func diff(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

func says(s string, after time.Duration) source.Source {
	return source.Func(func(ctx context.Context, _ source.Query) (prompt.Fact, error) {
		select {
		case <-time.After(after):
			return prompt.Fact{Text: s}, nil
		case <-ctx.Done():
			return prompt.Fact{}, ctx.Err()
		}
	})
}

// never ignores its context.
var never = source.Func(func(context.Context, source.Query) (prompt.Fact, error) { select {} })

func get(t testing.TB, f *prompt.Facts, name string) prompt.Fact {
	t.Helper()
	out, ok := f.Get(name)
	if !ok {
		t.Fatalf("there is no fact %s", name)
	}
	return out
}

func TestGatherTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		find, needs := finder{"text": source.Text("t"), "none": source.None}, []string{"none", "text"}
		for i := range 50 {
			name := fmt.Sprintf("s%02d", i)
			find[name], needs = says(name, time.Second), append(needs, name)
		}
		slices.Sort(needs)
		start := time.Now()
		facts := source.Gather(t.Context(), needs, find, source.Query{}, 0, nil)
		if took := time.Since(start); took != time.Second {
			t.Errorf("50 sources of a second took %v", took)
		}
		diff(t, "names", facts.Names(), needs)
		diff(t, "text", get(t, facts, "text"), prompt.Fact{Text: "t"})
		diff(t, "none", get(t, facts, "none"), prompt.Fact{None: true})
		diff(t, "s49", get(t, facts, "s49"), prompt.Fact{Text: "s49"})
	})
}

func TestGatherTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		deaf := source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
			<-release
			return prompt.Fact{Text: "too late"}, nil
		})
		late := source.Func(func(ctx context.Context, _ source.Query) (prompt.Fact, error) {
			<-ctx.Done()
			return prompt.Fact{Text: "from the cache"}, nil
		})
		start := time.Now()
		facts := source.Gather(t.Context(), []string{"deaf", "fast", "late", "obeys"},
			finder{"deaf": deaf, "fast": says("f", 0), "late": late, "obeys": says("x", time.Hour)}, source.Query{}, 100*time.Millisecond, nil)
		if took := time.Since(start); took > 200*time.Millisecond {
			t.Errorf("a limit of 100ms took %v", took)
		}
		for _, name := range []string{"deaf", "obeys"} {
			if err := get(t, facts, name).Err; !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: got %v", name, err)
			}
		}
		if err := get(t, facts, "deaf").Err; err == nil || !strings.Contains(err.Error(), "no answer within 100ms") {
			t.Errorf("got %v", err)
		}
		diff(t, "fast", get(t, facts, "fast").Text, "f")
		diff(t, "one that answers when it is cancelled", get(t, facts, "late").Text, "from the cache")
		close(release)
		synctest.Wait()
		diff(t, "a late answer changes nothing", get(t, facts, "deaf").Text, "")
	})
}

func TestGatherDefaultTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		facts := source.Gather(t.Context(), []string{"slow"}, finder{"slow": says("x", time.Hour)}, source.Query{}, 0, nil)
		if get(t, facts, "slow").Err == nil || time.Since(start) < source.DefaultTimeout {
			t.Errorf("gave up after %v", time.Since(start))
		}
	})
}

// A context that is done already stops nobody from answering.
func TestGatherCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("the user left")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		var saw error
		asked := source.Func(func(ctx context.Context, _ source.Query) (prompt.Fact, error) {
			saw = ctx.Err()
			return prompt.Fact{Text: "cached"}, nil
		})
		release := make(chan struct{})
		deaf := source.Func(func(context.Context, source.Query) (prompt.Fact, error) { <-release; return prompt.Fact{}, nil })
		facts := source.Gather(ctx, []string{"asked", "deaf", "text"}, finder{"asked": asked, "deaf": deaf, "text": source.Text("t")}, source.Query{}, 0, nil)
		diff(t, "asked", get(t, facts, "asked"), prompt.Fact{Text: "cached"})
		diff(t, "text", get(t, facts, "text").Text, "t")
		if !errors.Is(saw, context.Canceled) {
			t.Errorf("the source saw %v", saw)
		}
		if err := get(t, facts, "deaf").Err; !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
		close(release)
	})
}

func TestGatherFailures(t *testing.T) {
	down := errors.New("down")
	find := finder{
		"fails":  source.Func(func(context.Context, source.Query) (prompt.Fact, error) { return prompt.Fact{Ref: "/f"}, down }),
		"panics": source.Func(func(context.Context, source.Query) (prompt.Fact, error) { panic("oops") }),
		"nil":    source.Func(nil),
		"says":   source.Func(func(context.Context, source.Query) (prompt.Fact, error) { return prompt.Fact{Err: down}, nil }),
	}
	facts := source.Gather(t.Context(), []string{"fails", "missing", "nil", "panics", "says"}, find, source.Query{}, 0, nil)
	for name, want := range map[string]string{
		"fails": "down", "says": "down", "panics": "its source panicked: oops", "missing": "fact missing: no source provides it",
	} {
		if err := get(t, facts, name).Err; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	if err := get(t, facts, "nil").Err; err == nil || !strings.Contains(err.Error(), "panicked") {
		t.Errorf("nil: got %v", err)
	}
	if !errors.Is(get(t, facts, "missing").Err, source.ErrUnknown) {
		t.Error("an unknown fact cannot be told apart")
	}
	diff(t, "what is known of a failed one", get(t, facts, "fails").Ref, "/f")
}

func TestGatherQuery(t *testing.T) {
	var mu sync.Mutex
	got := map[string]source.Query{}
	src := source.Func(func(_ context.Context, q source.Query) (prompt.Fact, error) {
		mu.Lock()
		defer mu.Unlock()
		got[q.Fact] = q
		return prompt.Fact{}, nil
	})
	q := source.Query{Fact: "ignored", Lineage: []string{"a", "b"}, Who: prompt.Who{User: "u"}, Turn: 3, Step: 4, Preview: true}
	source.Gather(t.Context(), []string{"x", "y"}, finder{"x": src, "y": src}, q, 0, nil)
	want := map[string]source.Query{}
	for _, n := range []string{"x", "y"} {
		w := q
		w.Fact = n
		want[n] = w
	}
	diff(t, "queries", got, want)
}

// What did not change is the same value, and if nothing did, so is the whole.
func TestGatherIdentity(t *testing.T) {
	var n atomic.Int64
	find := finder{
		"text": source.Text("t"),
		"same": source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
			return prompt.Fact{Docs: []prompt.Doc{{Name: "d", Text: strings.Repeat("x", 3)}}}, nil
		}),
		"moves": source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
			return prompt.Fact{Text: fmt.Sprint(n.Load())}, nil
		}),
		"fails": source.Func(func(context.Context, source.Query) (prompt.Fact, error) { return prompt.Fact{}, errors.New("down") }),
	}
	needs := []string{"fails", "moves", "same", "text", "unknown"}
	first := source.Gather(t.Context(), needs, find, source.Query{}, 0, nil)
	if source.Gather(t.Context(), needs, find, source.Query{}, 0, first) != first {
		t.Error("nothing changed, and the facts are others")
	}
	n.Add(1)
	second := source.Gather(t.Context(), needs, find, source.Query{}, 0, first)
	a, b := get(t, first, "same"), get(t, second, "same")
	if second == first || &a.Docs[0] != &b.Docs[0] {
		t.Error("a fact that did not change was replaced, or one that did was not")
	}
	diff(t, "old", get(t, first, "moves").Text, "0")
	diff(t, "new", get(t, second, "moves").Text, "1")
}

// C85: what is optional is left out and said; what is required stops the prompt.
func TestContributorFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		section := func(name string, order float64, required bool) prompt.SectionDef {
			return prompt.SectionDef{Name: name, Order: order, Required: required, Body: prompt.Body{Fact: name}}
		}
		s, err := prompt.NewSnapshot(1, prompt.Layer{Sections: []prompt.SectionDef{section("policy", 1, true), section("rag", 2, false)}})
		if err != nil {
			t.Fatal(err)
		}
		assemble := func(find finder) (prompt.Assembly, error) {
			facts := source.Gather(t.Context(), prompt.Needs(s, nil), find, source.Query{}, 100*time.Millisecond, nil)
			return prompt.Assemble(s, prompt.Input{Facts: facts})
		}
		a, err := assemble(finder{"policy": says("Be careful.", time.Millisecond), "rag": says("found", time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		diff(t, "system", a.Render(prompt.System), "Be careful.")
		if len(a.Diagnostics) != 1 || a.Diagnostics[0].Code != "section.failed" || a.Diagnostics[0].Severity != prompt.Warning {
			t.Errorf("got diagnostics %v", a.Diagnostics)
		}
		_, err = assemble(finder{"policy": says("", time.Second), "rag": source.Text("found")})
		var faults prompt.Faults
		if !errors.As(err, &faults) || faults[0].Code != "section.failed" || faults[0].Section != "policy" || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// A source that never returns costs its goroutine and nothing more.
func TestGatherLeavesNothingElse(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		source.Gather(t.Context(), []string{"a", "b"}, finder{"a": says("x", 0), "b": source.None}, source.Query{}, time.Second, nil)
	}
	source.Gather(t.Context(), []string{"never"}, finder{"never": never}, source.Query{}, time.Millisecond, nil)
	for range 100 {
		if runtime.NumGoroutine() <= before+1 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
