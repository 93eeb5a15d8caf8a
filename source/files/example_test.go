package files_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/files"
)

// project makes a small project and returns its directory.
func project() string {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	for name, text := range map[string]string{
		".git":          "",
		"AGENTS.md":     "Use tabs.\n@style.md\n",
		"style.md":      "Keep lines short.\n",
		"svc/AGENTS.md": "Run make test.\n",
	} {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			panic(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			panic(err)
		}
	}
	return dir
}

func ExampleNew() {
	dir := project()
	defer os.RemoveAll(dir)
	src := files.New(files.Config{Cwd: filepath.Join(dir, "svc")})
	fact, err := src.Read(context.Background(), source.Query{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range fact.Docs {
		fmt.Printf("%s: %q\n", d.Name, d.Text)
	}
	// Output:
	// project:AGENTS.md: "Use tabs.\nKeep lines short.\n"
	// project:svc/AGENTS.md: "Run make test.\n"
}
