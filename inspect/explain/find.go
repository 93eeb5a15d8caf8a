package explain

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// A Query says what to look for. The first field that is set counts; Any is a
// section, a file, a tool or a text, whatever there is first.
type Query struct {
	Section string
	File    string // absolute, or the end of a path
	Tool    string
	Offset  *int // a byte of the body
	Text    string
	Any     string
}

// A Match is a place in a text that a query found.
type Match struct {
	Kind   string  `json:"kind"` // section, file, tool, offset or text
	Name   string  `json:"name"` // of the section or tool, if it is one
	Text   string  `json:"text"` // in which text it stands
	Start  int     `json:"start"`
	End    int     `json:"end"`
	Ranges []Range `json:"ranges"`
}

// maxMatches bounds how many places of a text are found.
const maxMatches = 1000

// Find returns the places that a query is about, in the order of the prompt.
// None: the prompt has nothing of that kind.
func (r *Report) Find(q Query) []Match {
	switch {
	case q.Section != "":
		return r.bySection(q.Section)
	case q.File != "":
		return r.byFile(q.File)
	case q.Tool != "":
		return r.byTool(q.Tool)
	case q.Offset != nil:
		return r.byOffset(*q.Offset)
	case q.Text != "":
		return r.byText(q.Text)
	}
	if q.Any == "" {
		return nil
	}
	for _, find := range []func(string) []Match{r.bySection, r.byTool, r.byFile, r.byText} {
		if out := find(q.Any); out != nil {
			return out
		}
	}
	return nil
}

// text returns the text of a name.
func (r *Report) text(name string) *Text {
	for i := range r.Texts {
		if r.Texts[i].Name == name {
			return &r.Texts[i]
		}
	}
	return &Text{}
}

func (r *Report) bySection(name string) []Match {
	var out []Match
	for _, s := range r.Sections {
		if s.Name == name {
			out = append(out, Match{Kind: "section", Name: s.Name, Text: s.Channel, Start: s.Start, End: s.End, Ranges: r.text(s.Channel).Between(s.Start, s.End)})
		}
	}
	return out
}

func (r *Report) byTool(name string) []Match {
	var out []Match
	for _, t := range r.Tools {
		if t.Name == name {
			out = append(out, Match{Kind: "tool", Name: t.Name, Text: "tools", Start: t.Start, End: t.End, Ranges: r.text("tools").Between(t.Start, t.End)})
		}
	}
	return out
}

// byFile finds the ranges that were read from a file: those next to each other
// are one place.
func (r *Report) byFile(name string) []Match {
	aliases := map[string]bool{} // paths under which the file is known here
	for _, s := range r.Sections {
		for _, a := range s.Aliases {
			if samePath(a, name) {
				aliases[s.Path] = true
			}
		}
	}
	var out []Match
	for i := range r.Texts {
		t := &r.Texts[i]
		for _, g := range t.Ranges {
			if g.Path == "" || !samePath(g.Path, name) && !aliases[g.Path] {
				continue
			}
			if n := len(out); n > 0 && out[n-1].Text == t.Name && out[n-1].End == g.Start {
				out[n-1].End, out[n-1].Ranges = g.End, append(out[n-1].Ranges, g)
				continue
			}
			out = append(out, Match{Kind: "file", Name: cmp.Or(r.sectionAt(t.Name, g.Start), g.Section), Text: t.Name, Start: g.Start, End: g.End, Ranges: []Range{g}})
		}
	}
	return out
}

// samePath reports whether a path is the one asked for, or ends in it.
func samePath(path, asked string) bool {
	path, asked = filepath.ToSlash(path), strings.TrimPrefix(filepath.ToSlash(asked), "./")
	return asked != "" && (path == asked || strings.HasSuffix(path, "/"+strings.TrimPrefix(asked, "/")) && !strings.HasPrefix(asked, "/"))
}

func (r *Report) byOffset(at int) []Match {
	g, ok := r.Body.At(at)
	if !ok {
		return nil
	}
	return []Match{{Kind: "offset", Name: g.Section, Text: r.Body.Name, Start: g.Start, End: g.End, Ranges: []Range{g}}}
}

// byText finds a text in channels, tools and messages.
func (r *Report) byText(s string) []Match {
	var out []Match
	for i := range r.Texts {
		t := &r.Texts[i]
		for at := 0; len(out) < maxMatches; {
			n := strings.Index(t.Text[at:], s)
			if n < 0 {
				break
			}
			lo := at + n
			at = lo + len(s)
			out = append(out, Match{Kind: "text", Name: r.sectionAt(t.Name, lo), Text: t.Name, Start: lo, End: at, Ranges: t.Between(lo, at)})
		}
	}
	return out
}

// sectionAt returns the section or tool that holds a byte of a text.
func (r *Report) sectionAt(text string, at int) string {
	for _, s := range r.Sections {
		if s.Channel == text && s.Start <= at && at < s.End {
			return s.Name
		}
	}
	if text == "tools" {
		for _, t := range r.Tools {
			if t.Start <= at && at < t.End {
				return t.Name
			}
		}
	}
	return ""
}

// won returns the omissions that a section is the reason of.
func (r *Report) won(s *Section) []Omission {
	out := []Omission{}
	for _, o := range r.Omitted {
		by, shadowed := strings.CutPrefix(o.Reason, "shadowed by ")
		switch {
		case !shadowed:
		case o.Stage == "resolve" && o.Name == s.Name && strings.HasPrefix(by, "the section of "):
			out = append(out, o)
		case s.Path != "" && o.Path != "" && by == filepath.Base(s.Path) && filepath.Dir(o.Path) == filepath.Dir(s.Path) && o.Path != s.Path:
			out = append(out, o)
		}
	}
	return slices.Clip(out)
}
