// Package token counts the tokens of texts.
//
// A [Counter] counts with one method and says whether it is exact. There are three
// kinds. [O200K] and [CL100K] are exact for the models of OpenAI; their vocabularies
// are part of the program and used where they lie, so that nothing is loaded.
// [Estimate] serves every model roughly. A [Calibrated] is an estimate that learns
// from what a provider reports.
//
//	c := token.ForModel("gpt-4o")  // token.O200K
//	c.Count("Use tabs.\n")         // 3
//	c = token.ForModel("another")  // token.Estimate
//	c.Exact()                      // false
//
// A [Memo] remembers the counts of texts, and [Cut] shortens a text to a number of
// tokens. Counters may be used concurrently.
package token

import (
	"unicode"
	"unicode/utf8"
)

// A Counter counts tokens.
type Counter interface {
	Name() string // such as "o200k_base" or "estimate"
	Exact() bool  // false: an estimate
	Count(text string) int
}

// Estimate is the counter for models whose vocabulary is not known. It looks at
// the scripts of a text: a Han, kana or Hangul character is about a token, a
// Latin word a token for every five letters, and other scripts lie between.
var Estimate Counter = estimate{}

type estimate struct{}

func (estimate) Name() string { return "estimate" }
func (estimate) Exact() bool  { return false }

// Tenths of a token, so that the sum is exact and does not depend on order.
const (
	perToken      = 10
	perWide       = 9 // Han, kana, Hangul
	perOther      = 6 // letters of other scripts
	perPunct      = 7
	perBreak      = 5 // a line break
	perIndent     = 2 // further white space
	lettersOfWord = 5
)

func (estimate) Count(text string) int {
	sum, word := 0, 0
	endWord := func() {
		sum += perToken * ((word + lettersOfWord - 1) / lettersOfWord)
		word = 0
	}
	space := false
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
				word++
				space = false
				continue
			case c == '\n':
				endWord()
				sum += perBreak
			case c == ' ' || c == '\t' || c == '\r':
				endWord()
				if space {
					sum += perIndent
				}
				space = true
				continue
			default:
				endWord()
				sum += perPunct
			}
			space = false
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		space = false
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			endWord()
			sum += perWide
		case unicode.Is(unicode.Latin, r):
			word += 2
		case unicode.IsLetter(r) || unicode.IsMark(r):
			endWord()
			sum += perOther
		default: // symbols, emoji
			endWord()
			sum += 2 * perToken
		}
	}
	endWord()
	return (sum + perToken - 1) / perToken
}
