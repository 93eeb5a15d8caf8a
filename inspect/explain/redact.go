package explain

import (
	"strings"

	"github.com/proemhq/proem/internal/textnorm"
)

// secrets returns the ranges of a text that look like credentials. In texts that
// are JSON what stands before one may be an escape, such as \n, whose letter is no
// part of a word.
func (t *Text) secrets() []textnorm.Range {
	s := t.Text
	if t.Name == "tools" || strings.HasPrefix(t.Name, "body") || strings.HasPrefix(t.Name, "message") {
		s = unescaped(s)
	}
	return textnorm.Secrets(s)
}

// unescaped returns a text of the same length in which escapes are blanks.
func unescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	b := []byte(s)
	for i := 0; i+1 < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		n := 2
		if b[i+1] == 'u' && i+6 <= len(b) {
			n = 6
		}
		for j := range n {
			b[i+j] = ' '
		}
		if s[i+1] == 'n' { // a private key ends with its line
			b[i] = '\n'
		}
		i += n - 1
	}
	return string(b)
}

// A Piece is a part of a text for showing: what is there, or a label in place of a
// credential.
type Piece struct {
	Lo, Hi int // bytes of the text
	Text   string
	Label  bool
}

// Pieces returns what to show of each range of a text. A credential is a label in
// the range where it begins, and nothing in those that it goes on in.
func (t *Text) Pieces() [][]Piece {
	secrets := t.secrets()
	out := make([][]Piece, len(t.Ranges))
	for i, r := range t.Ranges {
		for len(secrets) > 0 && secrets[0].Hi <= r.Start {
			secrets = secrets[1:]
		}
		out[i] = t.shown(r.Start, r.End, secrets)
	}
	return out
}

// shown returns a range of a text in pieces.
func (t *Text) shown(lo, hi int, secrets []textnorm.Range) []Piece {
	var out []Piece
	at := lo
	for _, s := range secrets {
		if s.Lo >= hi {
			break
		}
		if s.Hi <= at {
			continue
		}
		if s.Lo > at {
			out = append(out, Piece{Lo: at, Hi: s.Lo, Text: t.Text[at:s.Lo]})
		}
		if s.Lo >= lo {
			out = append(out, Piece{Lo: s.Lo, Hi: min(s.Hi, hi), Text: textnorm.Redact(t.Text[s.Lo:s.Hi]), Label: true})
		}
		at = min(s.Hi, hi)
	}
	if at < hi {
		out = append(out, Piece{Lo: at, Hi: hi, Text: t.Text[at:hi]})
	}
	return out
}

// Shown returns a range of a text with labels in place of what looks like a
// credential. A name that no text has gives nothing.
func (r *Report) Shown(text string, lo, hi int) string {
	t := r.text(text)
	if text == r.Body.Name {
		t = &r.Body
	}
	lo, hi = max(lo, 0), min(hi, len(t.Text))
	if lo >= hi {
		return ""
	}
	var b strings.Builder
	for _, p := range t.shown(lo, hi, t.secrets()) {
		b.WriteString(p.Text)
	}
	return b.String()
}
