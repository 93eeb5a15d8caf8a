package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/inspect/explain"
	"github.com/proemhq/proem/internal/textnorm"
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

// showWhyNot prints why a file is absent.
func (c *command) showWhyNot(b *bench, w explain.WhyNot) error {
	if c.flags.json {
		return c.printJSON(w)
	}
	_, err := fmt.Fprint(c.p.Stdout, c.whyNotText(b, w))
	return err
}

func (c *command) whyNotText(b *bench, w explain.WhyNot) string {
	var out strings.Builder
	state := "is not in the prompt"
	if w.Present {
		state = "is in the prompt"
	}
	fmt.Fprintf(&out, "%s %s\n", c.paint("1", visibleLine(c.short(b, w.Path))), state)
	for _, r := range w.Reasons {
		fmt.Fprintf(&out, "  %s %s\n", visibleLine(c.own(r.Text)), c.paint("2", "["+r.By+"]"))
		if r.Fix != "" {
			fmt.Fprintf(&out, "    %s %s\n", c.paint("32", "to change that:"), visibleLine(c.own(r.Fix)))
		}
	}
	return out.String()
}

// An answer is what a query found, as JSON.
type answer struct {
	Schema   string            `json:"schema"`
	Matches  []explain.Match   `json:"matches"`
	Sections []explain.Section `json:"sections"` // that the matches stand in
	WhyNot   *explain.WhyNot   `json:"whyNot"`   // if there is no match and the query names a file
}

