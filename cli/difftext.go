package cli

import (
	"fmt"
	"strings"

	"github.com/proemhq/proem/inspect/diff"
)

// signs stand before the sections of each kind.
var signs = map[string]string{diff.Added: "+", diff.Removed: "-", diff.Changed: "~", diff.Moved: ">", diff.Reordered: "^", diff.Retagged: "*"}

// diffText renders a report for a terminal: the list of what differs, the sums,
// and the texts.
func (c *command) diffText(r diff.Report) string {
	var b strings.Builder
	if r.Equal() {
		return fmt.Sprintf("no difference between %s and %s\n", visibleLine(r.A), visibleLine(r.B))
	}
	fmt.Fprintf(&b, "A  %s\nB  %s\n\n", visibleLine(r.A), visibleLine(r.B))
	var rows [][]string
	for _, s := range r.Settings {
		rows = append(rows, []string{"~ " + s.Name, visibleLine(s.A) + " → " + visibleLine(s.B), "", ""})
	}
	for _, s := range r.Sections {
		rows = append(rows, []string{signs[s.Kind] + " " + visibleLine(s.Name), s.Kind + " in " + s.Channel, amount(s.Bytes, "bytes"), signed(s.Tokens[1]-s.Tokens[0]) + " tokens"})
		if s.Was != "" && s.Is != "" {
			rows = append(rows, []string{"    " + visibleLine(s.Was) + " → " + visibleLine(s.Is), "", "", ""})
		}
	}
	for _, t := range r.Tools {
		rows = append(rows, []string{signs[t.Kind] + " tool " + visibleLine(t.Name), t.Kind, "", signed(t.Tokens[1]-t.Tokens[0]) + " tokens"})
	}
	for _, line := range aligned(rows) {
		b.WriteString(c.paintDiff(line) + "\n")
	}
	b.WriteString("\n" + sums(r, visibleLine))
	for _, text := range texts(r) {
		b.WriteString("\n")
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			b.WriteString(c.paintDiff(visibleLine(line)) + "\n")
		}
	}
	return b.String()
}

// aligned lines up rows; one that has only a first cell takes the line for itself.
func aligned(rows [][]string) []string {
	var cells [][]string
	for _, r := range rows {
		if r[1] != "" {
			cells = append(cells, r)
		}
	}
	lines := table(cells, 4)
	var out []string
	for _, r := range rows {
		if r[1] == "" {
			out = append(out, r[0])
			continue
		}
		out = append(out, strings.TrimRight(lines[0], " "))
		lines = lines[1:]
	}
	return out
}

func amount(n [2]int, what string) string {
	if n[0] == n[1] {
		return fmt.Sprintf("%s %s", grouped(n[0]), what)
	}
	return fmt.Sprintf("%s → %s %s", grouped(n[0]), grouped(n[1]), what)
}

func signed(n int) string {
	if n >= 0 {
		return "+" + grouped(n)
	}
	return "−" + grouped(-n)
}

// sums says what the difference costs. Names of others are shown by name.
func sums(r diff.Report, name func(string) string) string {
	how := "estimated"
	if r.Tokens.Exact {
		how = "exact"
	}
	out := fmt.Sprintf("tokens  %s → %s (%s per request, %s)\n", grouped(r.Tokens.A), grouped(r.Tokens.B), signed(r.Tokens.Delta()), how)
	switch {
	case !r.Cache.Body:
		out += "cache   the request is the same, byte for byte\n"
	case r.Cache.Cause == "":
		out += "cache   what was sent before stays as it was\n"
	default:
		out += fmt.Sprintf("cache   %s tokens of A are read anew, from %s on (%s)\n", grouped(r.Cache.Lost), name(r.Cache.Section), name(r.Cache.Cause))
	}
	if r.Cost != nil {
		out += fmt.Sprintf("cost    %s → %s per request, nothing cached", dollars(r.Cost.A), dollars(r.Cost.B))
		if r.Cost.Lost != nil && *r.Cost.Lost > 0 {
			out += fmt.Sprintf("; %s once for what is read anew", dollars(*r.Cost.Lost))
		}
		out += "\n"
	}
	return out
}

// texts are the differences in text.
func texts(r diff.Report) []string {
	var out []string
	for _, s := range r.Sections {
		if s.Diff != "" {
			out = append(out, s.Diff)
		}
	}
	for _, t := range r.Tools {
		if t.Diff != "" && t.Kind == diff.Changed {
			out = append(out, t.Diff)
		}
	}
	return out
}

// paintDiff colours a line of a difference by how it begins.
func (c *command) paintDiff(line string) string {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		return c.paint("1", line)
	case strings.HasPrefix(line, "@@"):
		return c.paint("36", line)
	case strings.HasPrefix(line, "+"):
		return c.paint("32", line)
	case strings.HasPrefix(line, "-"):
		return c.paint("31", line)
	}
	return line
}

// diffMarkdown renders a report for a comment of a pull request. Texts of files
// stand in fences that they cannot close.
func diffMarkdown(r diff.Report) string {
	var b strings.Builder
	if r.Equal() {
		return fmt.Sprintf("The prompt is the same in %s and %s.\n", code(r.A), code(r.B))
	}
	fmt.Fprintf(&b, "### Prompt: %s → %s\n\n", code(visibleLine(r.A)), code(visibleLine(r.B)))
	for _, s := range r.Settings {
		fmt.Fprintf(&b, "- %s: %s → %s\n", s.Name, code(visibleLine(s.A)), code(visibleLine(s.B)))
	}
	if len(r.Settings) > 0 {
		b.WriteString("\n")
	}
	if len(r.Sections)+len(r.Tools) > 0 {
		b.WriteString("| | what | bytes | tokens |\n|---|---|---|---|\n")
	}
	for _, s := range r.Sections {
		fmt.Fprintf(&b, "| %s in %s | %s | %s | %s |\n", s.Kind, s.Channel, cell(s.Name), amount(s.Bytes, ""), signed(s.Tokens[1]-s.Tokens[0]))
	}
	for _, t := range r.Tools {
		fmt.Fprintf(&b, "| %s tool | %s | | %s |\n", t.Kind, cell(t.Name), signed(t.Tokens[1]-t.Tokens[0]))
	}
	b.WriteString("\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(sums(r, coded), "\n"), "\n") {
		fmt.Fprintf(&b, "- %s\n", strings.Join(strings.Fields(line), " "))
	}
	for _, s := range r.Sections {
		if s.Diff != "" {
			fmt.Fprintf(&b, "\n<details><summary><code>%s</code></summary>\n\n%s\n\n</details>\n", htmlEscaped(visibleLine(s.Name)), fence(visible(s.Diff), "diff"))
		}
	}
	return b.String()
}

// coded returns a name as code, so that it is no picture, link or mention.
func coded(name string) string { return code(visibleLine(name)) }

// cell returns a name as code in a cell of a table.
func cell(name string) string { return strings.ReplaceAll(coded(name), "|", "\\|") }
