package lint

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/prompt"
)

// files looks at the files of all prompts as they lie on disk.
func (l *linter) files() {
	for i := 0; i < len(l.paths); i++ {
		d := l.disk[l.paths[i]]
		if d.raw == nil {
			continue
		}
		for _, f := range d.norm.Findings {
			l.reading(d, f)
		}
		if isMarkdown(d.path) {
			l.fence(d)
		}
		if bytes.HasPrefix(d.raw, []byte("\xff\xfe")) || bytes.HasPrefix(d.raw, []byte("\xfe\xff")) {
			l.utf16(d)
			continue
		}
		if bytes.HasPrefix(d.raw, []byte("\xef\xbb\xbf")) {
			at := d.place(0, 3)
			l.fixable(ruleBOM, at, "begins with a byte order mark", []Edit{{Start: 0, End: 3}})
		}
		l.lineEnds(d)
	}
}

func isMarkdown(p string) bool {
	switch strings.ToLower(path.Ext(filepath.ToSlash(p))) {
	case ".md", ".mdc", ".markdown":
		return true
	}
	return false
}

// fixable adds a finding with the edits that repair it.
func (l *linter) fixable(rule string, at Place, message string, edits []Edit) {
	l.add(Finding{Rule: rule, Severity: severityOf(rule), Place: at, Message: message, Edits: edits})
}

// reading adds what reading the file finds, unless a source said it, and the edits
// that take out what is not sent.
func (l *linter) reading(d *diskFile, f textnorm.Finding) {
	code := "doc." + f.Kind
	var edits []Edit
	if f.Kind == textnorm.Invisible {
		edits = d.hidden()
	}
	said := false
	for i := range l.found {
		if g := &l.found[i]; g.Rule == code && g.Path == d.path && g.Line == f.Line && g.Column == f.Column {
			said = true
			g.Edits, g.Place = edits, d.place(f.Off, f.Off)
		}
	}
	if !said {
		l.add(Finding{Rule: code, Severity: prompt.Warning, Place: d.place(f.Off, f.Off), Message: f.Message, Edits: edits})
	}
}

// hidden returns the edits that remove the invisible characters that are not sent:
// all that reading left out but for the mark at the start, CR and what a NUL ends.
func (d *diskFile) hidden() []Edit {
	var out []Edit
	at := 0
	gap := func(hi int) {
		for at < hi {
			r, n := utf8.DecodeRune(d.raw[at:])
			if r == 0 {
				at = hi
				return
			}
			if r != '\r' && r != '\n' && !(at == 0 && r == '\ufeff') && r != utf8.RuneError {
				if k := len(out); k > 0 && out[k-1].End == at {
					out[k-1].End = at + n
				} else {
					out = append(out, Edit{Start: at, End: at + n})
				}
			}
			at += n
		}
	}
	for _, p := range d.norm.Pieces {
		gap(p.Off)
		at = p.Off + p.Hi - p.Lo
		if p.Rewritten {
			_, n := utf8.DecodeRune(d.raw[p.Off:])
			at = p.Off + n
		}
	}
	gap(len(d.raw))
	return out
}

// utf16 reports a file in UTF-16. It is written anew only if nothing is lost by it.
func (l *linter) utf16(d *diskFile) {
	f := Finding{Rule: ruleUTF16, Severity: severityOf(ruleUTF16), Place: d.place(0, 2), Message: "is UTF-16"}
	lost := false
	for _, g := range d.norm.Findings {
		lost = lost || g.Kind == textnorm.Binary || g.Kind == textnorm.Invalid
	}
	if !lost {
		f.Edits = []Edit{{Start: 0, End: len(d.raw), Text: d.norm.Text}}
	}
	l.add(f)
}

// lineEnds reports line ends other than LF.
func (l *linter) lineEnds(d *diskFile) {
	var crlf, cr, lf int
	var edits []Edit
	for i, c := range d.raw {
		switch {
		case c == 0:
			return // what it is besides, it is no text
		case c == '\r' && i+1 < len(d.raw) && d.raw[i+1] == '\n':
			crlf++
			edits = append(edits, Edit{Start: i, End: i + 1})
		case c == '\r':
			cr++
			edits = append(edits, Edit{Start: i, End: i + 1, Text: "\n"})
		case c == '\n' && (i == 0 || d.raw[i-1] != '\r'):
			lf++
		}
	}
	if edits == nil {
		return
	}
	at := d.place(edits[0].Start, edits[0].End)
	if lf == 0 && cr == 0 {
		l.fixable(ruleCRLF, at, fmt.Sprintf("ends %s in CR LF", count(crlf, "line")), edits)
		return
	}
	l.fixable(ruleLineEnds, at, fmt.Sprintf("ends %s in CR LF, %d in CR and %d in LF", count(crlf, "line"), cr, lf), edits)
}

// fence reports a code fence that nothing closes.
func (l *linter) fence(d *diskFile) {
	if at := d.markdown().Open; at >= 0 {
		end := at + len(strings.TrimRight(firstLine(d.norm.Text[at:]), "\n"))
		l.say(ruleFence, d.normal(at, end), "", "this code fence is never closed")
	}
}

// literals looks at texts that are of no file as reading looks at those of files.
func (l *linter) literals(texts []*text) {
	for _, t := range texts {
		if len(t.spans) == 0 || isFile(t.spans[0]) || t.section.Doc != nil {
			continue
		}
		for _, f := range textnorm.Bytes([]byte(t.body), false).Findings {
			if f.Kind == textnorm.Secret || f.Kind == textnorm.Invisible {
				l.reportAs("doc."+f.Kind, prompt.Warning, t, f.Off, f.Off, "%s", strings.Replace(f.Message, "removed invisible", "holds invisible", 1))
			}
		}
		if t.md.Open >= 0 {
			l.report(ruleFence, t, t.md.Open, t.md.Open, "this code fence is never closed")
		}
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// count returns a number with its noun.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
