package prompt

import (
	"bytes"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
)

// Equal reports whether two facts say the same. Texts that share their bytes
// are compared at no cost; errors are equal only if both are nil or read alike.
func (f Fact) Equal(g Fact) bool {
	return f.Text == g.Text && f.Ref == g.Ref && f.None == g.None && f.Class == g.Class && f.Trust == g.Trust &&
		equalErrors(f.Err, g.Err) && equalSpans(f.Spans, g.Spans) &&
		slices.EqualFunc(f.Tools, g.Tools, equalSpecs) && (f.Tools == nil) == (g.Tools == nil) &&
		slices.Equal(f.Known, g.Known) && (f.Known == nil) == (g.Known == nil) &&
		slices.EqualFunc(f.Docs, g.Docs, equalDocs) && (f.Docs == nil) == (g.Docs == nil) &&
		slices.EqualFunc(f.Notes, g.Notes, equalNotes) && slices.Equal(f.Diagnostics, g.Diagnostics)
}

func equalErrors(a, b error) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Error() == b.Error()
}

func equalSpans(a, b span.Text) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, func(x, y span.Span) bool {
		return x.Text == y.Text && x.Off == y.Off && x.Template == y.Template && equalOrigins(x.From, y.From)
	})
}

func equalOrigins(a, b *span.Origin) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func equalSpecs(a, b chat.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && a.Strict == b.Strict &&
		bytes.Equal(a.Parameters, b.Parameters) && equalOrigins(a.From, b.From)
}

func equalDocs(a, b Doc) bool {
	return a.Name == b.Name && a.Text == b.Text && a.Path == b.Path && a.SHA256 == b.SHA256 &&
		a.Class == b.Class && a.Trust == b.Trust && a.Rule == b.Rule && slices.Equal(a.Aliases, b.Aliases) && equalSpans(a.Spans, b.Spans)
}

func equalNotes(a, b Note) bool {
	return a.Name == b.Name && a.Path == b.Path && a.Stage == b.Stage && a.Reason == b.Reason &&
		a.Tokens == b.Tokens && equalOrigins(a.From, b.From)
}
