package lint

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/prompt"
)

// The words that begin a comment which suppresses findings.
const (
	ignoreWord     = "proem-lint-ignore"
	ignoreFileWord = "proem-lint-ignore-file"
)

// A suppression is a comment that suppresses one rule in some lines.
type suppression struct {
	rule   string
	reason string
	from   int // the first line; 0: all of the file
	to     int // the last line
	at     Place
	used   bool
}

// suppress takes suppressed findings out, and reports the comments that are wrong
// or suppress nothing.
func (l *linter) suppress(r *Report) {
	byPath := map[string][]*suppression{}
	for _, p := range slices.Clone(l.paths) {
		if d := l.disk[p]; d.raw != nil {
			byPath[p] = l.comments(d)
		}
	}
	for _, f := range l.found {
		s := match(byPath[f.Path], f)
		if s == nil {
			r.Findings = append(r.Findings, f)
			continue
		}
		f.Reason = s.reason
		r.Suppressed = append(r.Suppressed, f)
	}
	for _, p := range l.paths {
		for _, s := range byPath[p] {
			if s.used {
				continue
			}
			f := Finding{Rule: ruleUnusedIgnore, Severity: severityOf(ruleUnusedIgnore), Place: s.at, Message: "this suppresses nothing: there is no " + s.rule + " here"}
			if l.in.Partial {
				f.Severity = prompt.Info
				f.Message += " in the prompts that were looked at"
			}
			r.Findings = append(r.Findings, f)
		}
	}
}

// match returns the suppression of a finding, and marks all that fit as used.
func match(all []*suppression, f Finding) *suppression {
	var found *suppression
	if strings.HasPrefix(f.Rule, "lint.") {
		return nil
	}
	for _, s := range all {
		if s.rule != f.Rule || s.from > 0 && (f.Line < s.from || f.Line > s.to) {
			continue
		}
		s.used = true
		if found == nil {
			found = s
		}
	}
	return found
}

// comments returns the suppressions of a file. One that is wrong becomes a finding.
func (l *linter) comments(d *diskFile) []*suppression {
	if !strings.Contains(d.norm.Text, ignoreWord) {
		return nil
	}
	var out []*suppression
	text := d.norm.Text
	switch {
	case isMarkdown(d.path):
		for _, c := range d.markdown().Comments {
			words := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text[c.Lo:c.Hi], "<!--"), "-->"))
			out = append(out, l.comment(d, words, c.Lo, c.Hi)...)
		}
	case isYAML(d.path):
		at := 0
		for line := range strings.Lines(text) {
			if i := strings.Index(line, "# "+ignoreWord); i >= 0 {
				out = append(out, l.comment(d, strings.TrimSpace(line[i+2:]), at+i, at+len(strings.TrimRight(line, "\n")))...)
			}
			at += len(line)
		}
	}
	return out
}

func isYAML(p string) bool {
	ext := filepath.Ext(p)
	return ext == ".yaml" || ext == ".yml"
}

// comment reads one comment, such as "proem-lint-ignore text.duplicate: on purpose".
func (l *linter) comment(d *diskFile, words string, lo, hi int) []*suppression {
	head, reason, ok := strings.Cut(words, ":")
	fields := strings.FieldsFunc(head, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' })
	if len(fields) == 0 || fields[0] != ignoreWord && fields[0] != ignoreFileWord {
		if len(fields) > 0 && strings.HasPrefix(fields[0], ignoreWord) {
			l.say(ruleBadIgnore, d.normal(lo, hi), "", near.Show(fields[0])+" is not understood; write "+ignoreWord+" or "+ignoreFileWord)
		}
		return nil
	}
	at := d.normal(lo, hi)
	reason = strings.Join(strings.Fields(reason), " ")
	switch {
	case len(fields) == 1:
		l.say(ruleBadIgnore, at, "", "names no rule; write "+ignoreWord+" RULE: why")
		return nil
	case !ok || reason == "":
		l.say(ruleBadIgnore, at, "", "gives no reason; write "+ignoreWord+" "+near.Show(fields[1])+": why")
		return nil
	}
	from, to := 0, 0
	if fields[0] == ignoreWord {
		from, to = d.scope(lo, hi)
	}
	var out []*suppression
	for _, rule := range fields[1:] {
		if _, known := RuleOf(rule); !known {
			message := fmt.Sprintf("there is no rule %s", near.Show(rule))
			if best := near.Best(rule, identifiers()); best != "" {
				message += "; did you mean " + best + "?"
			}
			l.say(ruleBadIgnore, at, "", message)
			continue
		}
		out = append(out, &suppression{rule: rule, reason: reason, from: from, to: to, at: at})
	}
	return out
}

func identifiers() []string {
	out := make([]string, len(rules))
	for i, r := range rules {
		out[i] = r.ID
	}
	return out
}

// scope returns the lines that a comment is about: its own, if something else stands
// there, else its own and the block that follows.
func (d *diskFile) scope(lo, hi int) (from, to int) {
	text := d.norm.Text
	from = 1 + strings.Count(text[:lo], "\n")
	to = from + strings.Count(text[lo:hi], "\n")
	lineLo := strings.LastIndexByte(text[:lo], '\n') + 1
	rest := firstLine(text[hi:])
	if strings.TrimSpace(text[lineLo:lo]) != "" || strings.TrimSpace(rest) != "" {
		return from, to
	}
	next := min(hi+len(rest)+1, len(text))
	if isYAML(d.path) {
		return from, to + 1
	}
	code := d.markdown().Code
	for len(code) > 0 && code[0].Lo < next {
		code = code[1:]
	}
	for i := range code {
		if code[i].Lo >= next {
			shifted := slices.Clone(code[i:])
			for j := range shifted {
				shifted[j].Lo, shifted[j].Hi = shifted[j].Lo-next, shifted[j].Hi-next
			}
			code = shifted
			break
		}
	}
	if blocks := paragraphs(text[next:], code); len(blocks) > 0 {
		end := next + blocks[0].Hi
		to = 1 + strings.Count(strings.TrimRight(text[:end], "\n"), "\n")
	}
	return from, to
}
