package lint

import (
	"regexp"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/prompt"
)

// turns looks for sections of class turn that no stage moved behind the
// conversation.
func (l *linter) turns(p *Prompt) {
	for i := range p.Preview.Assembly.Sections {
		s := &p.Preview.Assembly.Sections[i]
		if s.Class != prompt.Turn || s.Text.Len() == 0 || s.Channel != prompt.System && s.Channel != prompt.Instructions {
			continue
		}
		t := newText(s.Name, s.Text)
		l.report(ruleTurn, t, 0, 0, "the section %s changes at every request and stands in %s", s.Name, s.Channel)
	}
}

// unstable compares what stands before the conversation in two previews.
func (l *linter) unstable(p *Prompt) {
	if p.Again == nil {
		return
	}
	a, b := &p.Preview.Assembly, &p.Again.Assembly
	for _, ch := range []prompt.Channel{prompt.System, prompt.Instructions} {
		after := map[string]string{}
		for _, q := range b.Parts(ch) {
			after[q.Name] = q.Text.String()
		}
		for _, q := range a.Parts(ch) {
			now, there := after[q.Name]
			was := q.Text.String()
			switch {
			case !there:
				l.say(ruleUnstable, Place{}, q.Name, "the section "+q.Name+" of "+ch.String()+" is not there in another run")
			case now != was && q.Class != prompt.Turn: // of that, turns speaks
				lo := common(was, now)
				l.report(ruleUnstable, newText(q.Name, q.Text), lo, lo, "%s differs between two runs from here on: %s, then %s", ch, excerpt(was[lo:]), excerpt(now[lo:]))
			}
			delete(after, q.Name)
		}
		for _, q := range b.Parts(ch) {
			if _, more := after[q.Name]; more {
				l.say(ruleUnstable, Place{}, q.Name, "the section "+q.Name+" of "+ch.String()+" is there in another run only")
			}
		}
	}
	for i, t := range a.Tools {
		if i >= len(b.Tools) || !same(t, b.Tools[i]) {
			l.say(ruleUnstable, Place{}, "", "the tools differ between two runs, from "+near.Show(t.Name)+" on")
			break
		}
	}
}

func same(a, b chat.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Parameters) == string(b.Parameters)
}

// common returns how many bytes two texts begin with alike, back to where a word
// begins.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return strings.LastIndexAny(a[:n], " \n\t") + 1
}

// excerpt quotes the beginning of a text.
func excerpt(s string) string {
	s = firstLine(s)
	if r := []rune(s); len(r) > 32 {
		s = string(r[:32]) + "…"
	}
	return near.Show(`"` + s + `"`)
}

// What in a text is true for a moment only.
var (
	moments = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|` +
		`(?i:\b(session|request|run|trace)[ _-]?id\b)\W{0,4}[A-Za-z0-9_-]*\d[A-Za-z0-9_-]{5,}`)
	todays = regexp.MustCompile(`(?i)(\btoday\b|\btoday's date\b|\bcurrent (date|time|day)\b|\bright now\b)[^.\n]{0,24}` +
		`(\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}\b|\b\d{1,2}\.? (jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))|(今天|当前(时间|日期)|现在)[是为：:\s]{0,4}\d{4}`)
)

// volatile looks for times and identifiers. Files of a project tell of the past and
// of formats, so there only what is said to be today counts.
func (l *linter) volatile(texts []*text) {
	for _, t := range texts {
		found := todays.FindAllStringIndex(t.body, -1)
		if t.section.Doc == nil {
			found = append(found, moments.FindAllStringIndex(t.body, -1)...)
		}
		line := map[int]bool{}
		for _, r := range found {
			at := strings.Count(t.body[:r[0]], "\n")
			if t.inCode(r[0]) || t.runtime || line[at] {
				continue
			}
			line[at] = true
			l.report(ruleVolatile, t, r[0], r[1], "%s is true for a moment only", excerpt(t.body[r[0]:r[1]]))
		}
	}
}

// copiedInput looks for the user's message in what stands before the conversation.
func (l *linter) copiedInput(p *Prompt, texts []*text) {
	input := strings.TrimSpace(p.Text)
	if len([]rune(input)) < 12 {
		return
	}
	for _, t := range texts {
		if i := strings.Index(t.body, input); i >= 0 {
			l.report(ruleInput, t, i, i+len(input), "%s repeats the user's message", t.section.Channel)
		}
	}
}

var (
	reAct    = regexp.MustCompile(`(?m)^\W{0,4}(Thought|Action|Action Input|Observation|Final Answer)\W{0,3}:`)
	callForm = regexp.MustCompile(`"type"\s*:\s*"(code|final|tool_call|function_call|tool_use)"|"tool_calls"\s*:|<(tool_call|function_calls?|tool_use)>`)
)

// How much of a paragraph of the runtime a text repeats before it counts as a copy.
const (
	runtimeWords = 8 // the least that the paragraph has
	runtimeShare = 0.8
)

// protocol looks for texts that repeat what the runtime says of itself, or that teach
// how tools are called, which the protocol of the provider does.
func (l *linter) protocol(texts []*text) {
	for _, own := range texts {
		if !own.runtime {
			continue
		}
		for _, p := range paragraphs(own.body, own.md.Code) {
			ws := words(own.body, p.Lo, p.Hi)
			if len(ws) < runtimeWords {
				continue
			}
			set := map[uint64]bool{}
			for _, h := range shingles(ws, shingleWords) {
				set[h] = true
			}
			for _, t := range texts {
				if lo, hi, n := t.matches(set); !t.runtime && float64(n) >= runtimeShare*float64(len(set)) {
					l.report(ruleProtocol, t, lo, hi, "this repeats what the section %s says, which the runtime adds by itself", own.name)
				}
			}
		}
	}
	for _, t := range texts {
		if t.section.Doc != nil || t.runtime {
			continue
		}
		kinds := map[string]bool{}
		first := -1
		for _, m := range reAct.FindAllStringSubmatchIndex(t.body, -1) {
			if first < 0 {
				first = m[0]
			}
			kinds[t.body[m[2]:m[3]]] = true
		}
		if len(kinds) < 3 {
			first = -1
			if m := callForm.FindStringIndex(t.body); m != nil {
				first = m[0]
			}
		}
		if first >= 0 {
			l.report(ruleProtocol, t, first, first+len(firstLine(t.body[first:])), "this teaches a protocol for calling tools; the runtime has its own")
		}
	}
}
