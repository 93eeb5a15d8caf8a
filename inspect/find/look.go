package find

import (
	"strings"

	"github.com/proemhq/proem/span"
)

// around is how many bytes of an excerpt stand on each side of the text.
const around = 40

// look returns where a text of a request holds the one that is looked for; nil: it
// does not. from is the origin of spans that have none.
func (s *Searcher) look(t span.Text, from *span.Origin) *Place {
	whole := t.String()
	found := s.text.FindAllStringIndex(whole, -1)
	if len(found) == 0 {
		return nil
	}
	lo, hi := found[0][0], found[0][1]
	p := &Place{Count: len(found), Offset: span.NoOffset, Excerpt: excerpt(whole, lo, hi)}
	at := 0
	for _, sp := range t {
		if lo >= at+len(sp.Text) {
			at += len(sp.Text)
			continue
		}
		if sp.From != nil {
			from = sp.From
		}
		if sp.Off != span.NoOffset {
			p.Offset = int(sp.Off) + lo - at
		}
		break
	}
	if from != nil {
		p.Source, p.Path, p.Stage = from.Source, from.Path, from.Stage
	}
	return p
}

// excerpt returns the line around a range, shortened.
func excerpt(text string, lo, hi int) string {
	begin := strings.LastIndexByte(text[:lo], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[hi:], '\n'); i >= 0 {
		end = hi + i
	}
	before, after := "", ""
	if lo-begin > around {
		begin, before = lo-around, "…"
	}
	if end-hi > around {
		end, after = hi+around, "…"
	}
	if hi-lo > 4*around {
		return before + strings.ToValidUTF8(text[begin:lo+2*around], "") + "…" + strings.ToValidUTF8(text[hi-around:end], "") + after
	}
	return before + strings.ToValidUTF8(text[begin:end], "") + after
}
