package wire

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
)

// Cache says which prefixes of a request a provider is asked to keep. It matters
// to protocols with breakpoints; others cache by themselves, and know only
// Options.CacheKey. The zero value derives the breakpoints: at the end of the
// tools, of the leading stable sections, of the leading sections that last a
// session, and of the last message that stays in the history.
type Cache struct {
	Off bool // no breakpoints
	// TTL is how long derived breakpoints last.
	TTL TTL
	// Hints replace the derived breakpoints. Their order does not matter.
	Hints []CacheHint
}

// TTL is how long a provider keeps a prefix after its last use.
type TTL uint8

// The lifetimes.
const (
	TTL5m TTL = iota // five minutes, what providers do unless they are told
	TTL1h            // an hour; writing costs more
)

// String returns the name used in configuration and by providers: "5m" or "1h".
func (t TTL) String() string {
	if t == TTL1h {
		return "1h"
	}
	return "5m"
}

// ParseTTL returns the lifetime with the given name.
func ParseTTL(name string) (TTL, error) {
	for _, t := range []TTL{TTL5m, TTL1h} {
		if t.String() == name {
			return t, nil
		}
	}
	return 0, fmt.Errorf("unknown lifetime %q: one of 5m, 1h", name)
}

// CachePlace says what stands before a breakpoint.
type CachePlace uint8

// The places, in the order in which providers read a request.
const (
	AfterTools   CachePlace = iota // the tools
	AfterSection                   // these, and the text channels up to a section
	AfterMessage                   // these, and the conversation up to a message
)

// A CacheHint asks for a breakpoint.
type CacheHint struct {
	Place   CachePlace
	Section string // AfterSection: the name of a part of the system or instructions channel
	// Back counts messages for AfterMessage: 0 is the last one that stays in the
	// history, 1 the one before it.
	Back int
	TTL  TTL
}

// name returns what people call the place.
func (h CacheHint) name() string {
	switch {
	case h.Place == AfterTools:
		return "tools"
	case h.Place == AfterSection && h.Section != "":
		return h.Section
	case h.Place == AfterSection:
		return "a section without a name"
	case h.Back == 0:
		return "last message"
	}
	return fmt.Sprintf("message %d before the last", h.Back)
}

// A CachePoint is a breakpoint with its place in a request.
type CachePoint struct {
	CacheHint
	// At is the index of the section, in the system parts followed by the
	// instructions, or of the message.
	At int
}

// A Breakpoint is a breakpoint in a body.
type Breakpoint struct {
	Name   string // "tools", the name of a section, or "last message"
	Lo, Hi int    // the bytes that mark it; without them the body asks the same of the model
	TTL    TTL
}

// Transient is the name of messages that are sent once and not kept, such as the
// reminder. No breakpoint stands behind one.
const Transient = "reminder"

// CodeCacheDropped is the code of a breakpoint that was asked for and is not sent.
const CodeCacheDropped = "wire.cache_dropped"

// bytesPerToken is how tokens are estimated, to compare with CacheMin: a prefix
// that is close to the minimum may be judged wrongly, which costs nothing but
// the marker or the cache entry.
const bytesPerToken = 4

// PlanCache decides where the breakpoints of a request stand, in ascending
// order. Msgs is the conversation as it is sent; carries tells which of its
// messages can carry a breakpoint.
//
// Left out, and reported if a hint asked for it: a breakpoint with fewer tokens
// before it than the model caches, estimated as a quarter of the bytes; one that
// lasts shorter than another behind it, which providers refuse; and the first
// ones, where there are more than the model takes.
func PlanCache(r *Request, msgs []chat.Message, carries func(*chat.Message) bool) ([]CachePoint, []Loss) {
	p := planner{r: r, msgs: msgs, carries: carries, asked: len(r.Cache.Hints) > 0}
	most := r.Capability.Breakpoints
	switch {
	case r.Cache.Off:
		return nil, nil
	case most == 0:
		if p.asked {
			p.lose(prompt.Info, "no cache breakpoints are sent: this model is not known to take them")
		}
		return nil, p.losses
	case p.asked:
		p.locate(r.Cache.Hints)
	default:
		p.derive()
	}
	p.large()
	p.lasting()
	if n := len(p.points) - most; n > 0 {
		p.drop(p.points[:n], fmt.Sprintf("the model takes %d", most))
		p.points = p.points[n:]
	}
	return p.points, p.losses
}

type planner struct {
	r       *Request
	msgs    []chat.Message
	carries func(*chat.Message) bool
	asked   bool // by hints
	points  []CachePoint
	losses  []Loss
}

