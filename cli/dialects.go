package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

// protocols are the dialects that this program speaks, in the order in which
// they are listed.
var protocols = []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect}

// dialects are their names.
var dialects = func() []string {
	names := make([]string, len(protocols))
	for i, d := range protocols {
		names[i] = d.Name
	}
	return names
}()

// protocol returns the dialect of a name.
func protocol(name string) (wire.Dialect, error) {
	i := slices.Index(dialects, name)
	if i < 0 {
		return wire.Dialect{}, fmt.Errorf("dialect %q: there are %s", name, strings.Join(dialects, ", "))
	}
	return protocols[i], nil
}

// bodies encodes a previewed request in every dialect. The model's own body is
// the one that would be sent; for the others the host is one of which nothing is
// known. A past request whose bytes are not known has no body of its own.
func (b *bench) bodies(p agent.Preview) (map[string]wire.Body, error) {
	out := map[string]wire.Body{}
	if p.Body.JSON != nil {
		out[b.model.dialect] = p.Body
	}
	for _, d := range protocols {
		if d.Name == b.model.dialect {
			continue
		}
		r := p.Request
		r.Capability = wire.Capability{}
		body, err := d.Encode(nil, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		out[d.Name] = body
	}
	return out, nil
}
