package memory_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/memory"
)

func ExampleSource() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"AGENTS.md":        "You are careful.\n",
		"MEMORY.md":        "- the shared memory\n",
		"u1/MEMORY.md":     "- u1 likes tabs\n",
		"knowledge/api.md": "GET /users\n",
	} {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			fmt.Println(err)
			return
		}
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			fmt.Println(err)
			return
		}
	}
	src := memory.New(memory.Config{Root: dir, Dir: "."})
	who := prompt.Who{User: "u1"}
	fact, err := src.Read(context.Background(), source.Query{Who: who})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range fact.Docs {
		fmt.Printf("%s: %s\n", d.Name, strings.ReplaceAll(strings.TrimSpace(d.Text), "\n", " | "))
	}
	at, err := src.Resolve(context.Background(), who, "knowledge/api.md")
	fmt.Println(at.Name, at.Own, err)
	// Output:
	// workspace:AGENTS.md: You are careful.
	// workspace:MEMORY.md: - u1 likes tabs
	// workspace:knowledge: Knowledge files: | - knowledge/api.md
	// knowledge/api.md false <nil>
}
