package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// expansions are the letters that a case-insensitive file system compares as two.
var expansions = strings.NewReplacer("ß", "ss", "ẞ", "ss", "ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

// Fold returns a form that is equal for all names that some file system takes for
// the same: case, Unicode normal form, characters without width, and what Windows
// ignores at the end of a name. It is for forbidding only.
func Fold(name string) string {
	plain := true
	for i := range len(name) {
		plain = plain && name[i] < 0x80
	}
	if !plain {
		name = foldRunes(name)
	}
	parts := strings.Split(strings.ToLower(name), "/")
	for i, p := range parts {
		if stream := strings.Index(p, ":$"); stream > 0 {
			p = strings.TrimSuffix(p[:stream], ":")
		}
		if t := strings.TrimRight(p, ". "); t != "" {
			p = t
		}
		if len(p) == 5 && strings.HasPrefix(p, "git~") && '0' <= p[4] && p[4] <= '9' {
			p = ".git" // its short name on Windows
		}
		parts[i] = p
	}
	return strings.Join(parts, "/")
}

func foldRunes(name string) string {
	name = expansions.Replace(norm.NFD.String(name))
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, name))
}
