package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/files"
	"github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/span"
)

// heldBack returns the paths of the project files that an untrusted run does not
// use. They are not opened.
func (b *bench) heldBack() ([]string, error) {
	found, err := files.Held(b.files())
	if err != nil {
		return nil, err
	}
	root, err := b.env.Files.OpenRoot(b.place.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if _, err := root.Lstat(".proem/agent.yaml"); err == nil {
		found = append(found, b.place.projectFile())
	}
	home, err := memory.New(b.homeConfig(nil)).Held()
	if err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	found = append(found, home...)
	declared, err := subagents.New(subagents.Config{Env: b.env, Places: b.projectSubagents()}).Held()
	if err != nil {
		return nil, fmt.Errorf("subagents: %w", err)
	}
	found = append(found, declared...)
	for _, t := range b.skillTiers(nil) {
		if t.trust == span.User {
			continue
		}
		held, err := t.folder.Held(context.Background(), prompt.Who{})
		if err != nil {
			return nil, fmt.Errorf("skills: %w", err)
		}
		found = append(found, held...)
	}
	return found, nil
}

// announce says what is held back, and how the model was found.
func (c *command) announce(b *bench, o options) {
	if b.model.how != "" {
		c.say("info model: %s", b.model.how)
	}
	if len(b.held) == 0 {
		return
	}
	list := plural(len(b.held), "project file")
	names := make([]string, len(b.held))
	for i, h := range b.held {
		names[i] = c.short(b, h)
	}
	if more := len(names) - 5; more > 1 {
		names = append(names[:5], fmt.Sprintf("and %d more", more))
	}
	list += " (" + strings.Join(names, ", ") + ")"
	switch {
	case !b.trusted:
		b.diagnostics = append(b.diagnostics, prompt.Diagnostic{Severity: prompt.Warning, Code: "trust.blocked", Path: b.place.root,
			Message: list + c.own(" held back: this folder is not trusted; proem trust shows and trusts it, --trust project uses what is there now")})
	case !o.run && c.flags.trust == "" && b.guard == nil:
		c.say("info trust: shown as if the folder were trusted; run holds back %s until %s trust or --trust project", list, c.app.Name)
	}
}
