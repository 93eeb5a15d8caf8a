package prompt

import "slices"

// Visible returns a snapshot of the layers that a lineage sees, which assembles
// for the lineage as s does. The layers are shared.
func (s Snapshot) Visible(lineage []string) Snapshot {
	out := Snapshot{version: s.version}
	for _, l := range s.chain(lineage) {
		out.layers = out.layers.With(l.Scope, l)
	}
	return out
}

// Same reports whether a lineage sees the same layers in both snapshots. It looks
// at none of them: a layer that was registered anew is another one.
func (s Snapshot) Same(t Snapshot, lineage []string) bool {
	return s == t || slices.Equal(s.chain(lineage), t.chain(lineage))
}

// Same reports whether both sets have a fact of that name and the one is the
// other's, as [Facts.Next] keeps it. Long texts of the same memory are not looked
// at.
func (f *Facts) Same(g *Facts, name string) bool {
	a, b := f.find(0, name), g.find(0, name)
	return a != nil && b != nil && *a == *b
}
