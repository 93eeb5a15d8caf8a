package cli

import (
	"strings"

	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/prompt"
)

// inert are the keys, or the beginnings of keys, that this version reads and
// checks but does not act on yet. Whoever sets one is told.
var inert = []string{}

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
			if o, set := written(cfg, k.Name); set {
				out = append(out, prompt.Diagnostic{Severity: prompt.Warning, Code: "config.inert", Path: o.Path, Line: o.Line, Column: o.Column,
					Message: k.Name + " has no effect in this version"})
			}
		}
	}
	return out
}

// written returns where a key was written, and whether it was: a key that was not has
// the origin of the group that was.
func written(cfg config.Config, key string) (config.Origin, bool) {
	o := cfg.Origin(key)
	group := key[:max(0, strings.LastIndexAny(key, ".["))]
	return o, o.Layer != config.DefaultLayer && (group == "" || o != cfg.Origin(group))
}
