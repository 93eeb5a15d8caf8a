// Package cache says how much of a run's prompts a provider can keep in its
// cache, what that costs, and what broke it.
//
// It looks at the bodies of the requests of a run, of any program, in the
// protocols openai-chat, openai-responses and anthropic. A prompt is a list of
// pieces in the order in which providers read it: tools, system text, messages.
// An [Analyzer] takes one body after the other and reports what they have in
// common:
//
//	a := cache.New(token.Estimate.Count)
//	for _, body := range bodies {
//		if err := a.Add(cache.Recorded{Body: body}); err != nil {
//			return err
//		}
//	}
//	r := a.Report("recorded")
//	r.Retained  // 1: each request begins with the whole of the one before
//	r.Breaks    // else: which byte differs first, in which section, and why
//
// Three caches are simulated by what their providers publish: the longest common
// prefix in steps (OpenAI), prefixes that end at a breakpoint (Anthropic), and
// whole units (DeepSeek). Lifetimes are taken to hold and nothing is evicted, so
// the figures say what a design allows, not what a host did on some day.
//
// Nothing here reads files or the network. Images and sealed reasoning are
// compared, and count no tokens.
package cache

import "math"

// Schema names the form of a [File].
const Schema = "proem.cache/1"

// A File is what `proem cache --json` prints.
type File struct {
	Schema  string   `json:"schema"`
	Counter string   `json:"counter,omitempty"` // how tokens were counted
	Presets []Report `json:"presets"`
	// Bound is the run that costs are compared with; nil: each run with itself, had
	// every request begun with the whole of the one before.
	Bound *Report `json:"bound,omitempty"`
}

// A Report says what the requests of a run have in common. Ratios are cut, not
// rounded, to four decimals: 1 means all of it.
type Report struct {
	Preset string `json:"preset"` // the composition model, or what was recorded
	// Retained is the part of each request that the next one begins with, in tokens
	// over the whole run: Σ LCP(k, k+1) / Σ n(k), the last request not counted.
	Retained float64 `json:"retained"`
	// AppendOnly is how many requests begin with the whole of the one before, of
	// Requests-1.
	AppendOnly int `json:"appendOnly"`
	Requests   int `json:"requests"`
	Input      int `json:"inputTokens"` // of all requests
	Misses     int `json:"missTokens"`  // of these, what no earlier request began with
	// Best is the part that could have been found if every request had begun with
	// the whole of the one before.
	Best          float64 `json:"best"`
	Hit           Hit     `json:"hit"`
	CostOverBound Costs   `json:"costOverBound"`
	Breaks        []Break `json:"breaks"`
	MoreBreaks    int     `json:"moreBreaks,omitempty"` // beyond [MaxBreaks]

	costs Costs // of the input, where a token that is read anew costs 1
}

// Hit is which part of the input each kind of cache would have found.
type Hit struct {
	Token     float64 `json:"token"` // the longest common prefix, from 1,024 tokens on
	By16      float64 `json:"16"`    // the same in blocks of 16
	By64      float64 `json:"64"`
	By128     float64 `json:"128"`
	OpenAI    float64 `json:"openai"`    // steps of 128
	Anthropic float64 `json:"anthropic"` // breakpoints
	DeepSeek  float64 `json:"deepseek"`  // whole units
}

// Costs are costs of the input with each kind of cache.
type Costs struct {
	OpenAI    float64 `json:"openai"`
	Anthropic float64 `json:"anthropic"`
	DeepSeek  float64 `json:"deepseek"`
}

// Against puts the costs of another run in the place of the bound: those of the
// same work with a prompt that never moves.
func (r *Report) Against(bound Report) {
	r.CostOverBound = r.costs.over(bound.costs)
}

// Anthropic takes the figures of that provider from the same run in its protocol:
// only there it is known where the breakpoints are. If less was retained there,
// that and its breaks are taken as well.
func (r *Report) Anthropic(of Report) {
	if of.Retained < r.Retained || of.AppendOnly < r.AppendOnly {
		r.Retained, r.AppendOnly, r.Breaks, r.MoreBreaks = of.Retained, of.AppendOnly, of.Breaks, of.MoreBreaks
	}
	r.Hit.Anthropic, r.costs.Anthropic = of.Hit.Anthropic, of.costs.Anthropic
	r.CostOverBound.Anthropic = of.CostOverBound.Anthropic
}

func (c Costs) over(bound Costs) Costs {
	div := func(a, b float64) float64 {
		if b == 0 {
			return 0
		}
		return math.Round(a/b*1e4) / 1e4
	}
	return Costs{div(c.OpenAI, bound.OpenAI), div(c.Anthropic, bound.Anthropic), div(c.DeepSeek, bound.DeepSeek)}
}

// ratio cuts a part of a whole to four decimals; of nothing it is all.
func ratio(part, whole float64) float64 {
	if whole == 0 {
		return 1
	}
	return math.Floor(part/whole*1e4) / 1e4
}
