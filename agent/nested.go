package agent

import (
	"context"
	"strings"

	"github.com/proemhq/proem/agent/internal/compact"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

// nestedSource is the source of spans that introduce a handed-over document.
const nestedSource = compact.HandedSource

// nested appends to a result the documents that hold for the paths which the
// tool touched and were not handed over in this session.
func (r *run) nested(ctx context.Context, text span.Text, touched []string) (span.Text, []session.Event) {
	if r.a.cfg.Nested == nil || len(touched) == 0 || ctx.Err() != nil {
		return text, nil
	}
	var events []session.Event
	given := r.l.given(r.l.folder.View().Messages)
	for _, path := range touched {
		docs, diagnostics, err := r.a.cfg.Nested.Near(ctx, path)
		if err != nil {
			diagnostics = append(diagnostics, prompt.Diagnostic{Severity: prompt.Warning, Code: "nested.failed", Path: path, Message: err.Error()})
		}
		for _, d := range docs {
			if given[d.Name] {
				continue
			}
			given[d.Name] = true
			text = append(text, handOver(d)...)
		}
		for i, d := range diagnostics {
			if !r.l.told[d] {
				if r.l.told == nil {
					r.l.told = map[prompt.Diagnostic]bool{}
				}
				r.l.told[d] = true
				events = append(events, session.Event{Kind: session.Diagnostic, Diagnostic: &diagnostics[i]})
			}
		}
	}
	return text, events
}

// handOver returns a document as it stands behind a result.
func handOver(d prompt.Doc) span.Text {
	_, path, ok := strings.Cut(d.Name, ":")
	if !ok {
		path = d.Name
	}
	content := d.Spans
	if content == nil {
		content = span.Of(d.Text, &span.Origin{Section: d.Name, Source: "file", Path: d.Path, Trust: d.Trust})
	}
	head := &span.Origin{Section: d.Name, Source: nestedSource}
	out := span.OfGenerated("\n\nInstructions that hold below this directory:\n", head)
	return append(out, stage.Enclose("file", path, d.Trust, content)...)
}

// given returns the names of the documents that the history hands over. The set
// is kept, and the history is looked at once.
func (l *live) given(history []chat.Message) map[string]bool {
	if l.nested == nil {
		l.nested = map[string]bool{}
		for _, m := range history {
			for _, name := range compact.Names(m) {
				l.nested[name] = true
			}
		}
	}
	return l.nested
}
