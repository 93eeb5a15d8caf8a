package memory

import (
	"fmt"
	"io/fs"
	"path"

	"github.com/proemhq/proem/prompt"
)

// Held returns the paths of the shared files that are there and would be
// injected, without opening one: what a folder that is not trusted keeps back.
func (s *Source) Held() ([]string, error) {
	w, err := s.enter(prompt.Who{Tenant: s.cfg.Tenant})
	if err != nil {
		return nil, fmt.Errorf("source memory: %w", err)
	}
	defer w.close()
	if w.root == nil {
		return nil, nil
	}
	extras, _ := s.cfg.extras()
	var out []string
	for _, name := range append([]string{Persona, Memory, Intro}, extras...) {
		info, err := w.root.Lstat(path.Join(w.home, name))
		if err == nil && info.Mode().Type()&^fs.ModeSymlink == 0 {
			out = append(out, w.path(w.home, name))
		}
	}
	return out, nil
}
