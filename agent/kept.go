package agent

import (
	"context"
	"fmt"

	"github.com/proemhq/proem/internal/exact"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
)

// A keptReader reads the kept contents of a session.
type keptReader struct {
	ctx   context.Context
	store session.Keeper
	id    string
}

func (k *keptReader) into(sum string, v interface{ UnmarshalJSON([]byte) error }) error {
	form, err := k.store.Kept(k.ctx, k.id, sum)
	if err != nil {
		return err
	}
	if session.Sum(form) != sum { // whatever the store promises
		return fmt.Errorf("content %s: %w", sum, session.ErrDamaged)
	}
	if err := v.UnmarshalJSON(form); err != nil {
		return fmt.Errorf("content %s: %w", sum, err)
	}
	return nil
}

// A formOf is a kept form that holds sums of others.
type formOf[T any] struct{ v T }

// UnmarshalJSON reads the form strictly.
func (f *formOf[T]) UnmarshalJSON(b []byte) error { return exact.Decode(b, &f.v) }

func (k *keptReader) snapshot(sum string) (prompt.Snapshot, error) {
	var f formOf[layersForm]
	if err := k.into(sum, &f); err != nil {
		return prompt.Snapshot{}, err
	}
	layers := make([]prompt.Layer, len(f.v.Layers))
	for i, sum := range f.v.Layers {
		if err := k.into(sum, &layers[i]); err != nil {
			return prompt.Snapshot{}, err
		}
	}
	return prompt.NewSnapshot(0, layers...)
}

func (k *keptReader) facts(sum string) (*prompt.Facts, error) {
	var f formOf[factsForm]
	if err := k.into(sum, &f); err != nil {
		return nil, err
	}
	facts := make(map[string]prompt.Fact, len(f.v.Facts))
	for _, e := range f.v.Facts {
		var v prompt.Fact
		var err error
		if e.Sum != "" {
			err = k.into(e.Sum, &v)
		} else {
			err = v.UnmarshalJSON(e.Fact)
		}
		if err != nil {
			return nil, fmt.Errorf("fact %q: %w", string(e.Name), err)
		}
		facts[string(e.Name)] = v
	}
	return prompt.NewFacts(facts), nil
}
