package textnorm

import (
	"fmt"
	"slices"
	"strings"
)

// The kinds of findings.
const (
	Invalid   = "invalid_utf8" // bytes that are no text in the input's encoding
	Binary    = "binary"       // a NUL; the text ends before it
	Invisible = "invisible"    // characters that were removed, or an inner U+FEFF
	Secret    = "secret_like"  // something that looks like a credential; nothing was changed
)

// A Finding is what a person should know about a text. The place is that of the
// first occurrence.
type Finding struct {
	Kind    string
	Off     int    // in the input, in bytes from 0
	Line    int    // from 1
	Column  int    // in bytes from 1
	Count   int    // how many there were
	Message string // a sentence; it shows no control character and no secret
}

// listed is how many places a message names.
const listed = 12

// place is one occurrence.
type place struct {
	off, line, column int
	r                 rune
}

// places counts occurrences and remembers the first few. Tag characters are
// remembered by what they spell.
type places struct {
	count int
	first place
	list  []place
	tags  []byte
	tagAt int
	ntags int
}

func (p *places) add(n *normalizer, r rune) {
	here := place{n.at, n.line, n.at - n.lineAt + 1, r}
	if p.count == 0 {
		p.first = here
	}
	p.count++
	if r >= tagFirst && r <= tagLast {
		if p.ntags == 0 {
			p.tagAt = n.at
		}
		p.ntags++
		if c := byte(r - tagFirst); c >= ' ' && c < 0x7f && len(p.tags) < 200 {
			p.tags = append(p.tags, c)
		}
		return
	}
	if len(p.list) < listed {
		p.list = append(p.list, here)
	}
}

func (p *places) finding(kind, message string) Finding {
	return Finding{kind, p.first.off, p.first.line, p.first.column, p.count, message}
}

// findings describes what the pass saw.
func (n *normalizer) findings(r Result) []Finding {
	var out []Finding
	if p := &n.invalid; p.count > 0 {
		what := "not valid UTF-8"
		if n.wide {
			what = "not valid UTF-16"
		}
		out = append(out, p.finding(Invalid, fmt.Sprintf("%s at byte %d; %s replaced with U+FFFD", what, p.first.off, times(p.count))))
	}
	if p := &n.nul; p.count > 0 {
		out = append(out, p.finding(Binary, fmt.Sprintf("NUL at byte %d; the text ends before it", p.first.off)))
	}
	if p := &n.hidden; p.count > 0 {
		out = append(out, p.finding(Invisible, "removed invisible characters: "+p.describe()))
	}
	if p := &n.inner; p.count > 0 {
		out = append(out, p.finding(Invisible, fmt.Sprintf("kept U+FEFF inside the text at byte %d, %s", p.first.off, times(p.count))))
	}
	if f, ok := secretFinding(r); ok {
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return a.Off - b.Off })
	return out
}

// describe lists what was removed, such as `6 tag characters that spell "IGNORE"
// at byte 12; U+200B at byte 41`.
func (p *places) describe() string {
	var parts []string
	if p.ntags > 0 {
		parts = append(parts, fmt.Sprintf("%d tag characters that spell %q at byte %d", p.ntags, Redact(string(p.tags)), p.tagAt))
	}
	for _, c := range p.list {
		parts = append(parts, fmt.Sprintf("%U at byte %d", c.r, c.off))
	}
	if rest := p.count - p.ntags - len(p.list); rest > 0 {
		parts = append(parts, fmt.Sprintf("%d more", rest))
	}
	return strings.Join(parts, "; ")
}

func times(n int) string {
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}
