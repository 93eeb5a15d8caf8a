package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/proemhq/proem/internal/exact"
)

type factForm struct {
	Text        exact.String   `json:"text,omitempty"`
	Spans       *spansForm     `json:"spans,omitempty"`
	Ref         exact.String   `json:"ref,omitempty"`
	None        bool           `json:"none,omitempty"`
	Error       *exact.String  `json:"error,omitempty"`
	Class       *Class         `json:"class"`
	Trust       trustForm      `json:"trust"`
	Tools       []specForm     `json:"tools,omitzero"`
	Known       []exact.String `json:"known,omitzero"`
	Docs        []docForm      `json:"docs,omitzero"`
	Notes       []noteForm     `json:"notes,omitempty"`
	Diagnostics []diagForm     `json:"diagnostics,omitempty"`
}

type docForm struct {
	Name    exact.String   `json:"name"`
	Text    exact.String   `json:"text,omitempty"`
	Spans   *spansForm     `json:"spans,omitempty"`
	Path    exact.String   `json:"path,omitempty"`
	Aliases []exact.String `json:"aliases,omitempty"`
	SHA256  exact.String   `json:"sha256,omitempty"`
	Class   *Class         `json:"class"`
	Trust   trustForm      `json:"trust"`
	Rule    exact.String   `json:"rule,omitempty"`
}

type noteForm struct {
	Name   exact.String `json:"name,omitempty"`
	Path   exact.String `json:"path,omitempty"`
	Stage  exact.String `json:"stage,omitempty"`
	Reason exact.String `json:"reason,omitempty"`
	From   *originForm  `json:"from,omitempty"`
	Tokens int          `json:"tokens,omitempty"`
}

type diagForm struct {
	Severity exact.String `json:"severity"`
	Code     exact.String `json:"code,omitempty"`
	Path     exact.String `json:"path,omitempty"`
	Line     int          `json:"line,omitempty"`
	Column   int          `json:"column,omitempty"`
	Offset   int          `json:"offset,omitempty"`
	Message  exact.String `json:"message,omitempty"`
}

func formOfFact(v *Fact) factForm {
	f := factForm{
		Text: exact.String(v.Text), Spans: formOfSpans(v.Spans, v.Text), Ref: exact.String(v.Ref), None: v.None, Class: &v.Class,
		Trust: trustForm{v.Trust, true}, Tools: formOfSpecs(v.Tools), Known: exact.Strings(v.Known),
	}
	if v.Err != nil {
		e := exact.String(v.Err.Error())
		f.Error = &e
	}
	if v.Docs != nil {
		f.Docs = make([]docForm, len(v.Docs))
	}
	for i := range v.Docs {
		d := &v.Docs[i]
		f.Docs[i] = docForm{exact.String(d.Name), exact.String(d.Text), formOfSpans(d.Spans, d.Text), exact.String(d.Path),
			exact.Strings(d.Aliases), exact.String(d.SHA256), &d.Class, trustForm{d.Trust, true}, exact.String(d.Rule)}
	}
	for _, n := range v.Notes {
		f.Notes = append(f.Notes, noteForm{exact.String(n.Name), exact.String(n.Path), exact.String(n.Stage), exact.String(n.Reason),
			formOfOrigin(n.From), n.Tokens})
	}
	for _, d := range v.Diagnostics {
		f.Diagnostics = append(f.Diagnostics, diagForm{exact.String(d.Severity.String()), exact.String(d.Code), exact.String(d.Path),
			d.Line, d.Column, d.Offset, exact.String(d.Message)})
	}
	return f
}

