package cli

import (
	"fmt"
	"strings"

	"github.com/proemhq/proem/inspect/explain"
)

// explainText renders a report for people.
func (c *command) explainText(b *bench, r *explain.Report) string {
	var out strings.Builder
	record := r.About.Record
	if record == "" {
		record = "none, so the strictest"
	}
	fmt.Fprintf(&out, "preset %s · agent %s · model %s (record: %s)\nroot %s\n", r.About.Preset, visibleLine(r.About.Agent), visibleLine(r.About.Model),
		visibleLine(record), visibleLine(r.About.Root))
	fmt.Fprintf(&out, "where two instructions contradict each other: %s\n\n", r.Conflicts)
	c.explainSections(&out, b, r)
	c.explainCosts(&out, r)
	if len(r.Omitted) > 0 {
		c.title(&out, "left out or changed")
		for _, o := range r.Omitted {
			name := o.Name
			if o.Path != "" {
				name += " (" + c.short(b, o.Path) + ")"
			}
			fmt.Fprintf(&out, "  %s: %s [%s]\n", visibleLine(name), visibleLine(o.Reason), o.Stage)
		}
	}
	c.title(&out, "stages")
	for _, s := range r.Stages {
		fmt.Fprintf(&out, "  %s: %s\n", c.paint("1", visibleLine(s.Name)), visibleLine(s.Doc))
		for _, ch := range s.Changes {
			fmt.Fprintf(&out, "    %s %s %s\n", ch.What, visibleLine(ch.Name), ch.Text)
		}
	}
	return out.String()
}

func (c *command) title(out *strings.Builder, s string) {
	out.WriteString("\n" + c.paint("1", s) + "\n")
}

// trustColours are those of the levels of trust, in their names.
var trustColours = map[string]string{"builtin": "36", "user": "32", "workspace": "34", "project": "33", "tool": "35"}

// explainSections prints the sections and tools: where they stand, where they came
// from and why they are there.
func (c *command) explainSections(out *strings.Builder, b *bench, r *explain.Report) {
	channel := ""
	for _, s := range r.Sections {
		if s.Channel != channel {
			channel = s.Channel
			out.WriteString(c.paint("1", channel) + "\n")
		}
		from := s.Source
		if s.Path != "" {
			from = c.short(b, s.Path)
		}
		fmt.Fprintf(out, "  %s  bytes %d–%d from %s\n", c.paint(trustColours[s.Trust.String()], visibleLine(s.Name)), s.Start, s.End, visibleLine(from))
		fmt.Fprintf(out, "    %s; order %g, class %s, trust %s; %s\n", visibleLine(s.Rule), s.Order, s.Class, s.Trust, price(s.Cost, r))
		c.explainChanges(out, b, &s, "    ")
	}
	if len(r.Tools) > 0 {
		out.WriteString(c.paint("1", "tools") + "\n")
	}
	for _, t := range r.Tools {
		fmt.Fprintf(out, "  %s  bytes %d–%d from %s; %s\n", c.paint(trustColours[t.Trust.String()], visibleLine(t.Name)), t.Start, t.End, visibleLine(t.Source), price(t.Cost, r))
	}
}

// explainChanges prints what was done to a section and what it keeps out.
func (c *command) explainChanges(out *strings.Builder, b *bench, s *explain.Section, margin string) {
	for _, a := range s.Aliases {
		fmt.Fprintf(out, "%salso found as %s\n", margin, visibleLine(c.short(b, a)))
	}
	for _, ch := range s.Changes {
		fmt.Fprintf(out, "%s%s %s\n", margin, c.paint("2", ch.Stage+":"), visibleLine(ch.Text))
	}
	c.explainUnused(out, b, s.Unused, margin)
	for _, o := range s.Won {
		name := o.Name
		if o.Path != "" {
			name = c.short(b, o.Path)
		}
		fmt.Fprintf(out, "%skeeps out %s: %s\n", margin, visibleLine(name), visibleLine(o.Reason))
	}
}

// explainUnused prints what of the sources is not in a text. The returns of lines
// that end in CR LF are counted together.
func (c *command) explainUnused(out *strings.Builder, b *bench, unused []explain.Place, margin string) {
	returns := map[string]int{}
	var rest []explain.Place
	for _, u := range unused {
		if u.Text == `\u{d}` {
			returns[u.Path]++
			if returns[u.Path] > 1 {
				continue
			}
		}
		rest = append(rest, u)
	}
	for i, u := range rest {
		path := visibleLine(c.short(b, u.Path))
		switch {
		case i == 3 && !c.full:
			fmt.Fprintf(out, "%s%s of the source not in the text; --full lists them\n", margin, plural(len(rest)-i, "further range"))
			return
		case u.Text == `\u{d}`:
			fmt.Fprintf(out, "%s%s of %s became LF\n", margin, plural(returns[u.Path], "CR LF line end"), path)
		case u.Text != "":
			fmt.Fprintf(out, "%sbytes %d–%d of %s are not in the text: %s\n", margin, u.Start, u.End, path, visibleLine(u.Text))
		default:
			fmt.Fprintf(out, "%sbytes %d–%d of %s are not in the text\n", margin, u.Start, u.End, path)
		}
	}
}

// price describes a cost: in one request and in all of a turn.
func price(k explain.Cost, r *explain.Report) string {
	text := fmt.Sprintf("%s tokens, %s in %d steps", grouped(k.Tokens), grouped(k.TurnMax), r.Costs.StepsMax)
	if k.Price != nil {
		text += fmt.Sprintf(", %s and %s", dollars(*k.Price), dollars(*k.PriceMax))
	}
	return text
}

func dollars(v float64) string { return fmt.Sprintf("$%.6f", v) }

// explainCosts prints the sums.
func (c *command) explainCosts(out *strings.Builder, r *explain.Report) {
	k := r.Costs
	about := "estimated"
	if k.Exact {
		about = "exact"
	}
	c.title(out, "tokens ("+about+", "+k.Counter+"; a step, and the "+fmt.Sprint(k.StepsMax)+" steps that a turn may take)")
	rows := [][]string{}
	add := func(by string, sums []explain.Sum) {
		for _, s := range sums {
			row := []string{"  " + by, s.Name, grouped(s.Cost.Tokens), grouped(s.Cost.TurnMax)}
			if s.Cost.Price != nil {
				row = append(row, dollars(*s.Cost.Price), dollars(*s.Cost.PriceMax))
			}
			rows = append(rows, row)
			by = ""
		}
	}
	add("channel", k.Channels)
	add("class", k.Classes)
	add("trust", k.Trust)
	add("total", []explain.Sum{{Name: "the prompt", Cost: k.Total}, {Name: "messages of this request", Cost: k.History}})
	for _, line := range table(rows, 2) {
		out.WriteString(line + "\n")
	}
	switch {
	case k.Rates.Input == nil:
		out.WriteString("  no price is configured for this model (key prices)\n")
	case k.CachedMax != nil:
		fmt.Fprintf(out, "  %s for all steps if each but the first finds the prompt in the cache\n", dollars(*k.CachedMax))
	}
	if k.Rates.Source != "" || k.Rates.Date != "" {
		fmt.Fprintf(out, "  prices: %s\n", visibleLine(strings.TrimSpace(k.Rates.Source+" "+k.Rates.Date)))
	}
}