// answerTo looks for what is asked.
func (c *command) answerTo(b *bench, r *explain.Report, q explain.Query) answer {
	a := answer{Schema: explain.Schema, Matches: r.Find(q), Sections: []explain.Section{}}
	for _, s := range r.Sections {
		for _, m := range a.Matches {
			if m.Text == s.Channel && m.Start < s.End && s.Start < m.End || m.Kind == "offset" && m.Name == s.Name {
				a.Sections = append(a.Sections, s)
				break
			}
		}
	}
	if a.Matches == nil {
		a.Matches = []explain.Match{}
		name := q.File + q.Any
		if name != "" && (q.File != "" || strings.ContainsAny(name, `/.\`) && !strings.ContainsAny(name, " \n")) {
			path := c.pathOf(b, name)
			w := r.WhyNot(path, b.rulesFor(path))
			a.WhyNot = &w
		}
	}
	return a
}

// showMatches prints what a query found. Nothing is a failure.
func (c *command) showMatches(b *bench, r *explain.Report, q explain.Query) error {
	a := c.answerTo(b, r, q)
	var err error
	if c.flags.json {
		err = c.printJSON(a)
	} else {
		_, err = fmt.Fprint(c.p.Stdout, c.answerText(b, r, a))
	}
	if err == nil && len(a.Matches) == 0 {
		err = nothing(r, q)
	}
	return err
}

// nothing says that the prompt has nothing of what was asked.
func nothing(r *explain.Report, q explain.Query) error {
	switch {
	case q.Offset != nil:
		return fmt.Errorf("explain: the body has %d bytes, and no byte %d", len(r.Body.Text), *q.Offset)
	case q.Section != "":
		return fmt.Errorf("explain: no section is named %q; %s", q.Section, "explain without a query lists them")
	case q.Tool != "":
		return fmt.Errorf("explain: no tool named %q is shown", q.Tool)
	case q.File != "":
		return fmt.Errorf("explain: nothing was read from %s", q.File)
	}
	return fmt.Errorf("explain: no section, tool, file or text of the prompt is %q", textnorm.Redact(q.Any))
}

// maxShown is how many matches and pieces of one are printed.
const maxShown = 10

func (c *command) answerText(b *bench, r *explain.Report, a answer) string {
	var out strings.Builder
	lines := newPlaces(b)
	said := map[string]bool{}
	for i, m := range a.Matches {
		if i == maxShown && !c.full {
			fmt.Fprintf(&out, "\n%s; --full shows them\n", plural(len(a.Matches)-i, "further place"))
			break
		}
		if i > 0 {
			out.WriteByte('\n')
		}
		head := fmt.Sprintf("%s, bytes %d–%d", m.Text, m.Start, m.End)
		if m.Name != "" {
			head += ": " + m.Name
		}
		out.WriteString(c.paint("1", visibleLine(head)) + "\n")
		c.matchRanges(&out, b, r, m, lines)
		for j := range a.Sections {
			s := &a.Sections[j]
			if key := s.Channel + "\x00" + s.Name; s.Channel == m.Text && m.Start < s.End && s.Start < m.End && !said[key] || m.Kind == "offset" && s.Name == m.Name {
				said[key] = true
				fmt.Fprintf(&out, "  why: %s\n  order %g, class %s, trust %s; %s\n", visibleLine(s.Rule), s.Order, s.Class, s.Trust, price(s.Cost, r))
				c.explainChanges(&out, b, s, "  ")
			}
		}
		if m.Kind == "tool" {
			for _, t := range r.Tools {
				if t.Name == m.Name {
					fmt.Fprintf(&out, "  why: %s\n  trust %s; %s\n", visibleLine(t.Rule), t.Trust, price(t.Cost, r))
				}
			}
		}
	}
	if a.WhyNot != nil {
		out.WriteString(c.whyNotText(b, *a.WhyNot))
	}
	return out.String()
}

// matchRanges prints the origins of a match with the text that each covers.
func (c *command) matchRanges(out *strings.Builder, b *bench, r *explain.Report, m explain.Match, lines *places) {
	for i, g := range m.Ranges {
		if i == maxShown && !c.full {
			fmt.Fprintf(out, "  %s; --full shows them\n", plural(len(m.Ranges)-i, "further piece"))
			return
		}
		from := g.Origin
		if g.Path != "" && g.Origin == g.Path {
			from = c.short(b, g.Path)
			if g.SrcStart >= 0 && g.Source != "config" {
				from += lines.at(g.Path, g.SrcStart) + fmt.Sprintf(", bytes %d–%d", g.SrcStart, g.SrcEnd)
			}
		}
		how := ""
		if by := importer(r, m.Text, g); by != "" {
			how = " (imported by " + c.short(b, by) + ")"
		}
		switch {
		case g.Stage != "":
			how = " (written by " + g.Stage + ")"
		case g.Exact:
			how += " (as it stands there)"
		}
		fmt.Fprintf(out, "  %s%s\n", c.paint(trustColours[g.Trust.String()], visibleLine(from)), c.paint("2", visibleLine(how)))
		for j, line := range strings.Split(strings.TrimSuffix(r.Shown(m.Text, g.Start, g.End), "\n"), "\n") {
			if j == 3 && !c.full {
				out.WriteString(c.paint("2", "    ⋮") + "\n")
				break
			}
			out.WriteString(c.paint("2", "    │ ") + visibleLine(oneRow(line)) + "\n")
		}
	}
}

// importer returns the instruction file in whose section another file's text
// stands, or "".
func importer(r *explain.Report, text string, g explain.Range) string {
	for _, s := range r.Sections {
		if s.Channel == text && s.Start <= g.Start && g.Start < s.End && s.Source == "file" && g.Source == "file" && s.Path != g.Path {
			return s.Path
		}
	}
	return ""
}

// oneRow cuts a long line.
func oneRow(s string) string {
	if runes := []rune(s); len(runes) > 120 {
		return string(runes[:119]) + "…"
	}
	return s
}

// explain shows where a part of the next request came from.
func (t *talk) explain(ctx context.Context, query string) error {
	p, err := t.b.agent.Preview(ctx, t.id, agent.Input{})
	if err != nil {
		return err
	}
	r, err := t.c.explained(t.b, p.Step, "", "")
	if err != nil {
		return err
	}
	if query == "" {
		_, err = fmt.Fprint(t.out, t.c.explainText(t.b, r))
		return err
	}
	q := explain.Query{Any: query}
	a := t.c.answerTo(t.b, r, q)
	fmt.Fprint(t.out, t.c.answerText(t.b, r, a))
	if len(a.Matches) == 0 && a.WhyNot == nil {
		return nothing(r, q)
	}
	return nil
}
