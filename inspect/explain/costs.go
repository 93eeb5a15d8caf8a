package explain

import (
	"cmp"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/token"
)

// Rates are what a model's input costs per million tokens. A nil rate is not
// known.
type Rates struct {
	Input  *float64 `json:"input"`  // input that is not cached
	Cached *float64 `json:"cached"` // input read from the provider's cache
	Source string   `json:"source"`
	Date   string   `json:"date"`
}

// A Cost is the size of a text, and its price in one request and in all that a
// turn may take. Without a rate the price is nil.
type Cost struct {
	Tokens   int      `json:"tokens"`
	TurnMax  int      `json:"turnMax"`  // tokens × steps.max
	Price    *float64 `json:"price"`    // of one request, nothing cached
	PriceMax *float64 `json:"priceMax"` // × steps.max, nothing cached
}

// A Sum is the cost of what has something in common.
type Sum struct {
	Name string `json:"name"`
	Cost Cost   `json:"cost"`
}

// Costs are the sums of a prompt. Each of the lists adds up to the total; tools
// and what stands between sections are entries of their own where they have no
// class or trust. The conversation is not part of a prompt and counted apart.
type Costs struct {
	Counter  string `json:"counter"`
	Exact    bool   `json:"exact"`
	StepsMax int    `json:"stepsMax"`
	Rates    Rates  `json:"rates"`
	Total    Cost   `json:"total"`
	Channels []Sum  `json:"channels"`
	Classes  []Sum  `json:"classes"`
	Trust    []Sum  `json:"trust"`
	History  Cost   `json:"history"` // the messages of this request, contexts and reminder included
	// CachedMax is the price of a turn's requests if each but the first finds the
	// whole prompt in the cache; nil: a rate is not known.
	CachedMax *float64 `json:"cachedMax"`
}

// meter counts and prices.
type meter struct {
	count func(string) int
	rates Rates
	steps int
}

func (m meter) cost(text string) Cost { return m.of(m.count(text)) }

func (m meter) of(tokens int) Cost {
	c := Cost{Tokens: tokens, TurnMax: tokens * m.steps}
	if m.rates.Input != nil {
		one := float64(tokens) * *m.rates.Input / 1e6
		all := one * float64(m.steps)
		c.Price, c.PriceMax = &one, &all
	}
	return c
}

// between is the name of the sum of fences, headings and separators.
const between = "fences and separators"

// costs adds up what the sections, tools and channels cost.
func (r *Report) costs(m meter, c token.Counter) Costs {
	out := Costs{Counter: c.Name(), Exact: c.Exact(), StepsMax: m.steps, Rates: m.rates}
	classes, trust := map[string]int{}, map[string]int{}
	total, listed, history := 0, 0, 0
	for _, s := range r.Sections {
		classes[s.Class] += s.Cost.Tokens
		trust[s.Trust.String()] += s.Cost.Tokens
		listed += s.Cost.Tokens
	}
	tools := 0
	for _, t := range r.Tools {
		tools += t.Cost.Tokens
		trust[t.Trust.String()] += t.Cost.Tokens
	}
	listed += tools
	for _, t := range r.Texts {
		switch n := 0; {
		case t.Name == "tools":
			out.Channels = append(out.Channels, Sum{"tools", m.of(tools)})
			total += tools
		case isChannel(t.Name):
			n = m.count(t.Text)
			out.Channels = append(out.Channels, Sum{t.Name, m.of(n)})
			total += n
		default:
			history += m.count(t.Text)
		}
	}
	if len(r.Tools) > 0 {
		classes["tools"] = tools
	}
	if rest := total - listed; rest != 0 {
		classes[between], trust[between] = rest, rest
	}
	order := []string{"stable", "session", "turn", "tools"}
	out.Classes = m.sums(classes, order)
	out.Trust = m.sums(trust, levels())
	out.Total, out.History = m.of(total), m.of(history)
	if m.rates.Input != nil && m.rates.Cached != nil {
		all := float64(total) * (*m.rates.Input + *m.rates.Cached*float64(m.steps-1)) / 1e6
		out.CachedMax = &all
	}
	return out
}

// sums returns the sums of a map in a given order; what the order does not know
// comes last.
func (m meter) sums(of map[string]int, order []string) []Sum {
	out := []Sum{}
	for name, n := range of {
		out = append(out, Sum{name, m.of(n)})
	}
	place := func(s Sum) int {
		if i := slices.Index(order, s.Name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortFunc(out, func(a, b Sum) int { return cmp.Or(place(a)-place(b), cmp.Compare(a.Name, b.Name)) })
	return out
}

func levels() []string {
	var out []string
	for t := span.Builtin; t <= span.Tool; t++ {
		out = append(out, t.String())
	}
	return out
}

func isChannel(name string) bool {
	_, err := prompt.ParseChannel(name)
	return err == nil
}

// tools adds the tools and their text.
func (r *Report) tools(a prompt.Assembly, m meter) {
	if len(a.Tools) == 0 {
		return
	}
	text, places := toolsText(a.Tools)
	r.Texts = append(r.Texts, text)
	for i, t := range a.Tools {
		out := Tool{Name: t.Name, Source: "builtin", Rule: "no rule hides it", Start: places[i][0], End: places[i][1], Cost: m.of(toolTokens(m, t))}
		if t.From != nil {
			out.Scope, out.Path, out.Trust = t.From.Scope, t.From.Path, t.From.Trust
			if t.From.Source != "tool" {
				out.Source = t.From.Source
			}
		}
		out.Rule = "registered in " + scope(out.Scope) + "; no rule hides it"
		r.Tools = append(r.Tools, out)
	}
}

// toolTokens counts a tool as the other reports do.
func toolTokens(m meter, t chat.ToolSpec) int {
	return m.count(t.Name) + m.count(t.Description) + m.count(string(t.Parameters))
}
