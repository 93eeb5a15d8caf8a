package cache

import "fmt"

// MaxBreaks is how many breaks a report describes; the figures count all.
const MaxBreaks = 100

// An Analyzer looks at the requests of a run, one after the other. Its cost is
// about that of reading a body once; texts that were there before are not counted
// again. It keeps every text once. It is not safe for concurrent use.
type Analyzer struct {
	count    func(string) int
	contents map[string]*content
	caches   map[string]*node // by model
	last     *prompt

	report                  Report
	kept, keepable          int // tokens of LCP(k, k+1), and of all but the last request
	hits                    [4]int
	openAI, anthropic, deep int // tokens found
	possible                int // tokens that a run which only grows would find
	bound                   Costs
}

// blocks are the sizes for which hits are counted.
var blocks = [4]int{1, 16, 64, 128}

// New returns an analyzer. Count counts the tokens of a text; it is called once
// for each text that is new.
func New(count func(string) int) *Analyzer {
	return &Analyzer{count: count, contents: map[string]*content{}, caches: map[string]*node{}}
}

// Add takes the next request. An error says that the body is none and leaves the
// analyzer as it was.
func (a *Analyzer) Add(r Recorded) error {
	p, err := a.read(r)
	if err != nil {
		if r.Name == "" {
			r.Name = fmt.Sprintf("request %d", a.report.Requests+1)
		}
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	a.report.Requests++
	a.report.Input += p.tokens
	tree := a.caches[p.model]
	if tree == nil {
		tree = &node{}
		a.caches[p.model] = tree
	}
	common := tree.common(p.pieces) // before the answer to the last one is known
	reusable := 0                   // if it began with the whole of the one before
	answered := 0                   // tokens of the answer to it
	if a.last != nil {
		reusable, answered = a.follow(tree, p)
	}
	a.ask(tree, p, common)
	a.ideal(p.tokens, reusable, answered)
	a.last = p
	return nil
}

func (a *Analyzer) read(r Recorded) (*prompt, error) {
	h, err := readHead(r)
	if err != nil {
		return nil, err
	}
	rd := reader{head: h, contents: a.contents, count: a.count}
	if a.last != nil {
		rd.before, rd.body = a.last.pieces, a.last.Body
	}
	rd.read()
	limit(h.pieces)
	return &h.prompt, nil
}

// follow compares a prompt with the one before. It returns how many tokens it
// could have had in common with it, and how many of the answer to that.
func (a *Analyzer) follow(tree *node, p *prompt) (reusable, answered int) {
	before := a.last
	a.keepable += before.tokens
	at := meet(before, p)
	a.kept += tokens(before.pieces, at, a.count)
	if at.whole == len(before.pieces) {
		a.report.AppendOnly++
		end := at.whole // of the answer
		for end < len(p.pieces) && p.pieces[end].answer {
			answered += p.pieces[end].tokens
			end++
		}
		if end > at.whole {
			tree.end(p.pieces, place{whole: end})
		}
	} else {
		a.broke(before, p, at)
	}
	return min(before.tokens, p.tokens), answered
}

// meet returns how far a prompt is that of the request before. Two models have
// nothing in common.
func meet(before, p *prompt) place {
	if before.model != p.model {
		return place{}
	}
	for i := range before.pieces {
		if i == len(p.pieces) {
			return place{whole: i}
		}
		if b, n := before.pieces[i].content, p.pieces[i].content; b != n {
			return place{i, b.shared(n)}
		}
	}
	return place{whole: len(before.pieces)}
}

// ask asks each cache for a prompt, of which earlier ones have so much in common.
func (a *Analyzer) ask(tree *node, p *prompt, common place) {
	n := tokens(p.pieces, common, a.count)
	for i, size := range blocks {
		a.hits[i] += stepped(n, size)
	}
	hit := stepped(n, step)
	a.openAI += hit
	a.report.costs.OpenAI += readOpenAI*float64(hit) + float64(p.tokens-hit)

	found := tokens(p.pieces, tree.units(p.pieces, common), a.count)
	a.deep += found
	a.report.costs.DeepSeek += readDeepSeek*float64(found) + float64(p.tokens-found)

	nodes := tree.add(p.pieces)
	if len(nodes) > 0 {
		nodes[len(nodes)-1].unit = true
	}
	pieces := p.pieces
	if p.dialect != "anthropic" {
		pieces = assume(pieces)
	}
	hit, cost := breakpoints(pieces, nodes)
	a.anthropic += hit
	a.report.costs.Anthropic += cost
}

// ideal adds what the request would have cost if it had begun with the whole of
// the one before.
func (a *Analyzer) ideal(n, reusable, answered int) {
	a.possible += reusable
	hit := stepped(reusable, step)
	a.bound.OpenAI += readOpenAI*float64(hit) + float64(n-hit)
	hit = min(reusable+answered, n)
	a.bound.DeepSeek += readDeepSeek*float64(hit) + float64(n-hit)
	hit = stepped(reusable, 1)
	write := float64(n - hit)
	if n >= least {
		write *= write5m
	}
	a.bound.Anthropic += readAnthropic*float64(hit) + write
}

// Report returns what was found so far. CostOverBound compares with the same
// requests if each had begun with the whole of the one before; see
// [Report.Against] for another bound.
func (a *Analyzer) Report(preset string) Report {
	r, all := a.report, float64(a.report.Input)
	r.Preset = preset
	r.Retained = ratio(float64(a.kept), float64(a.keepable))
	r.Misses = r.Input - a.hits[0]
	part := func(n int) float64 {
		if all == 0 {
			return 0
		}
		return ratio(float64(n), all)
	}
	r.Best = part(a.possible)
	r.Hit = Hit{part(a.hits[0]), part(a.hits[1]), part(a.hits[2]), part(a.hits[3]), part(a.openAI), part(a.anthropic), part(a.deep)}
	r.CostOverBound = r.costs.over(a.bound)
	r.Breaks = append([]Break{}, a.report.Breaks...)
	return r
}
