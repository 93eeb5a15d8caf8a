package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/inspect/explain"
	"github.com/proemhq/proem/internal/textnorm"
)

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
		c.diagnose(r.Diagnostics) // what was asked for may be held back
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
