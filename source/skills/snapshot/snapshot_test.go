package snapshot_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/skills/skillstest"
	"github.com/proemhq/proem/source/skills/snapshot"
	"github.com/proemhq/proem/source/skills/tree"
	"github.com/proemhq/proem/span"
)

func of(version string, files map[string]string) *snapshot.Tree {
	t := &snapshot.Tree{Path: "/there", Version: version}
	for name, text := range files {
		t.Files = append(t.Files, tree.Bytes(name, []byte(text)))
	}
	return t
}

func skill(name string) map[string]string {
	return map[string]string{name + "/SKILL.md": "---\nname: " + name + "\ndescription: d\n---\nbody\n"}
}

func TestRepository(t *testing.T) {
	skillstest.Run(t, func(_ *testing.T, files map[string]string) skills.Repository {
		return snapshot.New(snapshot.Config{Trust: span.User, Fetch: func(context.Context, *snapshot.Tree) (*snapshot.Tree, error) {
			return of("1", files), nil
		}})
	})
}

// seen returns the names and the codes of the diagnostics.
func seen(t *testing.T, r skills.Repository) string {
	t.Helper()
	l, err := r.List(context.Background(), prompt.Who{})
	if err != nil {
		return "error: " + err.Error()
	}
	var out []string
	for _, s := range l.Skills {
		out = append(out, s.Name)
	}
	for _, d := range l.Diagnostics {
		out = append(out, d.Code)
	}
	return strings.Join(out, " ")
}

func version(t *testing.T, r skills.Repository) string {
	t.Helper()
	v, err := r.Version(context.Background(), prompt.Who{})
	filetest.Must(t, err)
	return v
}

// TestFailures: a failure keeps the last good state, says so, and is not repeated
// at once; the next success takes the warning away.
func TestFailures(t *testing.T) {
	clock := env.NewFakeClock(time.Unix(0, 0))
	var next *snapshot.Tree
	bad, calls := errors.New("no connection"), 0
	fail := bad
	r := snapshot.New(snapshot.Config{Env: &env.Env{Clock: clock}, Every: time.Minute, Fetch: func(context.Context, *snapshot.Tree) (*snapshot.Tree, error) {
		calls++
		return next, fail
	}})
	var got []string
	look := func(after time.Duration) {
		clock.Advance(after)
		got = append(got, seen(t, r))
	}
	look(0)
	look(time.Second) // not asked again yet
	next, fail = of("1", skill("a")), nil
	look(5 * time.Second)
	good := version(t, r)
	next, fail = nil, bad
	look(time.Second)
	look(time.Minute)
	if stale := version(t, r); stale == good {
		t.Error("a listing with a warning has the version of one without")
	}
	look(4 * time.Second)
	next, fail = of("2", skill("b")), nil
	look(2 * time.Second)
	want := []string{"error: no connection", "error: no connection", "a", "a", "a skill.stale", "a skill.stale", "b"}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
	if calls != 4 {
		t.Errorf("%d fetches", calls)
	}
}

// TestBackOff: the more failures in a row, the rarer the attempts, up to the
// usual interval.
func TestBackOff(t *testing.T) {
	clock, calls := env.NewFakeClock(time.Unix(0, 0)), 0
	r := snapshot.New(snapshot.Config{Env: &env.Env{Clock: clock}, Every: time.Minute, Fetch: func(context.Context, *snapshot.Tree) (*snapshot.Tree, error) {
		calls++
		return nil, errors.New("down")
	}})
	for range 600 {
		seen(t, r)
		clock.Advance(time.Second)
	}
	if calls < 12 || calls > 14 {
		t.Errorf("%d attempts in ten minutes", calls)
	}
}

// TestUnchanged: the same tree is not listed again.
func TestUnchanged(t *testing.T) {
	var reads atomic.Int32
	one := &snapshot.Tree{Files: []tree.File{{Name: "a/SKILL.md", Read: func() ([]byte, error) {
		reads.Add(1)
		return []byte(skill("a")["a/SKILL.md"]), nil
	}}}}
	r := snapshot.New(snapshot.Config{Fetch: func(_ context.Context, last *snapshot.Tree) (*snapshot.Tree, error) {
		if last != nil && last != one {
			t.Error("another tree comes back")
		}
		return one, nil
	}})
	for range 5 {
		if got := seen(t, r); got != "a" {
			t.Fatal(got)
		}
		version(t, r)
	}
	if n := reads.Load(); n != 1 {
		t.Errorf("%d reads", n)
	}
}

