package sessiontest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
)

// testText stores what has broken line-based logs before.
func testText(t *testing.T, s session.Store) {
	var log []session.Event
	for i, text := range []string{
		"\u2028", "a\u2029b", "\u0085", "\n\r\n", "\x00", "\x1e", "\x7f", "}\n{", `"\`, "<&>", "😀", "\ufeffx", "\ufffd", "", " ",
	} {
		m := chat.TextMessage(chat.User, span.Of(text, &span.Origin{Path: text, Trust: span.Tool}))
		log = append(log, session.Event{Seq: uint64(i) + 1, Time: t0, Kind: session.Input, Message: &m})
	}
	add(t, s, "a", 0, log...)
	want(t, s, "a", log)
}

func testLarge(t *testing.T, s session.Store) {
	text := strings.Repeat("0123456789abcde\n", 1<<20/16)
	m := chat.ResultMessage(chat.ToolResult{ID: "c", Name: "cat", Text: span.Of(text, nil)})
	log := []session.Event{Inputs(0, 1)[0], {Seq: 2, Time: t0, Kind: session.Result, Message: &m}, Inputs(2, 1)[0]}
	for i := range log {
		add(t, s, "a", uint64(i), log[i])
	}
	want(t, s, "a", log)
}

func testBadIDs(t *testing.T, s session.Store) {
	for _, id := range []string{"", ".", "..", "../a", "a/b", `a\b`, "a.b", "a b", "ä", "a\x00", "a\n", strings.Repeat("a", 65)} {
		if err := s.Append(t.Context(), id, 0, Inputs(0, 1)...); err == nil {
			t.Errorf("append to %q: no error", id)
		}
		if _, err := Read(t.Context(), s, id); err == nil {
			t.Errorf("events of %q: no error", id)
		}
		if d, ok := s.(session.Deleter); ok {
			if err := d.Delete(t.Context(), id); err == nil {
				t.Errorf("delete of %q: no error", id)
			}
		}
	}
	// Ids that differ in case only are two sessions on every file system.
	ids := []string{strings.Repeat("a", 64), strings.Repeat("A", 64), "-", "_0", "Ab", "aB", "ab"}
	for i, id := range ids {
		add(t, s, id, 0, Inputs(0, i+1)...)
	}
	for i, id := range ids {
		want(t, s, id, Inputs(0, i+1))
	}
}

func testCancelled(t *testing.T, s session.Store) {
	add(t, s, "a", 0, Inputs(0, 3)...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	var last error
	for _, err := range s.Events(ctx, "a") {
		n++
		last = err
		cancel()
	}
	if n != 2 || !errors.Is(last, context.Canceled) {
		t.Errorf("cancelled while reading: %d items, the last with %v, want 2 and context.Canceled", n, last)
	}
	if err := s.Append(ctx, "a", 3, Inputs(3, 1)...); !errors.Is(err, context.Canceled) {
		t.Errorf("append: got %v, want context.Canceled", err)
	}
	want(t, s, "a", Inputs(0, 3))
}

func testEarlyBreak(t *testing.T, s session.Store) {
	add(t, s, "a", 0, Inputs(0, 3)...)
	events := s.Events(t.Context(), "a")
	for range 2 { // the sequence can be used again
		for e, err := range events {
			if err != nil || e.Seq != 1 {
				t.Errorf("first event: got %d, %v", e.Seq, err)
			}
			break
		}
	}
	// A reader that stays in its loop does not keep writers out.
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq == 1 {
			add(t, s, "a", 3, Inputs(3, 1)...)
		}
	}
	want(t, s, "a", Inputs(0, 4))
}

func testList(t *testing.T, s session.Store) {
	l, ok := s.(session.Lister)
	if !ok {
		t.Skip("not a session.Lister")
	}
	for _, id := range []string{"b", "a", "C"} {
		add(t, s, id, 0, Inputs(0, 1)...)
	}
	s.Append(t.Context(), "moved", 7, Inputs(7, 1)...)
	if _, err := Read(t.Context(), s, "only-read"); err != nil {
		t.Fatal(err)
	}
	infos, err := l.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range infos {
		got = append(got, i.ID)
	}
	if d := cmp.Diff(got, []string{"C", "a", "b"}); d != "" {
		t.Errorf("ids (-got +want):\n%s", d)
	}
}

func testDelete(t *testing.T, s session.Store) {
	d, ok := s.(session.Deleter)
	if !ok {
		t.Skip("not a session.Deleter")
	}
	add(t, s, "a", 0, Inputs(0, 3)...)
	add(t, s, "b", 0, Inputs(0, 1)...)
	for range 2 {
		if err := d.Delete(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
	want(t, s, "a", nil)
	want(t, s, "b", Inputs(0, 1))
	add(t, s, "a", 0, Inputs(0, 2)...)
	want(t, s, "a", Inputs(0, 2))
}
