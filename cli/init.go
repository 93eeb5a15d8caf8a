package cli

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/env"
)

//go:embed starter
var starterFiles embed.FS

// foreign are the files of other tools that init --adopt makes use of.
var foreign = struct{ files, skills []string }{
	files:  []string{"CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"},
	skills: []string{".claude/skills", ".gemini/skills"},
}

func (c *command) initCommand() *cobra.Command {
	var adopt bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a starter workspace; never overwrites",
		Long: "Writes AGENTS.md, .proem/agent.yaml with a system prompt and task instructions, and an example skill. A file that\n" +
			"exists is left as it is. With --adopt the instruction files and skills of other tools are used as well.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.init(adopt) },
	}
	cmd.Flags().BoolVar(&adopt, "adopt", false, "use the instruction files and skills of other tools that are here")
	return cmd
}

func (c *command) init(adopt bool) error {
	b := &bench{env: env.OrSystem(c.p.Env)}
	var err error
	if b.place, err = c.findPlace(b.env, []string{".git"}); err != nil {
		return err
	}
	root, err := b.env.Files.OpenRoot(b.place.root)
	if err != nil {
		return err
	}
	defer root.Close()
	adopted := ""
	if adopt {
		if adopted, err = adoptable(root); err != nil {
			return err
		}
	}
	_, err = root.Stat(".proem/agent.yaml")
	configured := err == nil
	begun := begun{Schema: "proem.init/1", Root: b.place.root, Files: []begunFile{}}
	err = fs.WalkDir(starterFiles, "starter", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := starterFiles.ReadFile(name)
		if err != nil {
			return err
		}
		to := strings.Replace(strings.TrimPrefix(name, "starter/"), "dot-proem", ".proem", 1)
		if to == "AGENTS.md" && strings.Contains(adopted, "fallbacks:") {
			return nil // the project has instructions already
		}
		if configured && path.Dir(to) == ".proem" && path.Ext(to) == ".md" {
			return nil // texts that the project's own agent.yaml does not name
		}
		if to == ".proem/agent.yaml" {
			data = append(data, adopted...)
		}
		written, err := c.writeNew(root, to, data)
		begun.Files = append(begun.Files, begunFile{to, written})
		return err
	})
	if err != nil {
		return err
	}
	if c.flags.json {
		return c.printJSON(begun)
	}
	if adopt && adopted == "" {
		c.say("info init: there is nothing of other tools here to adopt")
	}
	if b.place.root != b.place.cwd {
		c.say("info init: the files are in %s", b.place.root)
	}
	c.say("%s", c.own("next: proem prompt shows what a model would be sent here; proem trust lets run use these files"))
	return nil
}

// A begun workspace is what init prints with --json.
type begun struct {
	Schema string      `json:"schema"`
	Root   string      `json:"root"`
	Files  []begunFile `json:"files"`
}

// A begunFile is a file of the starter.
type begunFile struct {
	Path    string `json:"path"`
	Written bool   `json:"written"` // else it was there, and is as it was
}

// writeNew writes a file that does not exist and says so.
func (c *command) writeNew(root env.Root, name string, data []byte) (written bool, err error) {
	out := c.p.Stdout
	if c.flags.json {
		out = c.p.Stderr
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return false, err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		fmt.Fprintf(out, "kept     %s\n", name)
		if name == ".proem/agent.yaml" && strings.Contains(string(data), adoptHeading) {
			_, keys, _ := strings.Cut(string(data), adoptHeading)
			fmt.Fprintf(out, "         add to it, to adopt what is here:\n%s", indent(keys))
		}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		fmt.Fprintf(out, "written  %s\n", name)
	}
	return err == nil, err
}

func indent(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("           " + line)
	}
	return b.String()
}

const adoptHeading = "# Adopted from other tools:\n"

// adoptable returns the configuration that makes use of what other tools left
// here, or "" if there is nothing.
func adoptable(root env.Root) (string, error) {
	find := func(names []string) ([]string, error) {
		var found []string
		for _, n := range names {
			switch _, err := root.Stat(n); {
			case err == nil:
				found = append(found, n)
			case !errors.Is(err, fs.ErrNotExist):
				return nil, err
			}
		}
		return found, nil
	}
	files, err := find(foreign.files)
	if err != nil {
		return "", err
	}
	skills, err := find(foreign.skills)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if len(files) > 0 {
		fmt.Fprintf(&b, "project:\n  fallbacks: [%s]\n", strings.Join(files, ", "))
	}
	if len(skills) > 0 {
		fmt.Fprintf(&b, "skills:\n  roots: [.proem/skills, .agents/skills, %s]\n", strings.Join(skills, ", "))
	}
	if b.Len() == 0 {
		return "", nil
	}
	return adoptHeading + b.String(), nil
}
