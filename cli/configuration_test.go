package cli

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/proemhq/proem/cli/config"
)

var update = flag.Bool("update", false, "rewrite the table of keys in docs/configuration.md")

// TestConfigurationDocument keeps the table in docs/configuration.md that of the
// program.
func TestConfigurationDocument(t *testing.T) {
	const path, begin, end = "../docs/configuration.md", "<!-- keys -->\n", "<!-- /keys -->\n"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), begin)
	got, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s: no place for the table of keys", path)
	}
	want := keysTable()
	switch {
	case got == want:
	case *update:
		if err := os.WriteFile(path, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s: the table of keys is stale; go test ./cli -run TestConfigurationDocument -update rewrites it", path)
	}
}

// keysTable returns the table of keys in Markdown.
func keysTable() string {
	escape := strings.NewReplacer("|", "\\|", "*", "\\*", "<", "\\<").Replace
	var b strings.Builder
	b.WriteString("\n| key | type | default | meaning |\n|---|---|---|---|\n")
	for _, k := range config.Keys() {
		value := escape(k.Otherwise)
		if k.Default != "" {
			value = "`" + strings.ReplaceAll(k.Default, "|", "\\|") + "`"
		}
		meaning := escape(cmp.Or(k.Meaning, "—"))
		if k.Values != nil {
			meaning += ": " + strings.Join(k.Values, ", ")
		}
		var marks []string
		if k.Required {
			marks = append(marks, "required")
		}
		if k.UserOnly {
			marks = append(marks, "user only")
		}
		if marks != nil {
			meaning += " *(" + strings.Join(marks, ", ") + ")*"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, k.Type, value, meaning)
	}
	return b.String() + "\n"
}
