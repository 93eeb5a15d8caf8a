package token

import "github.com/proemhq/proem/token/internal/vocab"

// Steps counts the text and says how much was done for it: bytes, pairs and
// entries looked at.
func (e *Encoding) Steps(text string) (tokens, steps int) {
	var m merger
	return e.count(&m, text), m.steps
}

// Tokens returns the tokens by id.
func (e *Encoding) Tokens() []string {
	table := vocab.Open(*e.data)
	tokens := make([]string, table.Tokens)
	table.All(func(id int, token string) bool {
		tokens[id] = token
		return true
	})
	return tokens
}

// ClassOf returns the class of a rune, in the letters of testdata/classes.txt.
func ClassOf(r rune) string {
	switch c := vocab.ClassOf(classData, r); c {
	case 0:
		return ""
	case vocab.Upper:
		return "U"
	case vocab.Lower:
		return "L"
	case letter:
		return "B"
	case letter | vocab.Mark:
		return "M"
	case vocab.Number:
		return "N"
	case vocab.Space, vocab.Space | vocab.Break:
		return "S"
	}
	return "?"
}
