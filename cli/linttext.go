package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/inspect/lint"
	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/prompt"
)

// lintText renders findings as compilers do: a line for each, and below it the line
// of the file with the place marked.
func (c *command) lintText(r lint.Report, at place) string {
	var b strings.Builder
	for _, f := range r.Findings {
		if c.flags.quiet && f.Severity == prompt.Info {
			continue
		}
		f.Path = fromHere(f.Path, at)
		line := visibleLine(f.String())
		if len(r.Agents) > 1 && len(f.Agents) > 0 && len(f.Agents) < len(r.Agents) {
			line += visibleLine(" (agent " + strings.Join(f.Agents, ", ") + ")")
		}
		severity, rest, _ := strings.Cut(line, " ")
		b.WriteString(c.paint(severityColour[f.Severity], severity) + " " + rest + "\n")
		if !c.flags.quiet {
			b.WriteString(c.lintExcerpt(r, f, at))
		}
	}
	return b.String()
}

var severityColour = map[prompt.Severity]string{prompt.Info: "36", prompt.Warning: "33", prompt.Error: "31"}

// fromHere returns a path of the project from the working directory.
func fromHere(path string, at place) string {
	if rel, err := filepath.Rel(at.root, path); err != nil || !filepath.IsLocal(rel) {
		return path
	}
	if rel, err := filepath.Rel(at.cwd, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// maxExcerpt is how many characters of a line are shown, and shownBefore how many of
// them before the place.
const (
	maxExcerpt  = 96
	shownBefore = 40
)

// lintExcerpt shows the line of a finding with the place marked, or nothing.
func (c *command) lintExcerpt(r lint.Report, f lint.Finding, at place) string {
	if f.Column == 0 || f.Path == "" || f.Rule == "doc.secret_like" {
		return ""
	}
	path := f.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(at.cwd, filepath.FromSlash(path))
	}
	line, ok := r.Source(path, f.Line)
	if !ok || !utf8.ValidString(line) || f.Column > len(line)+1 || textnorm.Redact(line) != line {
		return ""
	}
	lo := f.Column - 1
	hi := lo // where it ends is not known
	switch {
	case f.EndLine == f.Line && f.EndColumn > f.Column:
		hi = min(f.EndColumn-1, len(line))
	case f.EndLine > f.Line:
		hi = len(line)
	}
	before, mark, after := line[:lo], line[lo:hi], line[hi:]
	if runes := []rune(before); len(runes) > shownBefore {
		before = "…" + string(runes[len(runes)-shownBefore:])
	}
	if runes := []rune(mark); len(runes) > maxExcerpt-shownBefore {
		mark, after = string(runes[:maxExcerpt-shownBefore])+"…", ""
	}
	room := max(shownBefore/2, maxExcerpt-len([]rune(before))-len([]rune(mark)))
	if runes := []rune(after); len(runes) > room {
		after = string(runes[:room]) + "…"
	}
	before, mark, after = visibleLine(strings.ReplaceAll(before, "\t", " ")), visibleLine(strings.ReplaceAll(mark, "\t", " ")), visibleLine(strings.ReplaceAll(after, "\t", " "))
	number := fmt.Sprintf("%6d | ", f.Line)
	under := strings.Repeat(" ", len(number)-2) + "| " + strings.Repeat(" ", width(before)) + "^" + strings.Repeat("~", max(0, width(mark)-1))
	return c.paint("2", number) + before + c.paint("1", mark) + after + "\n" + c.paint("2", under) + "\n"
}

// width returns how many columns a text takes: characters of East Asian scripts take
// two.
func width(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0x1f300 && r <= 0x1faff) {
			n++
		}
	}
	return n
}

// lintRules prints the table of rules.
func (c *command) lintRules(format string) error {
	rules := lint.Rules()
	if format != "text" {
		return c.printJSON(struct {
			Schema string      `json:"schema"`
			Rules  []lint.Rule `json:"rules"`
		}{"proem.lint-rules/1", rules})
	}
	rows := [][]string{{"rule", "severity", "fix", "what is wrong"}}
	for _, r := range rules {
		fix := ""
		if r.Fix != "" {
			fix = "yes"
		}
		rows = append(rows, []string{r.ID, r.Severity.String(), fix, r.Doc})
	}
	for i, line := range table(rows, 4) {
		if i == 0 {
			line = c.paint("1", line)
		}
		fmt.Fprintln(c.p.Stdout, line)
	}
	return nil
}
