package cache

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A Break is a request that does not begin with the whole of the one before.
type Break struct {
	Request int `json:"request"` // from 1
	// Offset is the first byte of its body that differs from the prompt before. What
	// is not part of the prompt, such as a breakpoint or a cache key, is not looked
	// at.
	Offset  int    `json:"offset"`
	Section string `json:"section"` // of the prompt, or "tools", "system", "message 3"
	Tokens  int    `json:"tokens"`  // behind that place: read anew, new ones included
	Lost    int    `json:"lost"`    // of these, those that the request before had
	Cause   string `json:"cause"`   // a stable word, such as "tools.added(grep)"
	Message string `json:"message"` // what happened, and what helps
	// Was and Is are bytes of the body before and of this one around the first that
	// differ. Inside of a fence they are of its text, and not of the hash in its
	// first line.
	Was string `json:"was,omitempty"`
	Is  string `json:"is,omitempty"`
}

// broke describes a break.
func (a *Analyzer) broke(before, p *prompt, at place) {
	if len(a.report.Breaks) == MaxBreaks {
		a.report.MoreBreaks++
		return
	}
	shared := tokens(p.pieces, at, a.count)
	b := Break{Request: a.report.Requests, Tokens: p.tokens - shared, Lost: before.tokens - shared}
	b.Offset = offset(before, p, at)
	c := change{before: before, p: p, at: at.whole, offset: b.Offset}
	b.Section, b.Cause, b.Message = c.explain()
	if before.model == p.model {
		b.Was, b.Is = c.excerpts()
	}
	if before.key != p.key && p.model == before.model {
		b.Message += "; the cache key changed as well"
	}
	a.report.Breaks = append(a.report.Breaks, b)
}

// offset returns the first byte of a prompt that differs from the one before.
func offset(before, p *prompt, at place) int {
	switch {
	case before.model != p.model:
		return max(p.modelAt, 0)
	case at.whole >= len(p.pieces):
		if at.whole == 0 {
			return len(p.Body)
		}
		return p.pieces[at.whole-1].hi
	}
	o, n := before.pieces[at.whole], p.pieces[at.whole]
	if o.kind != n.kind {
		from, to := o.lo, n.lo
		if at.whole > 0 {
			from, to = before.pieces[at.whole-1].hi, p.pieces[at.whole-1].hi
		}
		return to + same(before.Body[from:], p.Body[to:])
	}
	shared := same(o.bare(before.Body), n.bare(p.Body))
	if n.cutHi > 0 && n.lo+shared >= n.cutLo {
		shared += n.cutHi - n.cutLo
	}
	return min(n.lo+shared, n.hi)
}

// bare returns the bytes of a piece without what marks a breakpoint.
func (p *piece) bare(body []byte) []byte {
	if p.cutHi == 0 {
		return body[p.lo:p.hi]
	}
	return append(bytes.Clone(body[p.lo:p.cutLo]), body[p.cutHi:p.hi]...)
}

// A change is what makes two prompts differ at a piece.
type change struct {
	before, p  *prompt
	at, offset int
}

// explain returns the section in which prompts differ, the cause, and both in
// words.
func (c change) explain() (section, cause, message string) {
	if c.before.model != c.p.model {
		return "model", "model.changed", fmt.Sprintf("the model changed from %q to %q; each model has a cache of its own", c.before.model, c.p.model)
	}
	var o, n *piece
	if c.at < len(c.before.pieces) {
		o = &c.before.pieces[c.at]
	}
	if c.at < len(c.p.pieces) {
		n = &c.p.pieces[c.at]
	}
	switch {
	case isKind(o, toolPiece) || isKind(n, toolPiece):
		cause, message = c.tools()
		return "tools", cause, message
	case isKind(o, systemPiece) || isKind(n, systemPiece):
		return c.system(o, n)
	}
	cause, message = c.history()
	number := 0
	if n != nil {
		number = n.number
	} else if o != nil {
		number = o.number
	}
	section = fmt.Sprintf("message %d", number+1)
	if name := c.p.sectionAt(c.offset); name != "" {
		section = name
	}
	return section, cause, message
}

func isKind(p *piece, k kind) bool { return p != nil && p.kind == k }

// maxNamed is how many tools a cause names of each kind of change.
const maxNamed = 16

