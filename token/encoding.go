package token

import (
	_ "embed"

	"github.com/proemhq/proem/token/internal/vocab"
)

//go:generate go -C internal/gen run . ../..

// The tables are used where they lie in the program; nothing is unpacked.
var (
	//go:embed o200k.bin
	o200kData string
	//go:embed cl100k.bin
	cl100kData string
	//go:embed classes.bin
	classData string
)

// An Encoding counts exactly: it splits a text by a pattern and merges the bytes
// of each piece to tokens of a vocabulary. Special tokens such as <|endoftext|>
// are text like any other. Bytes that are not UTF-8 are counted one by one, as if
// each were a symbol.
//
// There are two, [O200K] and [CL100K]. Both may be used concurrently, and keep
// nothing between calls.
type Encoding struct {
	name string
	data *string // for vocab.Open
	// split returns the end of the first piece of a text that is not empty, and how
	// far it looked to find that.
	split func(text string) (end, seen int)
}

var (
	// O200K is the encoding of GPT-4o and of the OpenAI models since.
	O200K = &Encoding{name: "o200k_base", data: &o200kData, split: splitO200K}
	// CL100K is the encoding of GPT-4 and GPT-3.5.
	CL100K = &Encoding{name: "cl100k_base", data: &cl100kData, split: splitCL100K}
)

// Name returns the published name of the encoding, such as "o200k_base".
func (e *Encoding) Name() string { return e.name }

// Exact returns true.
func (e *Encoding) Exact() bool { return true }

// Count returns the number of tokens of the text. It allocates nothing but for
// pieces, such as a run of one letter, of more than 128 bytes.
func (e *Encoding) Count(text string) int {
	var m merger
	return e.count(&m, text)
}

func (e *Encoding) count(m *merger, text string) int {
	m.Table = vocab.Open(*e.data)
	n := 0
	for len(text) > 0 {
		end, seen := e.split(text)
		m.steps += seen
		n += m.count(text[:end])
		text = text[end:]
	}
	return n
}

// Encode appends the ids of the tokens of the text to dst.
func (e *Encoding) Encode(dst []int, text string) []int {
	m := merger{Table: vocab.Open(*e.data)}
	for len(text) > 0 {
		end, _ := e.split(text)
		dst = m.encode(dst, text[:end])
		text = text[end:]
	}
	return dst
}
