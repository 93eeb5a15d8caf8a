// Package redact takes credentials out of texts that are written down or shown: by
// value, where they are known, in whatever encoding they occur; and by what stands
// around them, such as the name of a header, where they are not.
//
//	set := redact.New(key, password)
//	line = set.Text(line)    // values, and what looks like a credential
//	line = set.Values(line)  // values only
//
// Values are found as they are, with other letters between or in another case,
// reversed, by ROT13, and behind up to three layers of escapes, base64, base32,
// hex, lists of character codes and compression, also where a layer begins in the
// middle of something else. Where only a whole text tells, the whole text goes: it
// is better to lose a line than a key.
package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Mark stands in place of a credential.
const Mark = "[redacted]"

// least is how many bytes a value has that is taken for a secret. A shorter one
// occurs in texts by chance.
const least = 6

// maxText is the most bytes that are looked at. What is behind is not kept.
const maxText = 64 << 10

// A Set is credentials that must not be shown. The zero Set knows none. It may be
// used concurrently.
type Set struct {
	plain   *strings.Replacer
	values  []string
	needles []string // values in their simplest form
}

// New returns a set of values. Those of less than 6 bytes are left out.
func New(values ...string) *Set {
	s := &Set{}
	for _, v := range values {
		if len(v) >= least && !slices.Contains(s.values, v) {
			s.values = append(s.values, v)
		}
	}
	// The longest first: one may be part of another.
	slices.SortStableFunc(s.values, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, v := range s.values {
		pairs = append(pairs, v, Mark)
		simple := simplest(v)
		if len(simple) < least {
			continue
		}
		for _, n := range []string{simple, reversed(simple), rot13(simple)} {
			if !slices.Contains(s.needles, n) {
				s.needles = append(s.needles, n)
			}
		}
	}
	if len(pairs) > 0 {
		s.plain = strings.NewReplacer(pairs...)
	}
	return s
}

// Text returns a text without the values of the set and without what looks like a
// credential.
func (s *Set) Text(text string) string { return s.Values(Patterns(bounded(text))) }

// Values returns a text without the values of the set.
func (s *Set) Values(text string) string {
	if s == nil || s.plain == nil {
		return text
	}
	text = s.plain.Replace(bounded(text))
	if !s.reveals(text, layers) && !s.reveals(withoutSpace(text), layers) {
		return text
	}
	clean := eachWord(text, func(word string) string {
		if s.reveals(word, layers) {
			return Mark
		}
		return word
	})
	if s.reveals(clean, layers) || s.reveals(withoutSpace(clean), layers) {
		return Mark
	}
	return clean
}

// bounded cuts a text that is too long to be looked at. The last word goes too: it
// may be half a credential.
func bounded(text string) string {
	if len(text) <= maxText {
		return text
	}
	cut := maxText
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	text = text[:cut]
	return text[:strings.LastIndexAny(text, " \t\n")+1] + "[cut]"
}

// eachWord replaces the words of a text: what stands between spaces and quotes.
func eachWord(text string, f func(string) string) string {
	var b strings.Builder
	at := 0
	flush := func(to int) {
		if to-at >= least {
			b.WriteString(f(text[at:to]))
		} else {
			b.WriteString(text[at:to])
		}
	}
	for i, r := range text {
		if r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '"' || r == '\'' || r == '`' {
			flush(i)
			b.WriteRune(r)
			at = i + 1
		}
	}
	flush(len(text))
	return b.String()
}

func withoutSpace(text string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\r' || r == '\t' {
			return -1
		}
		return r
	}, text)
}
