// Package home finds the folder of one user in the agent's home.
//
// The home is a directory that all users of an agent share. What belongs to one
// user lies below a folder with the user's id, and nothing there serves anybody
// else:
//
//	h := home.Home{Root: "/w", Dir: ".proem"}
//	root, err := loader.OpenRoot(h.Root)
//	...
//	dir, ok, err := h.User(loader, root, prompt.Who{User: "u1"})
//	dir // ".proem/u1", if that is a directory
//
// An id becomes part of a path, so it is checked: letters, digits, dashes and
// underscores only, and none of the names that the home itself uses. The folder
// must have exactly the name of the user, also where the file system takes "Bob"
// for "bob", and must not be a link.
package home

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
)

// A Home says where an agent's home lies.
type Home struct {
	Root string // absolute: no link leads out of it, such as the project's root
	Dir  string // the home, slash-separated, below Root; "." or empty: Root itself
	// Tenant is the tenant whose users have folders here. Users of another one are
	// refused, because their ids may be the same.
	Tenant string
}

// reserved are the folders of the home itself. A user of that name would own
// what everybody shares.
var reserved = []string{"agents", "knowledge", "memory", "plans", "sessions", "skills", "subagents"}

// maxID is how long an id may be.
const maxID = 64

// Check reports what is wrong with the home.
func (h Home) Check() error {
	if !filepath.IsAbs(h.Root) {
		return fmt.Errorf("%q is not an absolute path", h.Root)
	}
	if !filepath.IsLocal(filepath.FromSlash(h.Name())) {
		return fmt.Errorf("%q is not a name below a directory", h.Dir)
	}
	return nil
}

// Name returns the name of the home below its root.
func (h Home) Name() string { return path.Clean(filepath.ToSlash(h.Dir)) }

// CheckUser reports why an id cannot be that of a user.
func CheckUser(id string) error {
	switch {
	case !IsID(id):
		return fmt.Errorf("user id %.80q does not match [A-Za-z0-9_-]{1,%d}", id, maxID)
	case slices.Contains(reserved, strings.ToLower(id)):
		return fmt.Errorf("user id %q is the name of a folder that all users share", id)
	}
	return nil
}

// IsID reports whether s matches [A-Za-z0-9_-]{1,64}.
func IsID(s string) bool {
	return s != "" && len(s) <= maxID && !strings.ContainsFunc(s, func(r rune) bool { return !isWord(r) })
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// Admit reports why somebody may not use the home: a tenant that is not its own,
// or an id that cannot be one.
func (h Home) Admit(who prompt.Who) error {
	if who.Tenant != h.Tenant {
		return fmt.Errorf("tenant %q: the home belongs to tenant %q", who.Tenant, h.Tenant)
	}
	if who.User == "" {
		return nil
	}
	return CheckUser(who.User)
}

// User returns the name, below the root, of a user's own folder. It is not ok if
// nobody is named or there is no such folder. A home that did not change costs
// one stat.
func (h Home) User(l *load.Loader, root env.Root, who prompt.Who) (dir string, ok bool, err error) {
	if err := h.Admit(who); err != nil || who.User == "" {
		return "", false, err
	}
	entries, err := l.List(root, h.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	i, found := slices.BinarySearchFunc(entries, who.User, func(e fs.DirEntry, id string) int { return strings.Compare(e.Name(), id) })
	if !found || !entries[i].IsDir() {
		return "", false, nil
	}
	return path.Join(h.Name(), who.User), true, nil
}

// Within reports whether a name is that of a directory or lies below it. Both
// are clean.
func Within(name, dir string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, dir+"/")
}