// tools says what became of the tools.
func (c change) tools() (cause, message string) {
	before, now := c.before.tools(), c.p.tools()
	find := func(list []piece, name string) *piece {
		for i := range list {
			if list[i].name == name {
				return &list[i]
			}
		}
		return nil
	}
	var added, removed, changed []string
	for _, t := range now {
		switch old := find(before, t.name); {
		case old == nil:
			added = append(added, t.name)
		case old.content != t.content:
			changed = append(changed, t.name)
		}
	}
	for _, t := range before {
		if find(now, t.name) == nil {
			removed = append(removed, t.name)
		}
	}
	var causes, words []string
	for _, x := range []struct {
		cause, words string
		names        []string
	}{{"tools.added", "new: ", added}, {"tools.removed", "gone: ", removed}, {"tools.changed", "with another description or schema: ", changed}} {
		if n := len(x.names); n > 0 {
			slices.Sort(x.names)
			if n > maxNamed {
				x.names = append(x.names[:maxNamed], fmt.Sprintf("and %d more", n-maxNamed))
			}
			causes = append(causes, x.cause+"("+strings.Join(x.names, ",")+")")
			words = append(words, x.words+strings.Join(x.names, ", "))
		}
	}
	if causes == nil {
		return "tools.order", "the same tools in another order; sort them"
	}
	return strings.Join(causes, " "), "the tools changed, " + strings.Join(words, ", ") + "; they stand before everything else, so keep them for the whole run"
}

func (p *prompt) tools() []piece {
	n := 0
	for n < len(p.pieces) && p.pieces[n].kind == toolPiece {
		n++
	}
	return p.pieces[:n]
}

// system says what became of the system text.
func (c change) system(o, n *piece) (section, cause, message string) {
	section = c.p.sectionAt(c.offset)
	was := ""
	if o != nil && n != nil {
		was = c.before.sectionAt(o.lo + max(0, c.offset-n.lo))
	} else if o != nil {
		was = c.before.sectionAt(o.lo)
	}
	here, there := c.p.sections(), c.before.sections()
	switch {
	case section != "" && was != section && !slices.Contains(there, section):
		return section, "section.added(" + section + ")", section + " is new in the system text" + frozen
	case was != "" && was != section && !slices.Contains(here, was):
		return was, "section.removed(" + was + ")", was + " is gone from the system text" + frozen
	case section != "":
		return section, "source.changed", "the text of " + section + " changed" + c.hint() + frozen
	case n == nil || n.kind != systemPiece:
		return "system", "system.removed", "system text is gone" + frozen
	case o == nil || o.kind != systemPiece:
		return "system", "system.added", "there is more system text" + frozen
	}
	return "system", "system.changed", "the system text changed" + c.hint() + frozen
}

const frozen = "; what changes belongs behind the history"

// hint looks at the word that differs.
func (c change) hint() string {
	if word := wordAt(c.p.Body, c.offset); len(word) > 0 {
		return looksLike(word)
	}
	return ""
}

// history says what became of the conversation.
func (c change) history() (cause, message string) {
	old, now := c.before.pieces[c.at:], c.p.pieces[c.at:]
	if c.before.thinking != c.p.thinking {
		return "thinking.changed", "what the request asks of reasoning changed, and with it the messages"
	}
	if c.p.chained || c.before.chained {
		return "history.chained", "the provider keeps the conversation; the body holds only what is new"
	}
	if len(now) == 0 {
		return "history.trimmed", fmt.Sprintf("the last %s are gone", count(len(old), "piece"))
	}
	if n := tail(old, now); n > 0 {
		return "tail.replaced", fmt.Sprintf("the end of the request before, %s, was not kept; no breakpoint should stand behind it", count(n, "token"))
	}
	for i := 1; i < len(old); i++ {
		if run := agree(old[i:], now); run > 0 && run >= min(2, len(old)-i) {
			return "history.trimmed", fmt.Sprintf("%s of the history, %s, left out", count(i, "piece"), count(sum(old[:i]), "token"))
		}
	}
	if len(c.p.pieces) < len(c.before.pieces) && sum(now) < sum(old)/2 {
		return "history.compacted", fmt.Sprintf("%s of history became %s", count(sum(old), "token"), count(sum(now), "token"))
	}
	return "history.edited", "a message that was sent before has another text" + c.hint()
}

// tail returns the tokens at the end of a request that were for it alone: the
// answer stands in their place, or behind the beginning of the piece they were
// joined to.
func tail(old, now []piece) int {
	for _, p := range old {
		if p.answer {
			return 0
		}
	}
	switch {
	case now[0].answer:
		return sum(old)
	case len(old) == 1 && len(now) > 1 && now[1].answer && strings.HasPrefix(old[0].text, now[0].text):
		return old[0].tokens - now[0].tokens
	}
	return 0
}

// agree returns how many pieces two lists begin with.
func agree(a, b []piece) int {
	n := 0
	for n < min(len(a), len(b)) && a[n].content == b[n].content {
		n++
	}
	return n
}

func sum(pieces []piece) (n int) {
	for _, p := range pieces {
		n += p.tokens
	}
	return n
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
