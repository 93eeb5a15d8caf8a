package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/source/files"
)

// A place is where a command works and where its files lie. All paths are
// absolute; those of the user are empty without a home directory.
type place struct {
	cwd, root  string
	workspace  string // the agent's home
	home       string // the user's
	userConfig string // the directory of the user's configuration
	userState  string // the directory of what proem itself keeps
}

// getenv returns a variable of the process.
func (c *command) getenv(name string) string {
	for i := len(c.p.Environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(c.p.Environ[i], "="); ok && k == name {
			return v
		}
	}
	return ""
}

// home returns the user's home directory, or "".
func (c *command) home() string {
	if home := c.getenv("HOME"); home != "" {
		return home
	}
	return c.getenv("USERPROFILE")
}

// userPlace finds the user's directories by the XDG rules.
func (c *command) userPlace() (config, state string) {
	home := c.home()
	dir := func(variable, below string) string {
		if v := c.getenv(variable); filepath.IsAbs(v) {
			return filepath.Join(v, "proem")
		}
		if home == "" {
			return ""
		}
		return filepath.Join(home, below, "proem")
	}
	return dir("XDG_CONFIG_HOME", ".config"), dir("XDG_STATE_HOME", filepath.Join(".local", "state"))
}

// userFile returns the path of the user's configuration, for messages.
func (c *command) userFile() string {
	dir, _ := c.userPlace()
	if dir == "" {
		return "a file for --config"
	}
	return filepath.Join(dir, "config.yaml")
}

// findPlace finds the working directory and the project around it.
func (c *command) findPlace(e *env.Env, markers []string) (place, error) {
	var p place
	p.cwd = c.flags.cwd
	if !filepath.IsAbs(p.cwd) {
		if c.p.Dir == "" {
			return p, errors.New("the working directory was deleted or cannot be named; give another with --cwd")
		}
		p.cwd = filepath.Join(c.p.Dir, p.cwd)
	}
	p.cwd = filepath.Clean(p.cwd)
	root, err := files.FindRoot(e, p.cwd, markers)
	if err != nil {
		return p, fmt.Errorf("--cwd %s: %w", c.flags.cwd, err)
	}
	p.root = root
	p.workspace = filepath.Join(root, ".proem")
	p.home = c.home()
	p.userConfig, p.userState = c.userPlace()
	return p, nil
}

// projectFile returns the path of the project's own configuration.
func (p place) projectFile() string { return filepath.Join(p.root, ".proem", "agent.yaml") }

// projectState returns the directory in which proem keeps what belongs to the
// project: a readable name and a hash of the path, never inside the repository.
func (p place) projectState() string {
	if p.userState == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(p.root))
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, filepath.Base(p.root))
	return filepath.Join(p.userState, "projects", name+"-"+hex.EncodeToString(sum[:6]))
}

// canonical returns the project's root without symbolic links.
func (b *bench) canonical() (string, error) {
	root, err := env.Canonical(b.env.Files, b.place.root)
	if err != nil {
		return "", fmt.Errorf("root %s: %w", b.place.root, err)
	}
	return root, nil
}