func (p *planner) lose(sev prompt.Severity, message string) {
	p.losses = append(p.losses, NewLoss(sev, CodeCacheDropped, message, nil))
}

func (p *planner) drop(points []CachePoint, why string) {
	for i := range points {
		if p.asked {
			p.lose(prompt.Warning, fmt.Sprintf("the cache breakpoint after %s is not sent: %s", points[i].name(), why))
		}
	}
}

func (p *planner) add(h CacheHint, at int) { p.points = append(p.points, CachePoint{h, at}) }

// part returns a part of the text channels, or nil behind the last.
func (p *planner) part(i int) *prompt.Part {
	if n := len(p.r.System); i < n {
		return &p.r.System[i]
	} else if i -= n; i < len(p.r.Instructions) {
		return &p.r.Instructions[i]
	}
	return nil
}

// kept returns the last message before end that stays and can carry a
// breakpoint, or -1.
func (p *planner) kept(end int) int {
	for i := end - 1; i >= 0; i-- {
		if p.msgs[i].Name != Transient && p.carries(&p.msgs[i]) {
			return i
		}
	}
	return -1
}

// locate finds the places that hints ask for.
func (p *planner) locate(hints []CacheHint) {
	for _, h := range hints {
		at := -1
		switch h.Place {
		case AfterTools:
			at = min(len(p.r.Tools), 1) - 1
		case AfterSection:
			at = p.section(h.Section)
		case AfterMessage:
			at = p.kept(len(p.msgs))
			for range h.Back {
				at = p.kept(at)
			}
		}
		if at < 0 {
			p.drop([]CachePoint{{CacheHint: h}}, "the request has no such place")
			continue
		}
		p.add(h, at)
	}
	slices.SortStableFunc(p.points, func(a, b CachePoint) int {
		return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.At, b.At), cmp.Compare(b.TTL, a.TTL))
	})
	p.points = slices.CompactFunc(p.points, func(a, b CachePoint) bool { return a.Place == b.Place && a.At == b.At })
}

func (p *planner) section(name string) int {
	for i := 0; ; i++ {
		switch part := p.part(i); {
		case part == nil:
			return -1
		case part.Name == name && !part.Text.IsBlank():
			return i
		}
	}
}

// large leaves out the points with too little before them. Of derived ones that
// is said only if none is left.
func (p *planner) large() {
	small := 0
	for small < len(p.points) && !p.reaches(p.points[small]) {
		small++
	}
	if small == 0 || !p.asked && small < len(p.points) {
		p.points = p.points[small:]
		return
	}
	names := make([]string, small)
	for i := range names {
		names[i] = p.points[i].name()
	}
	p.lose(prompt.Info, fmt.Sprintf("no cache breakpoint after %s: the model keeps prefixes from %d tokens on",
		strings.Join(names, ", "), p.r.Capability.CacheMin))
	p.points = p.points[small:]
}

// reaches reports whether enough stands before a point to be cached. It counts
// no further than it must.
func (p *planner) reaches(pt CachePoint) bool {
	least, n := p.r.Capability.CacheMin*bytesPerToken, 0
	for i := range p.r.Tools {
		t := &p.r.Tools[i]
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	if pt.Place == AfterTools {
		return n >= least
	}
	for i := 0; n < least && (pt.Place != AfterSection || i <= pt.At); i++ {
		part := p.part(i)
		if part == nil {
			break
		}
		n += part.Text.Len()
	}
	for i := 0; n < least && pt.Place == AfterMessage && i <= pt.At; i++ {
		n += weight(&p.msgs[i])
	}
	return n >= least
}

const imageWeight = 1000 * bytesPerToken

func weight(m *chat.Message) int {
	n := 0
	for i := range m.Parts {
		part := &m.Parts[i]
		n += part.Text.Len()
		if part.Call != nil {
			n += len(part.Call.Name) + len(part.Call.Args)
		}
		if part.Result != nil {
			n += part.Result.Text.Len() + imageWeight*len(part.Result.Images)
		}
		if part.Image != nil {
			n += imageWeight
		}
	}
	return n
}

// lasting leaves out points that last shorter than one behind them.
func (p *planner) lasting() {
	out := p.points[:0]
	for i, pt := range p.points {
		later := slices.ContainsFunc(p.points[i+1:], func(q CachePoint) bool { return q.TTL > pt.TTL })
		if later {
			p.drop([]CachePoint{pt}, fmt.Sprintf("one that lasts longer than %s follows it", pt.TTL))
			continue
		}
		out = append(out, pt)
	}
	p.points = out
}
