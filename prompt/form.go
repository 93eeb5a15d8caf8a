package prompt

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/internal/exact"
	"github.com/proemhq/proem/span"
)

// The JSON forms of registrations and facts are for keeping: what is read back
// assembles to the same bytes. Every string comes back as it was, also one that
// is not UTF-8, and so does the difference between no list and an empty one. Equal
// values have equal forms; unknown fields and words are errors.

type originForm struct {
	Section exact.String `json:"section,omitempty"`
	Source  exact.String `json:"source,omitempty"`
	Scope   exact.String `json:"scope,omitempty"`
	Path    exact.String `json:"path,omitempty"`
	Stage   exact.String `json:"stage,omitempty"`
	Trust   trustForm    `json:"trust"`
}

func formOfOrigin(o *span.Origin) *originForm {
	if o == nil {
		return nil
	}
	return &originForm{exact.String(o.Section), exact.String(o.Source), exact.String(o.Scope), exact.String(o.Path),
		exact.String(o.Stage), trustForm{o.Trust, true}}
}

func (f *originForm) origin() (*span.Origin, error) {
	if f == nil {
		return nil, nil
	}
	return &span.Origin{Section: string(f.Section), Source: string(f.Source), Scope: string(f.Scope), Path: string(f.Path),
		Stage: string(f.Stage), Trust: f.Trust.trust}, f.Trust.check("origin")
}

// A trustForm is a trust that must be written: its zero value is the greatest
// trust, which nothing may gain by being left out.
type trustForm struct {
	trust span.Trust
	said  bool
}

func (f trustForm) check(what string) error {
	if !f.said {
		return errors.New(what + ": no trust")
	}
	return nil
}

// MarshalJSON refuses a level that has no name.
func (f trustForm) MarshalJSON() ([]byte, error) {
	if span.ParseTrust(f.trust.String()) != f.trust {
		return nil, fmt.Errorf("unknown trust %d", f.trust)
	}
	return exact.Encode(f.trust.String())
}

// UnmarshalJSON refuses an unknown name.
func (f *trustForm) UnmarshalJSON(b []byte) error {
	var name string
	if err := json.Unmarshal(b, &name); err != nil {
		return err
	}
	t := span.ParseTrust(name)
	if t.String() != name {
		return fmt.Errorf("unknown trust %q", name)
	}
	*f = trustForm{t, true}
	return nil
}

// MarshalText implements [encoding.TextMarshaler]. A number that is no channel is
// an error.
func (c Channel) MarshalText() ([]byte, error) {
	if c >= Channels {
		return nil, fmt.Errorf("%s is not a channel", c)
	}
	return []byte(c.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]; see [ParseChannel].
func (c *Channel) UnmarshalText(b []byte) (err error) {
	*c, err = ParseChannel(string(b))
	return err
}

// MarshalText implements [encoding.TextMarshaler]. A number that is no class is an
// error.
func (c Class) MarshalText() ([]byte, error) {
	if int(c) >= len(classNames) {
		return nil, fmt.Errorf("%s is not a class", c)
	}
	return []byte(c.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]; see [ParseClass].
func (c *Class) UnmarshalText(b []byte) (err error) {
	*c, err = ParseClass(string(b))
	return err
}

// A spansForm says how a text is made of spans. There may be one for each line of
// a file, so they are numbers.
type spansForm struct {
	// Text is what the spans read as; nil: the text that they belong to.
	Text *exact.String `json:"text,omitempty"`
	// Spans has four numbers for each span: its length, its offset, its origin's
	// place in Origins or -1, and 1 if it is a template, else 0.
	Spans   []int        `json:"spans"`
	Origins []originForm `json:"origins,omitempty"`
}

func formOfSpans(t span.Text, of string) *spansForm {
	if t == nil {
		return nil
	}
	f := &spansForm{Spans: make([]int, 0, 4*len(t))}
	if s := t.String(); s != of {
		e := exact.String(s)
		f.Text = &e
	}
	index := map[span.Origin]int{}
	for i := range t {
		from, template := -1, 0
		if o := t[i].From; o != nil {
			at, ok := index[*o]
			if !ok {
				at = len(f.Origins)
				index[*o] = at
				f.Origins = append(f.Origins, *formOfOrigin(o))
			}
			from = at
		}
		if t[i].Template {
			template = 1
		}
		f.Spans = append(f.Spans, len(t[i].Text), int(t[i].Off), from, template)
	}
	return f
}

func (f *spansForm) text(of string) (span.Text, error) {
	if f == nil {
		return nil, nil
	}
	if f.Text != nil {
		of = string(*f.Text)
	}
	if len(f.Spans)%4 != 0 {
		return nil, fmt.Errorf("spans: %d numbers are not four for each", len(f.Spans))
	}
	origins := make([]*span.Origin, len(f.Origins))
	for i := range f.Origins {
		var err error
		if origins[i], err = f.Origins[i].origin(); err != nil {
			return nil, fmt.Errorf("spans: origin %d: %w", i, err)
		}
	}
	out := make(span.Text, 0, len(f.Spans)/4)
	for at := 0; at < len(f.Spans); at += 4 {
		n, off, from, template := f.Spans[at], f.Spans[at+1], f.Spans[at+2], f.Spans[at+3]
		if n < 0 || n > len(of) || off < span.NoOffset || off > math.MaxInt32 || from < -1 || from >= len(origins) || template>>1 != 0 {
			return nil, fmt.Errorf("spans: span %d is [%d %d %d %d] with %d bytes and %d origins", at/4, n, off, from, template, len(of), len(origins))
		}
		s := span.Span{Text: of[:n], Off: int32(off), Template: template == 1}
		if from >= 0 {
			s.From = origins[from]
		}
		out, of = append(out, s), of[n:]
	}
	if of != "" {
		return nil, fmt.Errorf("spans: %d bytes behind the last one", len(of))
	}
	return out, nil
}

type specForm struct {
	Name        exact.String  `json:"name"`
	Description exact.String  `json:"description,omitempty"`
	Parameters  *exact.String `json:"parameters,omitempty"` // as they were written; nil: none
	Strict      bool          `json:"strict,omitempty"`
	From        *originForm   `json:"from,omitempty"`
}

func formOfSpecs(specs []chat.ToolSpec) []specForm {
	if specs == nil {
		return nil
	}
	out := make([]specForm, len(specs))
	for i := range specs {
		s := &specs[i]
		out[i] = specForm{Name: exact.String(s.Name), Description: exact.String(s.Description), Strict: s.Strict, From: formOfOrigin(s.From)}
		if s.Parameters != nil {
			p := exact.String(s.Parameters)
			out[i].Parameters = &p
		}
	}
	return out
}

func specsOf(forms []specForm) ([]chat.ToolSpec, error) {
	if forms == nil {
		return nil, nil
	}
	out := make([]chat.ToolSpec, len(forms))
	for i := range forms {
		f := &forms[i]
		from, err := f.From.origin()
		if err != nil {
			return nil, fmt.Errorf("tool %q: %w", string(f.Name), err)
		}
		out[i] = chat.ToolSpec{Name: string(f.Name), Description: string(f.Description), Strict: f.Strict, From: from}
		if f.Parameters != nil {
			out[i].Parameters = json.RawMessage(*f.Parameters)
		}
	}
	return out, nil
}
