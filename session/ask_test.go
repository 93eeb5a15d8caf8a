package session_test

import (
	"slices"
	"testing"

	"github.com/proemhq/proem/session"
)

// asking returns a log in which the call a waits, with what follows.
func asking(more ...session.Event) []session.Event {
	log := script("in", "req", "ans:a,b")
	log = append(log, session.Event{Kind: session.Asked, Turn: 1, Ask: &session.Ask{Call: "a", Tool: "t", Digest: "d1", Rules: []string{"t"}}})
	log = append(log, more...)
	for i := range log {
		log[i].Seq = uint64(i + 1)
	}
	return log
}

func reply(call, digest, verdict string, rules ...string) session.Event {
	return session.Event{Kind: session.Replied, Turn: 1, Reply: &session.Reply{Call: call, Digest: digest, Verdict: verdict, Rules: rules}}
}

func TestFoldAsked(t *testing.T) {
	v, err := session.Fold(asking())
	if err != nil || len(v.Asked) != 1 || len(v.Replies) != 0 || len(v.Open) != 2 {
		t.Fatalf("got %+v, %v", v, err)
	}
	v, err = session.Fold(asking(reply("a", "d1", "once")))
	if err != nil || len(v.Asked) != 0 || len(v.Replies) != 1 || len(v.Granted.Calls) != 0 {
		t.Errorf("once: %+v, %v", v, err)
	}
	v, err = session.Fold(asking(reply("a", "d1", "session")))
	if err != nil || !slices.Equal(v.Granted.Calls, []string{"d1"}) {
		t.Errorf("for the session: %+v, %v", v.Granted, err)
	}
	v, err = session.Fold(asking(reply("a", "d1", "session", "t")))
	if err != nil || len(v.Granted.Calls) != 0 || !slices.Equal(v.Granted.Rules, []string{"t"}) {
		t.Errorf("by a rule: %+v, %v", v.Granted, err)
	}
	// A question asked anew takes the answer to the old one along.
	again := session.Event{Kind: session.Asked, Turn: 1, Ask: &session.Ask{Call: "a", Tool: "t", Digest: "d2"}}
	if v, err = session.Fold(asking(reply("a", "d1", "once"), again)); err != nil || len(v.Asked) != 1 || v.Asked[0].Digest != "d2" || len(v.Replies) != 0 {
		t.Errorf("asked anew: %+v, %v", v, err)
	}
}

func TestFoldAskedImpossible(t *testing.T) {
	for name, more := range map[string][]session.Event{
		"a call that is not open":   {reply("z", "d1", "once")},
		"nothing asked":             {reply("b", "d1", "once")},
		"another digest":            {reply("a", "d2", "once")},
		"no digest":                 {{Kind: session.Replied, Turn: 1, Reply: &session.Reply{Call: "a", Text: "yes"}}},
		"twice":                     {reply("a", "d1", "once"), reply("a", "d1", "once")},
		"a verdict that is none":    {reply("a", "d1", "maybe")},
		"rules for once":            {reply("a", "d1", "once", "t")},
		"a question about nothing":  {{Kind: session.Asked, Turn: 1, Ask: &session.Ask{Call: "z", Tool: "t", Digest: "d"}}},
		"a text and a digest":       {{Kind: session.Asked, Turn: 1, Ask: &session.Ask{Call: "b", Tool: "t", Digest: "d", Text: "x"}}},
		"neither text nor a digest": {{Kind: session.Asked, Turn: 1, Ask: &session.Ask{Call: "b", Tool: "t"}}},
	} {
		if _, err := session.Fold(asking(more...)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
