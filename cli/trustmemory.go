package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/tool"
)

// trustedSave is memory_save in a folder that is trusted as it was: the user
// consented to the call, so the file is not held back for what it added. A file
// that somebody else had changed before stays held back.
type trustedSave struct {
	tool.Tool
	c *command
	b *bench
}

// Effect implements [tool.Effector].
func (t trustedSave) Effect(ctx context.Context, args json.RawMessage) tool.Effect {
	return tool.EffectOf(ctx, t.Tool, args)
}

// Call implements [tool.Tool].
func (t trustedSave) Call(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	path := filepath.Join(t.b.place.workspace, "MEMORY.md")
	before, err := t.read(path)
	covered := err == nil && t.b.guard.Covers(path, before)
	result, err := t.Tool.Call(ctx, args)
	if err != nil || result.IsError || !covered {
		return result, err
	}
	after, failed := t.read(path)
	if failed == nil && after != nil {
		failed = t.c.trustStore(t.b).Save(t.b.guard.Cover(path, after))
	}
	if failed != nil {
		result.Diagnostics = append(result.Diagnostics, prompt.Diagnostic{Severity: prompt.Warning, Code: "trust.changed", Path: path,
			Message: "the memory was saved, but the trust in it was not: " + failed.Error()})
	}
	return result, nil
}

// read returns what a file holds; nil: it is not there.
func (t trustedSave) read(path string) ([]byte, error) {
	data, err := readFile(t.b.env, path, 1<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && data == nil:
		data = []byte{}
	}
	return data, err
}
