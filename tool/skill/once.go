package skill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// loadedSource is the source of the line below a text that says when it was
// loaded. Files cannot write it: it is found by its origin.
const loadedSource = tool.LoadedSource

// A loading is a text that the history holds.
type loading struct {
	turn    int
	version string
}

// line says that a text was loaded. [find] reads it.
func (l loading) line(ref string) span.Text {
	return span.OfGenerated(fmt.Sprintf("\nLoaded at turn %d, version %s.", l.turn, l.version), &span.Origin{Section: "skill:" + ref, Source: loadedSource})
}

// find returns the last loading of a text, or false if the history has none.
func find(history []chat.Message, ref string) (last loading, found bool) {
	for _, m := range history {
		for _, res := range m.Results() {
			for _, s := range res.Text {
				if s.From == nil || s.From.Source != loadedSource || s.From.Section != "skill:"+ref {
					continue
				}
				var l loading
				if _, err := fmt.Sscanf(strings.TrimSpace(s.Text), "Loaded at turn %d, version %s", &l.turn, &l.version); err == nil {
					l.version = strings.TrimSuffix(l.version, ".")
					last, found = l, true
				}
			}
		}
	}
	return last, found
}

// once returns what to say of a text: all of it, with a line by which it is found
// again, or only where it stands if the history has the same.
func once(ctx context.Context, in request, ref string, text span.Text) span.Text {
	h, ok := tool.HistoryOf(ctx)
	if !ok {
		return text
	}
	sum := sha256.Sum256([]byte(text.String()))
	now := loading{h.Turn, hex.EncodeToString(sum[:6])}
	before, found := find(h.Messages, ref)
	switch {
	case found && before.version == now.version:
		return note(fmt.Sprintf("%s is already loaded at turn %d and did not change since: do as it says there.", shown(ref), before.turn))
	case twin(h, in):
		return note(fmt.Sprintf("%s is loaded by a call before this one.", shown(ref)))
	case found:
		text = append(text, note(fmt.Sprintf("\n%s was changed: the text loaded at turn %d is out of date; this one holds instead.", shown(ref), before.turn))...)
	}
	return append(text, now.line(ref)...)
}

// twin reports whether the answer asks for the same before, in a call that runs at
// the same time.
func twin(h tool.History, in request) bool {
	calls, done := []chat.ToolCall(nil), map[string]bool{}
	for _, m := range h.Messages {
		if c := m.Calls(); len(c) > 0 {
			calls, done = c, map[string]bool{}
		}
		for _, res := range m.Results() {
			done[res.ID] = true
		}
	}
	for _, c := range calls {
		if c.ID == h.Call {
			return false
		}
		if other, err := parse(c.Args); c.Name == Name && !done[c.ID] && err == nil && other == in {
			return true
		}
	}
	return false
}
