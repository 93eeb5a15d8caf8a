package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/proemhq/proem/internal/exact"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
)

// CodeNotKept is the code of the diagnostic that says why the requests of a
// session cannot be replayed.
const CodeNotKept = "replay.not_kept"

// A keeping remembers what of a session's requests the store has, and what it was
// made of: a step in which nothing changed is compared by identity, and neither
// written, encoded nor hashed.
type keeping struct {
	have     map[string]bool // sums
	snapshot part[prompt.Snapshot]
	facts    part[*prompt.Facts]
	making   part[making]
	entries  map[string]factEntry // of facts
	lineage  []string             // of snapshot
	told     bool                 // that something is not kept
	fresh    [][]byte             // contents that the store has to get
}

// A part is a value with the sum of its kept form.
type part[T any] struct {
	value T
	sum   string
	err   error // why it has no form
	done  bool
}

// A layersForm is the kept form of a snapshot: the sums of the layers that the
// lineage sees, each kept by itself, by scope.
type layersForm struct {
	Layers []string `json:"layers"`
}

// A factsForm is the kept form of facts. Long ones are kept by themselves, so that
// a clock that ticks does not have every file kept again.
type factsForm struct {
	Facts []factEntry `json:"facts"`
}

type factEntry struct {
	Name exact.String    `json:"name"`
	Sum  string          `json:"sum,omitempty"`  // under which it is kept; empty: it stands here
	Fact json.RawMessage `json:"fact,omitempty"` // its form
}

// longFact is the size from which on a fact is kept by itself.
const longFact = 1024

// keep has the store keep what the request was made from, and names it in the
// request. What has no form, or is too long, is no reason to end a turn: the events
// say so once.
func (r *run) keep(ctx context.Context, s *Step, request *session.Request) ([]session.Event, error) {
	store, ok := r.a.cfg.Store.(session.Keeper)
	if !ok {
		return nil, nil
	}
	k := &r.l.keeping
	if c := s.making.chain; c.On() {
		request.Chain = &session.Chain{Begin: c.Begin, ID: c.ID, Messages: c.Messages}
	}
	formless := k.update(s)
	if len(k.fresh) > 0 {
		if err := store.Keep(context.WithoutCancel(ctx), r.l.id, k.fresh...); err != nil {
			*k = keeping{told: k.told} // what is kept is not known
			return nil, err
		}
		for _, content := range k.fresh {
			k.have[session.Sum(content)] = true
		}
		k.fresh = nil
	}
	switch {
	case formless != nil && k.told:
		return nil, nil
	case formless != nil:
		k.told = true
		d := prompt.Diagnostic{Severity: prompt.Warning, Code: CodeNotKept, Message: "requests of this session cannot be replayed: " + formless.Error()}
		return []session.Event{{Kind: session.Diagnostic, Diagnostic: &d}}, nil
	}
	request.Snapshot, request.Facts, request.Input = k.snapshot.sum, k.facts.sum, k.making.sum
	return nil, nil
}

// update brings the sums up to date with a step. Contents that the store does not
// have are in fresh then.
func (k *keeping) update(s *Step) error {
	if k.have == nil {
		k.have = map[string]bool{}
	}
	if p := &k.snapshot; !p.done || !p.value.Same(s.Snapshot, s.making.lineage) || !slices.Equal(k.lineage, s.making.lineage) {
		sum, err := k.layers(s.Snapshot.Visible(s.making.lineage))
		*p, k.lineage = part[prompt.Snapshot]{s.Snapshot, sum, err, true}, s.making.lineage
	}
	if p := &k.facts; !p.done || p.value != s.Facts {
		sum, err := k.gathered(s.Facts)
		if err != nil {
			k.entries = nil // they are of older facts
		}
		*p = part[*prompt.Facts]{s.Facts, sum, err, true}
	}
	if p := &k.making; !p.done || !p.value.same(&s.making) {
		sum, err := k.put(s.making.MarshalJSON())
		*p = part[making]{s.making, sum, err, true}
	}
	for _, err := range []error{k.snapshot.err, k.facts.err, k.making.err} {
		if err != nil {
			return err
		}
	}
	return nil
}

// put returns the sum of a form and remembers the form for the store.
func (k *keeping) put(form []byte, err error) (string, error) {
	if err != nil {
		return "", err
	}
	if len(form) > session.MaxKept {
		return "", fmt.Errorf("a part of %d bytes: at most %d are kept", len(form), session.MaxKept)
	}
	sum := session.Sum(form)
	if !k.have[sum] {
		k.fresh = append(k.fresh, form)
	}
	return sum, nil
}

func (k *keeping) layers(s prompt.Snapshot) (string, error) {
	f := layersForm{Layers: []string{}}
	for _, scope := range s.Scopes() {
		l, _ := s.Layer(scope)
		sum, err := k.put(l.MarshalJSON())
		if err != nil {
			return "", err
		}
		f.Layers = append(f.Layers, sum)
	}
	return k.put(exact.Encode(f))
}

func (k *keeping) gathered(facts *prompt.Facts) (string, error) {
	f, entries := factsForm{Facts: []factEntry{}}, map[string]factEntry{}
	for _, name := range facts.Names() {
		e, ok := k.entries[name]
		if !ok || !facts.Same(k.facts.value, name) {
			v, _ := facts.Get(name)
			form, err := v.MarshalJSON()
			if err != nil {
				return "", fmt.Errorf("fact %q: %w", name, err)
			}
			e = factEntry{Name: exact.String(name), Fact: form}
			if len(form) >= longFact {
				e.Fact = nil
				if e.Sum, err = k.put(form, nil); err != nil {
					return "", fmt.Errorf("fact %q: %w", name, err)
				}
			}
		}
		f.Facts, entries[name] = append(f.Facts, e), e
	}
	k.entries = entries
	return k.put(exact.Encode(f))
}
