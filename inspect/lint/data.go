package lint

import (
	"regexp"
	"strings"

	"github.com/proemhq/proem/internal/markdown"
	"github.com/proemhq/proem/prompt"
)

// Rows from which on lines count as data.
const (
	tableRows = 4 // of a table in Markdown
	figures   = 2 // the same, if most cells are numbers
	dataRows  = 4 // of values that commas or tabs part
)

var (
	ruler   = regexp.MustCompile(`^\s*\|?[\s:|+-]*-[\s:|+-]*\|?\s*$`)
	number  = regexp.MustCompile(`^\W{0,2}\d[\d.,:%\s-]*\W{0,2}$`)
	rowsEnd = regexp.MustCompile(`^\(\d+ rows?\)$`)
)

// data looks for tables and results of queries in the system text. Instruction files
// hold tables for people, and are passed over.
func (l *linter) data(texts []*text) {
	for _, t := range texts {
		if t.section.Doc != nil || t.section.Channel != prompt.System || t.runtime || t.name == "skills" {
			continue
		}
		if lo, hi, what := findData(t); what != "" {
			l.report(ruleData, t, lo, hi, "%s stands in the system text", what)
		}
	}
}

// findData returns the first run of lines that looks like data.
func findData(t *text) (lo, hi int, what string) {
	for _, p := range paragraphs(t.body, t.md.Code) {
		if within(t.md.Code, p.Lo) && firstFence(t, p) {
			continue
		}
		lines := strings.Split(strings.TrimRight(t.body[p.Lo:p.Hi], "\n"), "\n")
		if what = dataOf(lines); what != "" {
			return p.Lo, p.Lo + len(firstLine(t.body[p.Lo:])), what
		}
	}
	return 0, 0, ""
}

func firstFence(t *text, p markdown.Range) bool {
	for _, c := range t.md.Code {
		if c.Lo == p.Lo {
			return c.IsFence(t.body)
		}
	}
	return false
}

// dataOf says what the lines of a paragraph are, or nothing.
func dataOf(lines []string) string {
	for i, line := range lines {
		if i > 0 && ruler.MatchString(line) && strings.ContainsAny(lines[i-1], "|") {
			rows := lines[i+1:]
			for j, r := range rows {
				if !strings.Contains(r, "|") {
					if rowsEnd.MatchString(strings.TrimSpace(r)) {
						return "the result of a query"
					}
					rows = rows[:j]
					break
				}
			}
			if len(rows) >= tableRows || len(rows) >= figures && numeric(rows) {
				return "a table of " + count(len(rows), "row")
			}
		}
		if rowsEnd.MatchString(strings.TrimSpace(line)) {
			return "the result of a query"
		}
	}
	for _, sep := range []string{"\t", ",", ";"} {
		if n := separated(lines, sep); n >= dataRows {
			return count(n, "line") + " of values"
		}
	}
	objects := 0
	for _, line := range lines {
		line = strings.Trim(line, " \t,[]")
		if strings.HasPrefix(line, `{"`) && strings.HasSuffix(line, "}") {
			objects++
		}
	}
	if objects >= dataRows {
		return count(objects, "line") + " of JSON"
	}
	return ""
}

// numeric reports whether half of the cells hold numbers.
func numeric(rows []string) bool {
	cells, numbers := 0, 0
	for _, r := range rows {
		for c := range strings.SplitSeq(strings.Trim(strings.TrimSpace(r), "|"), "|") {
			cells++
			if number.MatchString(strings.TrimSpace(c)) {
				numbers++
			}
		}
	}
	return 2*numbers >= cells
}

// separated returns how many lines in a row have the same number of separators, at
// least two, and do not end as a sentence does.
func separated(lines []string, sep string) int {
	best, run, last := 0, 0, -1
	for _, line := range lines {
		n := strings.Count(line, sep)
		prose := strings.HasSuffix(strings.TrimSpace(line), ".") || sep != "\t" && strings.Contains(line, sep+" ")
		switch {
		case n < 2 || prose:
			run, last = 0, -1
			continue
		case n == last:
			run++
		default:
			run = 1
		}
		last = n
		best = max(best, run)
	}
	return best
}
