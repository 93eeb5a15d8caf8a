package cli

import (
	"strings"

	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/prompt"
)

// inert are the keys, or the beginnings of keys, that this version reads and
// checks but does not act on yet. Whoever sets one is told.
var inert = []string{
	"agentscope.",
}

// reportInert returns a warning for each inert key that was set.
func reportInert(cfg config.Config) []prompt.Diagnostic {
	var out []prompt.Diagnostic
	for _, k := range config.Keys() {
		if strings.ContainsAny(k.Name, "[*") {
			continue
		}
		for _, i := range inert {
			if k.Name != i && !(strings.HasSuffix(i, ".") && strings.HasPrefix(k.Name, i)) {
				continue
			}
			if o := cfg.Origin(k.Name); o.Layer != config.DefaultLayer {
				out = append(out, prompt.Diagnostic{Severity: prompt.Warning, Code: "config.inert", Path: o.Path, Line: o.Line, Column: o.Column,
					Message: k.Name + " has no effect in this version"})
			}
		}
	}
	return out
}
