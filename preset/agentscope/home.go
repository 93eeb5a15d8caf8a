package agentscope

import (
	"context"
	"sync"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/memory"
)

// A Home reads the workspace, with other instruction files for a workspace that
// has no AGENTS.md of its own. It may be used concurrently.
type Home struct {
	cfg      memory.Config
	files    *memory.Source
	fallback source.Source

	mu      sync.Mutex
	smaller map[int]*memory.Source // by the tokens that the fallback takes of the budget
}

// NewHome returns the source of a workspace. Of fallback, such as the project's
// instruction files, the documents are used where the workspace has no AGENTS.md
// for whoever asks; else they are noted as shadowed. It may be nil. What is used
// of it counts against the workspace's budget, and is not cut itself.
func NewHome(c memory.Config, fallback source.Source) *Home {
	if c.MaxTokens == 0 {
		c.MaxTokens = memory.DefaultMaxTokens
	}
	return &Home{cfg: c, files: memory.New(c), fallback: fallback, smaller: map[int]*memory.Source{}}
}

// Files returns the source of the workspace alone, which knows where its files
// lie.
func (h *Home) Files() *memory.Source { return h.files }

// Read implements [source.Source].
func (h *Home) Read(ctx context.Context, q source.Query) (prompt.Fact, error) {
	f, err := h.files.Read(ctx, q)
	if err != nil || h.fallback == nil {
		return f, err
	}
	other, err := h.fallback.Read(ctx, q)
	if err != nil { // the workspace counts all the same
		f.Diagnostics = append(f.Diagnostics[:len(f.Diagnostics):len(f.Diagnostics)], prompt.Diagnostic{Severity: prompt.Warning,
			Code: "workspace.fallback", Message: "the instruction files of the project are left out: " + err.Error()})
		return f, nil
	}
	persona := "workspace:" + memory.Persona
	has := false
	for _, d := range f.Docs {
		has = has || d.Name == persona
	}
	for _, n := range f.Notes {
		has = has || n.Name == persona // it is there and has no room
	}
	if has {
		f.Notes = f.Notes[:len(f.Notes):len(f.Notes)]
		for _, d := range other.Docs {
			f.Notes = append(f.Notes, prompt.Note{Name: d.Name, Path: d.Path, Stage: memory.Stage, Reason: "shadowed by " + persona})
		}
		return f, nil
	}
	if len(other.Docs) > 0 && h.cfg.MaxTokens > 0 {
		if f, err = h.within(h.cost(other.Docs)).Read(ctx, q); err != nil {
			return f, err
		}
	}
	out := f
	out.Docs = append(append([]prompt.Doc(nil), other.Docs...), f.Docs...)
	out.Notes = append(append([]prompt.Note(nil), other.Notes...), f.Notes...)
	out.Diagnostics = append(append([]prompt.Diagnostic(nil), other.Diagnostics...), f.Diagnostics...)
	out.None = len(out.Docs) == 0
	return out, nil
}

// cost returns the tokens that documents take.
func (h *Home) cost(docs []prompt.Doc) int {
	n := 0
	for _, d := range docs {
		around := h.cfg.Overhead
		if around == 0 {
			around = memory.DefaultOverhead
		}
		count := h.cfg.Count
		if count == nil {
			count = func(s string) int { return (len(s) + 2) / 3 }
		}
		n += count(d.Text) + max(around, 0)
	}
	return n
}

// within returns the workspace's source with what is left of its budget.
func (h *Home) within(used int) *memory.Source {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.smaller[used]
	if s == nil {
		c := h.cfg
		c.MaxTokens = max(c.MaxTokens-used, 1)
		s = memory.New(c)
		if len(h.smaller) >= 64 {
			clear(h.smaller)
		}
		h.smaller[used] = s
	}
	return s
}
