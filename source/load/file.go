package load

import (
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// A File is what was read of a file. It is shared by all who ask for the same
// file and must not be changed.
type File struct {
	Name    string   // as asked for, relative to the root
	Real    string   // the same without links, relative to the root
	Path    string   // absolute: the root's name and Name
	Text    string   // normalised
	SHA256  string   // of the bytes as read, in hex
	Size    int64    // of the whole file, in bytes
	Partial bool     // the file is longer than what was read
	Info    env.Info // when it was read; its times may be older than the file's
	// Diagnostics is what the reading found, with this file's path.
	Diagnostics []prompt.Diagnostic

	pieces []textnorm.Piece
}

// Spans returns the text as spans of the given origin. A span that reading
// changed has a copy of the origin with Stage set to [Stage].
func (f *File) Spans(from span.Origin) span.Text {
	out := make(span.Text, 0, len(f.pieces))
	var changed *span.Origin
	for _, p := range f.pieces {
		s := span.Span{Text: f.Text[p.Lo:p.Hi], From: &from, Off: int32(p.Off)}
		if p.Rewritten {
			if changed == nil {
				c := from
				c.Stage = Stage
				changed = &c
			}
			s.From = changed
		}
		out = append(out, s)
	}
	return out
}

// Offset returns the place in the file of byte i of Text: exact where nothing
// was changed, else where the changed span begins.
func (f *File) Offset(i int) int {
	return textnorm.Result{Text: f.Text, Pieces: f.pieces}.Offset(i)
}

// Blank reports whether the text holds white space only.
func (f *File) Blank() bool { return strings.TrimSpace(f.Text) == "" }

// Same reports whether both are the same file on disk, reached by whatever name.
// Where the file system has no identities it is false.
func (f *File) Same(g *File) bool { return f == g || sameFile(f.Info, g.Info) }

// equal reports whether both say the same about the same file.
func (f *File) equal(g *File) bool {
	return f.SHA256 == g.SHA256 && f.Size == g.Size && f.Real == g.Real &&
		f.Info.Dev == g.Info.Dev && f.Info.Inode == g.Info.Inode
}

func sameFile(a, b env.Info) bool {
	return a.Inode != 0 && a.Inode == b.Inode && a.Dev == b.Dev
}

// diagnostics gives the findings of a text their path.
func diagnostics(path string, fs []textnorm.Finding) []prompt.Diagnostic {
	var out []prompt.Diagnostic
	for _, f := range fs {
		out = append(out, prompt.Diagnostic{
			Severity: prompt.Warning,
			Code:     "doc." + f.Kind,
			Path:     path,
			Line:     f.Line,
			Column:   f.Column,
			Offset:   f.Off,
			Message:  f.Message,
		})
	}
	return out
}