func (f *factForm) fact() (Fact, error) {
	if f.Class == nil {
		return Fact{}, errors.New("no class")
	}
	v := Fact{Text: string(f.Text), Ref: string(f.Ref), None: f.None, Class: *f.Class, Trust: f.Trust.trust, Known: exact.Plain(f.Known)}
	if f.Error != nil {
		v.Err = errors.New(string(*f.Error))
	}
	err := f.Trust.check("fact")
	if err == nil {
		v.Spans, err = f.Spans.text(v.Text)
	}
	if err == nil {
		v.Tools, err = specsOf(f.Tools)
	}
	if err != nil {
		return Fact{}, err
	}
	if f.Docs != nil {
		v.Docs = make([]Doc, len(f.Docs))
	}
	for i := range f.Docs {
		if v.Docs[i], err = f.Docs[i].doc(); err != nil {
			return Fact{}, fmt.Errorf("document %q: %w", string(f.Docs[i].Name), err)
		}
	}
	for _, n := range f.Notes {
		from, err := n.From.origin()
		if err != nil {
			return Fact{}, fmt.Errorf("note: %w", err)
		}
		v.Notes = append(v.Notes, Note{string(n.Name), string(n.Path), string(n.Stage), string(n.Reason), from, n.Tokens})
	}
	for _, d := range f.Diagnostics {
		var s Severity
		if err := s.UnmarshalText([]byte(d.Severity)); err != nil {
			return Fact{}, fmt.Errorf("diagnostic: %w", err)
		}
		v.Diagnostics = append(v.Diagnostics, Diagnostic{s, string(d.Code), string(d.Path), d.Line, d.Column, d.Offset, string(d.Message)})
	}
	return v, nil
}

func (f *docForm) doc() (Doc, error) {
	if f.Class == nil {
		return Doc{}, errors.New("no class")
	}
	d := Doc{Name: string(f.Name), Text: string(f.Text), Path: string(f.Path), Aliases: exact.Plain(f.Aliases), SHA256: string(f.SHA256),
		Class: *f.Class, Trust: f.Trust.trust, Rule: string(f.Rule)}
	err := f.Trust.check("document")
	if err == nil {
		d.Spans, err = f.Spans.text(d.Text)
	}
	return d, err
}

// MarshalJSON returns the stable form of the fact. Of an error it has the words.
func (f Fact) MarshalJSON() ([]byte, error) {
	b, err := exact.Encode(formOfFact(&f))
	if err != nil {
		return nil, fmt.Errorf("fact: %w", err)
	}
	return b, nil
}

// UnmarshalJSON reads what MarshalJSON writes, to a fact that is [Fact.Equal].
func (f *Fact) UnmarshalJSON(b []byte) error {
	var form factForm
	err := exact.Decode(b, &form)
	if err == nil {
		*f, err = form.fact()
	}
	if err != nil {
		return fmt.Errorf("fact: %w", err)
	}
	return nil
}

type namedFact struct {
	Name exact.String `json:"name"`
	Fact factForm     `json:"fact"`
}

type factsForm struct {
	Facts []namedFact `json:"facts"`
}

// MarshalJSON returns the stable form of the facts, by name. That of nil is the
// form of the empty set.
func (f *Facts) MarshalJSON() ([]byte, error) {
	form := factsForm{Facts: []namedFact{}}
	for _, name := range f.Names() {
		v, _ := f.Get(name)
		form.Facts = append(form.Facts, namedFact{exact.String(name), formOfFact(&v)})
	}
	b, err := exact.Encode(form)
	if err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	return b, nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Facts) UnmarshalJSON(b []byte) error {
	var form factsForm
	if err := exact.Decode(b, &form); err != nil {
		return fmt.Errorf("facts: %w", err)
	}
	m := make(map[string]Fact, len(form.Facts))
	for i := range form.Facts {
		n := &form.Facts[i]
		if i > 0 && form.Facts[i-1].Name >= n.Name {
			return fmt.Errorf("facts: %q stands behind %q", string(n.Name), string(form.Facts[i-1].Name))
		}
		v, err := n.Fact.fact()
		if err != nil {
			return fmt.Errorf("fact %q: %w", string(n.Name), err)
		}
		m[string(n.Name)] = v
	}
	*f = *NewFacts(m)
	return nil
}

// Hash returns the SHA-256, in hex, of the facts' JSON form.
func (f *Facts) Hash() (string, error) { return hashOf(f.MarshalJSON()) }

func hashOf(form []byte, err error) (string, error) {
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(form)
	return hex.EncodeToString(sum[:]), nil
}