// TestPatience: who has a state does not wait for a slow fetch, which goes on; who
// has none waits as long as there is time.
func TestPatience(t *testing.T) {
	gate := make(chan struct{})
	var slow atomic.Bool
	r := snapshot.New(snapshot.Config{Fetch: func(ctx context.Context, last *snapshot.Tree) (*snapshot.Tree, error) {
		if slow.Load() {
			<-gate
			return of("2", skill("b")), ctx.Err()
		}
		return of("1", skill("a")), nil
	}})
	first := func(r skills.Repository) (string, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		l, err := r.List(ctx, prompt.Who{})
		if err != nil {
			return "", err
		}
		return l.Skills[0].Name, nil
	}
	if got := seen(t, r); got != "a" {
		t.Fatal(got)
	}
	slow.Store(true)
	if got, err := first(r); got != "a" {
		t.Error(got, err)
	}
	close(gate)
	for end := time.Now().Add(5 * time.Second); seen(t, r) != "b" && time.Now().Before(end); {
	}
	if got := seen(t, r); got != "b" {
		t.Error(got)
	}
	hang := snapshot.New(snapshot.Config{Timeout: 50 * time.Millisecond, Fetch: func(ctx context.Context, _ *snapshot.Tree) (*snapshot.Tree, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	if _, err := first(hang); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if got := seen(t, hang); !strings.HasPrefix(got, "error") { // its own time is over
		t.Error(got)
	}
}

func TestPanic(t *testing.T) {
	r := snapshot.New(snapshot.Config{Fetch: func(context.Context, *snapshot.Tree) (*snapshot.Tree, error) { panic("oh") }})
	if got := seen(t, r); !strings.Contains(got, "panicked: oh") {
		t.Error(got)
	}
}

// TestProblems: a file that is left out is told, with the path of the tree.
func TestProblems(t *testing.T) {
	files := skill("a")
	files["../x"] = "OUT"
	r := snapshot.New(snapshot.Config{Fetch: func(context.Context, *snapshot.Tree) (*snapshot.Tree, error) { return of("1", files), nil }})
	if got := seen(t, r); got != "a "+snapshot.CodeFile {
		t.Error(got)
	}
}

// TestSet: a repository that cannot be read hides no other.
func TestSet(t *testing.T) {
	down := snapshot.New(snapshot.Config{Fetch: func(context.Context, *snapshot.Tree) (*snapshot.Tree, error) {
		return nil, errors.New("down")
	}})
	up := skills.NewMemory(span.User)
	filetest.Must(t, up.Put("a", map[string]string{"SKILL.md": skill("a")["a/SKILL.md"]}))
	set := skills.New(skills.Config{Tiers: []skills.Tier{{Scope: "down", Repo: down}, {Scope: "up", Repo: up}}})
	c, err := set.Catalog(context.Background(), prompt.Who{})
	filetest.Must(t, err)
	if len(c.Entries) != 1 || len(c.Diagnostics) != 1 || c.Diagnostics[0].Code != "skill.repository" || !strings.Contains(c.Diagnostics[0].Message, "scope down") {
		t.Errorf("%+v", c)
	}
}

// TestTogether: many who ask at the same time share a fetch.
func TestTogether(t *testing.T) {
	var running, most atomic.Int32
	r := snapshot.New(snapshot.Config{Fetch: func(context.Context, *snapshot.Tree) (*snapshot.Tree, error) {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer running.Add(-1)
		time.Sleep(time.Millisecond)
		return of("1", skill("a")), nil
	}})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 10 {
				if got := seen(t, r); got != "a" {
					t.Error(got)
				}
			}
		})
	}
	wg.Wait()
	if most.Load() != 1 {
		t.Errorf("%d fetches at the same time", most.Load())
	}
}
