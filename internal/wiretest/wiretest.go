// Package wiretest checks a dialect of package wire: bodies against golden files,
// marks and retained prefixes with requests of every shape, and responses however
// their bytes arrive.
//
//	var suite = wiretest.Suite{Dialect: openaichat.Dialect, Text: isText, Whole: isWhole, Turns: checkTurns}
//
//	func TestEncodeGolden(t *testing.T)       { suite.EncodeGolden(t, *update) }
//	func TestEncodeRandom(t *testing.T)       { suite.EncodeRandom(t) }
//	func TestEncodeFromPrevious(t *testing.T) { suite.EncodeFromPrevious(t) }
//	func TestDecodeGolden(t *testing.T)       { suite.DecodeGolden(t, *update) }
//
// Golden files are archives in testdata/encode and testdata/decode.
package wiretest

import (
	"testing"

	"github.com/proemhq/proem/wire"
)

// A Suite is a dialect with what its bodies must be like.
type Suite struct {
	Dialect wire.Dialect
	// Text reports whether the value at a path of a body, such as
	// ".messages[0].content", is text that must be marked.
	Text func(path string) bool
	// Whole reports whether a value that is text is so as it stands, an object
	// included.
	Whole func(path string) bool
	// Verbatim, if not nil, reports whether the object that body begins with is one
	// text, such as an item that goes back to its provider byte for byte.
	Verbatim func(path string, body []byte) bool
	// Turns fails if a body breaks the protocol's rules of pairing and, if it has to,
	// of alternation.
	Turns func(t testing.TB, b wire.Body, alternate bool)
}

// Encode encodes a request, or fails.
func (s Suite) Encode(t testing.TB, prev *wire.Body, r wire.Request) wire.Body {
	t.Helper()
	b, err := s.Dialect.Encode(prev, r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
