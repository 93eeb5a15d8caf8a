package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/proemhq/proem/prompt"
	workspace "github.com/proemhq/proem/source/memory"
)

// Recent returns the texts of somebody's MEMORY.md and of their ledger of today,
// normalised; empty if there is none. Nothing is made.
func (s *Store) Recent(ctx context.Context, who prompt.Who) (main, today string, err error) {
	if err := s.admit(who); err != nil {
		return "", "", fmt.Errorf("memory: %w", err)
	}
	if main, err = s.text(ctx, who, workspace.Memory); err == nil {
		today, err = s.text(ctx, who, workspace.Notes+"/"+s.today()+".md")
	}
	return main, today, err
}

func (s *Store) text(ctx context.Context, who prompt.Who, name string) (string, error) {
	f, err := s.load(ctx, who, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return f.Text, nil
}
