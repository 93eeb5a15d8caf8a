package prompt

import (
	"fmt"

	"github.com/proemhq/proem/internal/exact"
)

type bodyForm struct {
	Literal  exact.String `json:"literal,omitempty"`
	Fact     exact.String `json:"fact,omitempty"`
	Template bool         `json:"template,omitempty"`
}

func formOfBody(b Body) bodyForm {
	return bodyForm{exact.String(b.Literal), exact.String(b.Fact), b.Template}
}

func (f bodyForm) body() Body { return Body{string(f.Literal), string(f.Fact), f.Template} }

type sectionForm struct {
	Name     exact.String `json:"name"`
	Channel  *Channel     `json:"channel"`
	Order    float64      `json:"order"`
	Class    *Class       `json:"class"`
	Trust    trustForm    `json:"trust"`
	Source   exact.String `json:"source,omitempty"`
	Path     exact.String `json:"path,omitempty"`
	Sep      exact.String `json:"sep,omitempty"`
	Sole     bool         `json:"sole,omitempty"`
	Required bool         `json:"required,omitempty"`
	Priority int          `json:"priority,omitempty"`
	Min      int          `json:"min,omitempty"`
	Body     bodyForm     `json:"body"`
}

func formOfSection(d *SectionDef) sectionForm {
	return sectionForm{
		Name: exact.String(d.Name), Channel: &d.Channel, Order: d.Order, Class: &d.Class, Trust: trustForm{d.Trust, true},
		Source: exact.String(d.Source), Path: exact.String(d.Path), Sep: exact.String(d.Sep), Sole: d.Sole, Required: d.Required,
		Priority: d.Priority, Min: d.Min, Body: formOfBody(d.Body),
	}
}

func (f *sectionForm) section() (SectionDef, error) {
	if f.Channel == nil || f.Class == nil {
		return SectionDef{}, fmt.Errorf("section %q: no channel or no class", string(f.Name))
	}
	return SectionDef{
		Name: string(f.Name), Channel: *f.Channel, Order: f.Order, Class: *f.Class, Trust: f.Trust.trust,
		Source: string(f.Source), Path: string(f.Path), Sep: string(f.Sep), Sole: f.Sole, Required: f.Required,
		Priority: f.Priority, Min: f.Min, Body: f.Body.body(),
	}, f.Trust.check("section " + string(f.Name))
}

type varForm struct {
	Name exact.String `json:"name"`
	Body bodyForm     `json:"body"`
}

type toolsForm struct {
	Specs []specForm     `json:"specs,omitzero"`
	Known []exact.String `json:"known,omitzero"`
	Fact  exact.String   `json:"fact,omitempty"`
}

type layerForm struct {
	Scope    exact.String  `json:"scope,omitempty"`
	Sections []sectionForm `json:"sections,omitempty"`
	Vars     []varForm     `json:"vars,omitempty"`
	Tools    []toolsForm   `json:"tools,omitempty"`
	Mutes    []Channel     `json:"mutes,omitempty"`
}

func formOfLayer(l *Layer) layerForm {
	f := layerForm{Scope: exact.String(l.Scope), Mutes: l.Mutes}
	for i := range l.Sections {
		f.Sections = append(f.Sections, formOfSection(&l.Sections[i]))
	}
	for _, v := range l.Vars {
		f.Vars = append(f.Vars, varForm{exact.String(v.Name), formOfBody(v.Body)})
	}
	for _, t := range l.Tools {
		f.Tools = append(f.Tools, toolsForm{formOfSpecs(t.Specs), exact.Strings(t.Known), exact.String(t.Fact)})
	}
	return f
}

func (f *layerForm) layer() (Layer, error) {
	l := Layer{Scope: string(f.Scope), Mutes: f.Mutes}
	for i := range f.Sections {
		d, err := f.Sections[i].section()
		if err != nil {
			return Layer{}, err
		}
		l.Sections = append(l.Sections, d)
	}
	for _, v := range f.Vars {
		l.Vars = append(l.Vars, VarDef{string(v.Name), v.Body.body()})
	}
	for i := range f.Tools {
		specs, err := specsOf(f.Tools[i].Specs)
		if err != nil {
			return Layer{}, err
		}
		l.Tools = append(l.Tools, ToolDef{specs, exact.Plain(f.Tools[i].Known), string(f.Tools[i].Fact)})
	}
	if faults := l.Check(); len(faults) > 0 {
		return Layer{}, faults
	}
	return l, nil
}

// MarshalJSON returns the stable form of the layer. Registrations stand in the
// order in which they were made.
func (l Layer) MarshalJSON() ([]byte, error) {
	b, err := exact.Encode(formOfLayer(&l))
	if err != nil {
		return nil, fmt.Errorf("layer of %s: %w", scopeName(l.Scope), err)
	}
	return b, nil
}

// UnmarshalJSON reads what MarshalJSON writes. Definitions that do not pass Check
// are errors.
func (l *Layer) UnmarshalJSON(b []byte) error {
	var f layerForm
	err := exact.Decode(b, &f)
	if err == nil {
		*l, err = f.layer()
	}
	if err != nil {
		return fmt.Errorf("layer: %w", err)
	}
	return nil
}

type snapshotForm struct {
	Layers []layerForm `json:"layers"`
}

// MarshalJSON returns the stable form of the snapshot: its layers, by scope. The
// version counts changes within a process and is no part of it.
func (s Snapshot) MarshalJSON() ([]byte, error) {
	f := snapshotForm{Layers: []layerForm{}}
	for _, scope := range s.Scopes() {
		l, _ := s.Layer(scope)
		f.Layers = append(f.Layers, formOfLayer(&l))
	}
	b, err := exact.Encode(f)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	return b, nil
}

// UnmarshalJSON reads what MarshalJSON writes, to a snapshot of version 0 that
// assembles to the same bytes.
func (s *Snapshot) UnmarshalJSON(b []byte) error {
	var f snapshotForm
	if err := exact.Decode(b, &f); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	layers := make([]Layer, len(f.Layers))
	for i := range f.Layers {
		var err error
		if layers[i], err = f.Layers[i].layer(); err != nil {
			return fmt.Errorf("snapshot: layer of %s: %w", scopeName(string(f.Layers[i].Scope)), err)
		}
		if i > 0 && layers[i-1].Scope >= layers[i].Scope {
			return fmt.Errorf("snapshot: the layer of %s stands behind that of %s", scopeName(layers[i].Scope), scopeName(layers[i-1].Scope))
		}
	}
	out, err := NewSnapshot(0, layers...)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	*s = out
	return nil
}

// Hash returns the SHA-256, in hex, of the snapshot's JSON form. Snapshots with
// equal hashes assemble to the same bytes. A snapshot that has no form, because a
// definition did not pass Check, is an error.
func (s Snapshot) Hash() (string, error) { return hashOf(s.MarshalJSON()) }
