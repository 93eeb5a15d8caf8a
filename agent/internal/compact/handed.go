package compact

import (
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
)

// HandedSource is the source of the span that introduces a document which was
// handed over with a result. The document goes on to the end of the text or to the
// next such span; the section of the span is its name.
const HandedSource = "generated:nested"

func isHanded(s span.Span) bool { return s.From != nil && s.From.Source == HandedSource }

// before returns the length of the text before the documents.
func before(t span.Text) int {
	n := 0
	for _, s := range t {
		if isHanded(s) {
			break
		}
		n += len(s.Text)
	}
	return n
}

// Handed returns the documents that the first messages hand over, each once and
// in their order: they are instructions, and no summary stands for them.
func Handed(v session.View, at int) span.Text {
	var out span.Text
	seen := map[string]bool{}
	for i, msg := range v.Messages[:at] {
		if k := v.Places[i].Kind; k != session.Result && k != session.RanResult && k != session.Compacted {
			continue
		}
		for _, p := range msg.Parts {
			t := p.Text
			if p.Result != nil {
				t = p.Result.Text
			}
			take := false
			for _, s := range t {
				if isHanded(s) {
					take = !seen[s.From.Section]
					seen[s.From.Section] = true
					if take && len(out) == 0 {
						s.Text = strings.TrimLeft(s.Text, "\n")
					} else if take && !strings.HasPrefix(s.Text, "\n") {
						s.Text = "\n\n" + s.Text
					}
				}
				if take {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// Names returns the names of the documents that a message hands over.
func Names(msg chat.Message) []string {
	var out []string
	for _, p := range msg.Parts {
		t := p.Text
		if p.Result != nil {
			t = p.Result.Text
		}
		for _, s := range t {
			if isHanded(s) {
				out = append(out, s.From.Section)
			}
		}
	}
	return out
}
