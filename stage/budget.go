package stage

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/proemhq/proem/prompt"
)

// BudgetConfig says how many tokens a prompt may have. The zero value sets no
// limit.
type BudgetConfig struct {
	Tokens  int // at most so many; 0: no limit
	Reserve int // of these, so many are kept for what is not in the prompt, such as the history and the answer
	// Count counts the tokens of a text; nil: a quarter of its bytes, rounded up.
	// It is pure. The parts of a channel are counted one by one, which is right for
	// the whole as long as counting pieces gives at most two tokens less at each
	// joint; every tokenizer in use does.
	Count func(string) int
	// Tools says that names, descriptions and schemas of tools count too. Tools
	// are never dropped.
	Tools bool
}

// Budget returns a stage that leaves out sections until all channels together
// fit. The section of the lowest priority goes first, of equal ones the last; a
// required section never goes. A section with a Min is cut at the end of a line,
// or else between two runes, if what is needed leaves it at least that many
// tokens; otherwise it is dropped like any other. A cut section ends with a line
// that says so, from "generated:cut". The sections that stay keep their order.
//
// Each dropped or cut section leaves a note with the tokens that were won, and a
// warning budget.dropped or budget.cut. If what is required does not fit by
// itself, that is the fault budget.required_overflow, and nothing is changed.
//
// Afterwards the texts with their separators, markers and fences are within the
// limit, counted one by one as well as by rendered channel. The stage belongs
// behind those that add text or replace references; a section that is fenced
// keeps a valid fence around what is left.
func Budget(cfg BudgetConfig) prompt.Stage {
	if cfg.Count == nil {
		cfg.Count = quarter
	}
	return prompt.Stage{
		Name:  "budget",
		Doc:   "drops or cuts sections by priority until the prompt fits its tokens",
		Local: cfg.Tokens <= 0, // without a limit, nothing is done
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			if cfg.Tokens <= 0 {
				return a, nil
			}
			return (&budget{cfg: cfg, a: a, limit: cfg.limit()}).run()
		},
	}
}

func (c BudgetConfig) limit() int { return max(0, c.Tokens-c.Reserve) }

func quarter(s string) int { return (len(s) + 3) / 4 }

// A budget is one run of the stage.
type budget struct {
	cfg   BudgetConfig
	a     prompt.Assembly
	limit int
	tools int
	heads [prompt.Channels]int // tokens of the heads
	costs []cost               // of a.Sections
}

// A cost is what is known of a section.
type cost struct {
	text, sep int // tokens; sep counts if another section precedes
	gone      bool
	was       int            // tokens of the text before it was cut
	cut       prompt.Section // instead of the section, if was > 0
	won       int
}

// run drops and cuts until the limit is kept.
func (b *budget) run() (prompt.Assembly, error) {
	if b.clearlyFits() {
		return b.a, nil
	}
	b.count()
	if b.fits() {
		return b.a, nil
	}
	order := b.candidates()
	if fault := b.required(order); fault != nil {
		return b.a, prompt.Faults{*fault}
	}
	for n := 0; n < len(order) && !b.fits(); n++ {
		i := order[n]
		if !b.cut(i) {
			b.drop(i)
		}
	}
	return b.result(order), nil
}

// clearlyFits reports whether everything fits with room to spare, which is how
// most prompts are. It also counts the tools and heads.
func (b *budget) clearlyFits() bool {
	if b.cfg.Tools {
		for i := range b.a.Tools {
			t := &b.a.Tools[i]
			b.tools += b.cfg.Count(t.Name) + b.cfg.Count(t.Description) + b.cfg.Count(string(t.Parameters))
		}
	}
	tokens, sep, n := b.tools, "", 0
	for _, h := range b.a.Heads {
		b.heads[h.Channel] = b.cfg.Count(h.Text.String())
		tokens += b.heads[h.Channel] + 2*jointSlack
	}
	for i := range b.a.Sections {
		s := &b.a.Sections[i]
		if !hasText(*s) || b.a.Muted(s.Channel) {
			continue
		}
		if o := sepOf(s); o != sep {
			sep, n = o, b.cfg.Count(o)
		}
		if tokens += b.cfg.Count(s.Text.String()) + n + 2*jointSlack; tokens > b.limit {
			return false
		}
	}
	return tokens <= b.limit
}

// jointSlack is how many tokens a joint of two texts may cost.
const jointSlack = 2

