package wire

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
)

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
