package lint

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
)

// linter is one look at everything.
type linter struct {
	in    Input
	agent string // whose prompt is looked at; empty: nobody's

	found []Finding
	known map[string]int // the place of a finding in found, by its key

	many  map[kind]int // how many findings of a sort there were
	told  []*text      // what is told later; nil: not looked at yet
	disk  map[string]*diskFile
	paths []string // of disk, in the order in which they were asked for
}

func newLinter(in Input) *linter {
	in.TurnTokens = cmp.Or(in.TurnTokens, DefaultTurnTokens)
	return &linter{in: in, known: map[string]int{}, many: map[kind]int{}, disk: map[string]*diskFile{}}
}

// maxAlike is how many findings of one rule are told of one text.
const maxAlike = 50

// A kind is a rule in one text of one agent's prompt.
type kind struct{ agent, rule, text string }

// enough reports whether so many findings of a rule are told of a text that a last
// one says so and all further ones are left out.
func (l *linter) enough(rule string, t *text) bool {
	k := kind{l.agent, rule, t.name}
	l.many[k]++
	if n := l.many[k]; n == maxAlike+1 {
		f := Finding{Rule: rule, Severity: severityOf(rule), Section: t.name, Message: fmt.Sprintf("there is more of it in %s; only the first %d are told", t.name, maxAlike)}
		if t.from != nil {
			f.Path = t.from.Path
		}
		l.add(f)
	}
	return l.many[k] > maxAlike
}

// add takes a finding in. One that another agent's prompt has as well is that
// agent's too.
func (l *linter) add(f Finding) {
	if f.Rule == "" {
		return
	}
	key := f.key()
	i, ok := l.known[key]
	if !ok {
		i = len(l.found)
		l.known[key] = i
		l.found = append(l.found, f)
	}
	if a := l.agent; a != "" && !slices.Contains(l.found[i].Agents, a) {
		l.found[i].Agents = append(l.found[i].Agents, a)
	}
}

// say adds a finding of one of this package's rules, with the severity of its rule.
func (l *linter) say(rule string, at Place, section, message string) {
	r, _ := RuleOf(rule)
	l.add(Finding{Rule: rule, Severity: r.Severity, Place: at, Section: section, Message: message})
}

// diagnostic makes a finding of what was reported. What a protocol can do without a
// loss worth a warning is not a fault of a prompt.
func (l *linter) diagnostic(agent string, d prompt.Diagnostic) {
	if strings.HasPrefix(d.Code, "wire.") && d.Severity == prompt.Info {
		return
	}
	was := l.agent
	l.agent = agent
	at := Place{Path: d.Path, Line: d.Line, Column: d.Column}
	if filepath.IsAbs(d.Path) {
		at.Start = l.file(d.Path).offset(d.Line, d.Column)
		at.End = at.Start
	}
	l.add(Finding{Rule: d.Code, Severity: d.Severity, Place: at, Message: d.Message})
	l.agent = was
}

// result orders what was found and takes out what is suppressed.
func (l *linter) result() Report {
	r := Report{Schema: Schema, Agents: []string{}, Findings: []Finding{}, Suppressed: []Finding{}, Fixed: []Finding{}, texts: map[string]string{}}
	for _, p := range l.in.Prompts {
		r.Agents = append(r.Agents, p.Agent)
	}
	l.suppress(&r)
	for _, list := range [][]Finding{r.Findings, r.Suppressed} {
		order(list)
		for i := range list {
			f := &list[i]
			f.Agents = append([]string{}, f.Agents...)
			f.Edits = append([]Edit{}, f.Edits...)
			if d := l.disk[f.Path]; d != nil && d.raw != nil {
				r.texts[f.Path] = string(d.raw)
			}
		}
	}
	r.count()
	return r
}

// short returns a path from the project's root, for messages.
func (l *linter) short(path string) string {
	if rel, err := filepath.Rel(l.in.Root, path); l.in.Root != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}
