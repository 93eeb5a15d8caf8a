package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/cli/config"
)

// TestTable checks what every row promises: a meaning, a value that can be set
// under its name and by its variable, an origin.
func TestTable(t *testing.T) {
	values := map[config.Type]string{
		config.String: "x", config.Bool: "true", config.Int: "1", config.Float: "1", config.Duration: "1s", config.Strings: "[x]",
		config.Pairs: "{x: x}", config.PathType: "/x", config.Files: "/x", config.List: "[]", config.Map: "{}",
	}
	var seen []string
	for _, k := range config.Keys() {
		if slices.Contains(seen, k.Name) || k.Meaning == "" || k.Default != "" && k.Otherwise != "" {
			t.Errorf("%s: twice, without a meaning, or with two defaults", k.Name)
		}
		seen = append(seen, k.Name)
		if strings.ContainsAny(k.Name, "*[") {
			if k.Variable() != "" {
				t.Errorf("%s: %s", k.Name, k.Variable())
			}
			continue
		}
		value := values[k.Type]
		if k.Values != nil {
			value = k.Values[0]
		}
		switch k.Name {
		case "model":
			value = "openai:x"
		case "fallback":
			value = "[openai:x]"
		}
		o := config.Options{Set: []string{k.Name + "=" + value}}
		if got := load(t, o).Origin(k.Name).Layer; got != config.SetLayer {
			t.Errorf("%s: layer %s", k.Name, got)
		}
		o = config.Options{Environ: []string{k.Variable() + "=" + value}}
		if got := load(t, o).Origin(k.Name).Layer; got != config.EnvironmentLayer {
			t.Errorf("%s: layer %s", k.Variable(), got)
		}
	}
}
