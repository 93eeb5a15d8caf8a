package inspect

import (
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire"
)

// NewPrefix returns the prefix of an assembly, which does not depend on a
// dialect. Bytes counts what the hash covers; tokens those of tools and texts.
func NewPrefix(a prompt.Assembly, count func(string) int) Prefix {
	prefix, tools := wire.Prefix(a.Parts(prompt.System), a.Parts(prompt.Instructions), a.Tools)
	return Prefix{SHA256: sum(prefix), Bytes: len(prefix), Tokens: count(string(prefix[:tools])) + count(string(prefix[tools+1:]))}
}
