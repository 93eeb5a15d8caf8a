// Package memory has the tools by which a model remembers: memory_search,
// memory_get and memory_save, over a [store.Store].
//
//	s := store.New(store.Config{Root: "/w", Dir: ".proem", Shared: true})
//	tools := memory.Tools(s)
//	result, err := tools[2].Call(ctx, []byte(`{"text":"prefers tabs"}`))
//	result.Text // "saved as MEMORY.md:3"
//	result, err = tools[0].Call(ctx, []byte(`{"query":"tabs or spaces"}`))
//	result.Text // "MEMORY.md:3: - 2026-01-02: prefers tabs"
//
// Whose memory it is says [tool.Who], never an argument. What a prompt should say
// about them is a [Guidance].
package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/memory/store"
)

// The names of the tools.
const (
	SearchName = "memory_search"
	GetName    = "memory_get"
	SaveName   = "memory_save"
)

// Tools returns memory_search, memory_get and memory_save over a store. They may
// be used concurrently. For whom a call is says [tool.Who].
func Tools(s *store.Store) []tool.Tool { return []tool.Tool{SearchTool(s), GetTool(s), SaveTool(s)} }

type searchArgs struct {
	Query string `json:"query" description:"Words to look for."`
}

type getArgs struct {
	Path  string `json:"path" description:"MEMORY.md, or a file below memory/."`
	Lines string `json:"lines,omitempty" description:"Such as 10 or 10-20. Left out: all."`
}

type saveArgs struct {
	Text string `json:"text" description:"The entry, one short sentence that makes sense by itself."`
}

// SearchTool returns the tool memory_search{query}: it lists what of the memory
// has to do with the query, each with path and line.
func SearchTool(s *store.Store) tool.Tool {
	return tool.Must(tool.Make(tool.Def[searchArgs]{
		Name:        SearchName,
		Description: "Searches what you remember of earlier sessions. Returns entries with path and line.",
		Call: func(ctx context.Context, a searchArgs) (tool.Result, error) {
			f, err := s.Search(ctx, tool.Who(ctx), a.Query)
			if err != nil {
				return refusal(ctx, SearchName, err)
			}
			return tool.Result{Text: hitsText(f)}, nil
		},
		Effect: func(ctx context.Context, _ searchArgs) tool.Effect {
			paths, err := s.Folders(tool.Who(ctx))
			return tool.Effect{ReadOnly: true, Idempotent: true, Paths: paths, Refused: err != nil}
		},
	}))
}

// GetTool returns the tool memory_get{path, lines?}: it returns lines of MEMORY.md
// or of a file below memory/.
func GetTool(s *store.Store) tool.Tool {
	return tool.Must(tool.Make(tool.Def[getArgs]{
		Name:        GetName,
		Description: "Returns lines of what you remember, by the path and lines that " + SearchName + " names.",
		Call: func(ctx context.Context, a getArgs) (tool.Result, error) {
			l, err := store.ParseLines(a.Lines)
			var p store.Page
			if err == nil {
				p, err = s.Get(ctx, tool.Who(ctx), a.Path, l)
			}
			if err != nil {
				return refusal(ctx, GetName, err)
			}
			return tool.Result{Text: pageText(p)}, nil
		},
		Effect: func(ctx context.Context, a getArgs) tool.Effect {
			paths, err := s.Paths(ctx, tool.Who(ctx), a.Path)
			if _, lerr := store.ParseLines(a.Lines); err == nil {
				err = lerr
			}
			return tool.Effect{ReadOnly: true, Idempotent: true, Paths: paths, Refused: err != nil}
		},
	}))
}

// SaveTool returns the tool memory_save{text}: it adds an entry to MEMORY.md.
func SaveTool(s *store.Store) tool.Tool {
	return tool.Must(tool.Make(tool.Def[saveArgs]{
		Name:        SaveName,
		Description: "Remembers one entry for later sessions.",
		Call: func(ctx context.Context, a saveArgs) (tool.Result, error) {
			saved, err := s.Save(ctx, tool.Who(ctx), a.Text)
			if err != nil {
				return refusal(ctx, SaveName, err)
			}
			return tool.Result{Text: note(saved.String() + "\n")}, nil
		},
		Effect: func(ctx context.Context, a saveArgs) tool.Effect {
			paths, err := s.Changes(tool.Who(ctx), a.Text)
			return tool.Effect{Paths: paths, Refused: err != nil}
		},
	}))
}

// refusal makes a result of an error, which the model can act on.
func refusal(ctx context.Context, name string, err error) (tool.Result, error) {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return tool.Result{}, ctx.Err()
	}
	return tool.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "memory: ")), nil
}

var noteOrigin = span.Generated("memory")

func note(s string) span.Text { return span.OfGenerated(s, noteOrigin) }

// hitsText is what the model is shown of a search. A hit's further lines are indented,
// so that none of them looks like another hit.
func hitsText(f store.Found) span.Text {
	var out span.Text
	for _, h := range f.Hits {
		out = append(out, note(h.String()+": ")...)
		for at := 0; at < len(h.Text); {
			end := len(h.Text)
			if i := strings.IndexByte(h.Text[at:], '\n'); i >= 0 {
				end = at + i + 1
			}
			if at > 0 {
				out = append(out, note("    ")...)
			}
			out = append(out, h.Spans.Slice(at, end)...)
			at = end
		}
		if h.Cut {
			out = append(out, note(" […]")...)
		}
		out = append(out, note("\n")...)
	}
	notes := f.Notes
	switch {
	case len(f.Hits) == 0:
		notes = append([]string{"nothing that is remembered matches; try other words"}, notes...)
	case f.More > 0:
		notes = append([]string{fmt.Sprintf("%d more match; add words to find them", f.More)}, notes...)
	}
	for _, n := range notes {
		out = append(out, note("["+n+"]\n")...)
	}
	return out
}

// pageText is what the model is shown of a page.
func pageText(p store.Page) span.Text {
	out := p.Text
	if p.Total == 0 {
		return note("[" + p.Path + " is empty]\n")
	}
	if s := out.String(); !strings.HasSuffix(s, "\n") {
		out = append(out, note("\n")...)
	}
	switch {
	case p.Cut:
		out = append(out, note(fmt.Sprintf("[%s is cut here: the line is too long]\n", store.Cite{Path: p.Path, Line: p.Last}))...)
	case p.Line > 1 || p.Last < p.Total:
		out = append(out, note(fmt.Sprintf("[%s of %d lines]\n", p.Cite, p.Total))...)
	}
	return out
}