// count fills in what each section costs.
func (b *budget) count() {
	b.costs = make([]cost, len(b.a.Sections))
	seps := map[string]int{}
	for i := range b.a.Sections {
		s, c := &b.a.Sections[i], &b.costs[i]
		if !hasText(*s) || b.a.Muted(s.Channel) {
			c.gone = true
			continue
		}
		sep := sepOf(s)
		n, ok := seps[sep]
		if !ok {
			n = b.cfg.Count(sep)
			seps[sep] = n
		}
		c.text, c.sep = b.cfg.Count(s.Text.String()), n
	}
}

// total returns the tokens of what is left, part by part, and how many joints
// there are.
func (b *budget) total() (tokens, joints int) {
	tokens = b.tools
	var seen [prompt.Channels]bool
	for i := range b.costs {
		c, ch := &b.costs[i], b.a.Sections[i].Channel
		if c.gone {
			continue
		}
		tokens += c.text
		if !seen[ch] {
			tokens += b.heads[ch]
		}
		if seen[ch] || b.heads[ch] > 0 {
			tokens += c.sep
			joints += 2 // before and behind the separator
		}
		seen[ch] = true
	}
	return tokens, joints
}

// fits reports whether what is left is within the limit. Near the limit, the
// rendered channels are counted as well, for a joint may cost a token or two.
func (b *budget) fits() bool {
	tokens, joints := b.total()
	if tokens > b.limit {
		return false
	}
	if tokens+jointSlack*joints <= b.limit || joints == 0 {
		return true
	}
	left := prompt.Assembly{Sections: b.left(), Mutes: b.a.Mutes, Heads: b.a.Heads}
	rendered := b.tools
	for ch := range prompt.Channels {
		if !left.Muted(ch) {
			rendered += b.cfg.Count(left.Render(ch))
		}
	}
	return rendered <= b.limit
}

// left returns the sections that stay, as they are now.
func (b *budget) left() []prompt.Section {
	out := make([]prompt.Section, 0, len(b.costs))
	for i := range b.costs {
		switch c := &b.costs[i]; {
		case c.gone && hasText(b.a.Sections[i]) && !b.a.Muted(b.a.Sections[i].Channel):
		case c.was > 0:
			out = append(out, c.cut)
		default:
			out = append(out, b.a.Sections[i])
		}
	}
	return out
}

// candidates returns the sections that may go, in the order in which they do.
func (b *budget) candidates() []int {
	var out []int
	for i := range b.costs {
		if !b.costs[i].gone && !b.a.Sections[i].Required {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(i, j int) int {
		if c := cmp.Compare(b.a.Sections[i].Priority, b.a.Sections[j].Priority); c != 0 {
			return c
		}
		return cmp.Compare(j, i)
	})
	return out
}

// required returns the fault of a prompt that is too long without any section
// that may go.
func (b *budget) required(order []int) *prompt.Fault {
	for _, i := range order {
		b.costs[i].gone = true
	}
	tokens, _ := b.total()
	fits := b.fits()
	for _, i := range order {
		b.costs[i].gone = false
	}
	if fits {
		return nil
	}
	what := "the required sections"
	if b.cfg.Tools {
		what += " and the tools"
	}
	return &prompt.Fault{Code: "budget.required_overflow", Stage: "budget",
		Message: fmt.Sprintf("%s have %d tokens; the budget is %d", what, tokens, b.limit)}
}

func (b *budget) drop(i int) {
	before, _ := b.total()
	b.costs[i].gone = true
	after, _ := b.total()
	b.costs[i].won += before - after
}

// result returns the assembly with the receipts of what went.
func (b *budget) result(order []int) prompt.Assembly {
	a := b.a
	a.Sections = b.left()
	a.Notes, a.Diagnostics = slices.Clip(a.Notes), slices.Clip(a.Diagnostics)
	for _, i := range order {
		c, s := &b.costs[i], &b.a.Sections[i]
		if c.won == 0 && !c.gone && c.was == 0 {
			continue
		}
		code, reason := "budget.dropped", fmt.Sprintf("dropped to fit %d tokens: priority %d, %d tokens won", b.limit, s.Priority, c.won)
		if !c.gone {
			code, reason = "budget.cut", fmt.Sprintf("cut from %d to %d tokens to fit %d: priority %d", c.was, c.text, b.limit, s.Priority)
		}
		a.Notes = append(a.Notes, prompt.Note{Name: s.Name, Path: path(s.From), Stage: "budget", Reason: reason, From: s.From, Tokens: c.won})
		a.Diagnostics = append(a.Diagnostics, prompt.Diagnostic{Severity: prompt.Warning, Code: code, Path: path(s.From),
			Message: fmt.Sprintf("the section %q was %s", s.Name, reason)})
	}
	return a
}
