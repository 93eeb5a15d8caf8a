package archtest_test

import (
	"testing"

	"github.com/proemhq/proem/internal/archtest"
)

const module = "github.com/proemhq/proem"

// arrows is the architecture of proem: what each area may import. An arrow
// permits all it reaches, so a row names the nearest only.
var arrows = []archtest.Row{
	{Path: "."}, // the map of the module: documentation, no code

	{Path: "span", Pure: true},
	{Path: "chat", Pure: true, To: []string{"span"}},
	{Path: "prompt", Pure: true, To: []string{"chat"}},
	{Path: "stage", Pure: true, To: []string{"prompt"}},
	{Path: "wire", Pure: true, To: []string{"prompt"}},

	{Path: "env", Common: true}, // the one seam to the world
	{Path: "internal/pmap", Pure: true, Common: true},
	{Path: "internal/exact", Pure: true, Common: true},
	{Path: "internal/sse", Pure: true, Common: true},
	{Path: "internal/textnorm", Pure: true, Common: true},
	{Path: "internal/textedit", Pure: true, Common: true},
	{Path: "internal/markdown", Pure: true, Common: true},
	{Path: "internal/near", Pure: true, Common: true},
	{Path: "internal/gitignore", Pure: true, Common: true},
	{Path: "internal/visible", Pure: true, Common: true},
	{Path: "internal/redact", Pure: true, Common: true},
	{Path: "internal/frontmatter", Common: true},
	{Path: "internal/filetest"},
	{Path: "internal/archtest"},
	{Path: "internal/wiretest", To: []string{"wire"}}, // the tests of every dialect

	{Path: "trace", Common: true}, // spans hang on contexts, which pass everywhere that is not pure
	{Path: "token", To: []string{"span"}},
	{Path: "source", To: []string{"prompt"}},
	{Path: "registry", To: []string{"source"}},
	{Path: "session", To: []string{"prompt"}},
	{Path: "vfs", To: []string{"source"}}, // source: links are followed as its loader does
	{Path: "tool/permit/plain"},
	{Path: "tool/permit", To: []string{"tool"}},
	{Path: "tool", To: []string{"source", "stage", "tool/permit/plain", "vfs"}}, // stage: what a tool loads is fenced like a section
	{Path: "provider", To: []string{"wire"}},
	{Path: "preset", To: []string{"registry", "stage"}},         // not to agent: an agent without a preset takes the standard one
	{Path: "preset/agentscope", To: []string{"preset", "tool"}}, // tool: its tools have names of their own
	{Path: "agent", To: []string{"preset", "provider", "registry", "session", "token", "tool/permit"}},
	{Path: "agent/attach", To: []string{"agent", "preset/agentscope"}}, // the blocks of that preset
	{Path: "inspect", To: []string{"agent", "preset/agentscope"}},
	{Path: "prompttest", To: []string{"registry"}},
	{Path: "providertest", To: []string{"provider", "token"}},
	{Path: "cli", To: []string{"agent/attach", "inspect"}},
	{Path: "cmd", To: []string{"cli"}},
	{Path: "examples", To: []string{"cli", "prompttest"}},
}

func TestArrows(t *testing.T) {
	packages, err := archtest.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 5 {
		t.Fatalf("only %d packages were found", len(packages))
	}
	for _, problem := range archtest.Check(module, arrows, packages) {
		t.Error(problem)
	}
}
