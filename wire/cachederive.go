package wire

import (
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
)

// lookback is how many content blocks before a breakpoint a provider compares
// with what it keeps.
const lookback = 20

// derive places the breakpoints by the classes of the sections. If they are too
// many, the first is left out later.
func (p *planner) derive() {
	ttl := p.r.Cache.TTL
	p.points = make([]CachePoint, 0, 5)
	stable, session := p.runs()
	last := p.kept(len(p.msgs))
	before := p.requestBefore(last)
	if len(p.r.Tools) > 0 {
		p.add(CacheHint{Place: AfterTools, TTL: ttl}, 0)
	}
	if stable >= 0 {
		p.add(CacheHint{Place: AfterSection, Section: p.part(stable).Name, TTL: ttl}, stable)
	}
	if session > stable {
		p.add(CacheHint{Place: AfterSection, Section: p.part(session).Name, TTL: ttl}, session)
	}
	if before >= 0 {
		p.add(CacheHint{Place: AfterMessage, Back: last - before, TTL: ttl}, before)
	}
	if last >= 0 {
		p.add(CacheHint{Place: AfterMessage, TTL: ttl}, last)
	}
}

// runs returns the last of the leading stable sections, and of the leading
// sections that do not change within a session; -1: there is none.
func (p *planner) runs() (stable, session int) {
	stable, session = -1, -1
	for i := 0; ; i++ {
		part := p.part(i)
		switch {
		case part == nil || part.Class == prompt.Turn:
			return stable, session
		case part.Text.IsBlank():
		case part.Class == prompt.Stable && stable == session:
			stable, session = i, i
		default:
			session = i
		}
	}
}

// requestBefore returns the message at which the request before ended, if so
// much has come since that the provider would not find it by looking back from
// the last one; otherwise -1. It may cost the breakpoint of the tools, which those
// of the sections cover.
func (p *planner) requestBefore(last int) int {
	blocks := 0
	for i := last; i >= 0; i-- {
		if blocks += len(p.msgs[i].Parts); p.msgs[i].Role == chat.Assistant {
			if at := p.kept(i); blocks >= lookback {
				return at
			}
			return -1
		}
	}
	return -1
}
