package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"

	workspace "github.com/proemhq/proem/source/memory"
)

// journalName is the file that says up to where ledgers are in MEMORY.md.
const journalName = workspace.Notes + "/.consolidated.json"

// A mark is a place in the ledgers: all before it is in MEMORY.md.
type mark struct {
	Through string `json:"through"` // the name of a ledger; empty: none yet
	Bytes   int    `json:"bytes"`   // of it
}

// A journal is the place now, and that of each version in the archive.
type journal struct {
	mark
	Versions map[string]mark `json:"versions"`
}

// journal reads the journal. Without one no ledger is in MEMORY.md.
func (t *seat) journal() (journal, error) {
	j := journal{Versions: map[string]mark{}}
	got, err := t.read(path.Join(t.dir, journalName))
	if err != nil || !got.exists() {
		return j, err
	}
	d := json.NewDecoder(bytes.NewReader([]byte(got.text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil || j.Bytes < 0 {
		return j, fmt.Errorf("%s cannot be read; remove it to have all ledgers count as new", journalName)
	}
	if j.Versions == nil {
		j.Versions = map[string]mark{}
	}
	return j, nil
}

// record writes the journal. It may be lost: then ledgers are read again.
func (t *seat) record(ctx context.Context, j journal) error {
	b, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	return t.update(ctx, path.Join(t.dir, journalName), func(state) (draft, error) { return draft{text: string(b) + "\n"}, nil })
}
