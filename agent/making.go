package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/proemhq/proem/internal/exact"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire"
)

// A making is what a request was made with besides registrations, facts and
// history: the rest of what has to be known to make it again.
type making struct {
	preset  string
	keeps   bool // the session keeps its prefix
	lineage []string
	who     prompt.Who
	vars    runVars
	// request has the placement, cache, capability and options, before hooks had the
	// last look. Its chain is kept apart: it differs at every request.
	request wire.Request
	chain   wire.Chain
}

func makingOf(p *preset.Preset, lineage []string, who prompt.Who, vars runVars, r wire.Request) making {
	m := making{preset: p.Name, keeps: p.Refresh != preset.EachStep, lineage: lineage, who: who, vars: vars, chain: r.Options.Chain,
		request: wire.Request{Placement: r.Placement, Cache: r.Cache, Capability: r.Capability, Options: r.Options}}
	m.request.Options.Chain = wire.Chain{}
	return m
}

// same reports whether two requests were made with the same, their chains aside.
func (m *making) same(o *making) bool {
	a, b := &m.request, &o.request
	return m.preset == o.preset && m.keeps == o.keeps && slices.Equal(m.lineage, o.lineage) && m.vars.equal(o.vars) &&
		m.who.User == o.who.User && m.who.Tenant == o.who.Tenant && maps.Equal(m.who.Attrs, o.who.Attrs) &&
		a.Cache.Off == b.Cache.Off && a.Cache.TTL == b.Cache.TTL && slices.Equal(a.Cache.Hints, b.Cache.Hints) && wire.SameHead(a, b)
}

// The kept form of a making. Words of package wire that have no names are numbers:
// a recording is replayed by the same code.
type makingForm struct {
	Preset     exact.String    `json:"preset"`
	Keeps      bool            `json:"keepsPrefix,omitempty"`
	Lineage    []exact.String  `json:"lineage,omitempty"`
	User       exact.String    `json:"user,omitempty"`
	Tenant     exact.String    `json:"tenant,omitempty"`
	Attrs      []pairForm      `json:"attrs,omitempty"`
	Vars       []pairForm      `json:"vars,omitempty"`
	Placement  wire.Placement  `json:"placement,omitempty"`
	Cache      wire.Cache      `json:"cache"`
	Capability wire.Capability `json:"capability"`
	Options    optionsForm     `json:"options"`
}

type pairForm struct {
	Name  exact.String `json:"name"`
	Value exact.String `json:"value"`
	By    exact.String `json:"by,omitempty"` // the hook that set it
}

type optionsForm struct {
	Temperature     *float64     `json:"temperature,omitempty"`
	TopP            *float64     `json:"topP,omitempty"`
	MaxOutputTokens int          `json:"maxOutputTokens,omitempty"`
	Reasoning       exact.String `json:"reasoning,omitempty"`
	ToolChoice      exact.String `json:"toolChoice,omitempty"`
	Parallel        *bool        `json:"parallel,omitempty"`
	Store           *bool        `json:"store,omitempty"`
	User            exact.String `json:"user,omitempty"`
	CacheKey        exact.String `json:"cacheKey,omitempty"`
	Output          *outputForm  `json:"output,omitempty"`
	NoStream        bool         `json:"noStream,omitempty"`
	Extra           []pairForm   `json:"extra,omitempty"`
}

type outputForm struct {
	Name   exact.String  `json:"name,omitempty"`
	Schema *exact.String `json:"schema,omitempty"`
	Strict bool          `json:"strict,omitempty"`
}

// MarshalJSON returns the form that is kept.
func (m *making) MarshalJSON() ([]byte, error) {
	o := &m.request.Options
	f := makingForm{
		Preset: exact.String(m.preset), Keeps: m.keeps, Lineage: exact.Strings(m.lineage), User: exact.String(m.who.User), Tenant: exact.String(m.who.Tenant),
		Attrs: pairs(m.who.Attrs, nil), Vars: pairs(m.vars.values, m.vars.by),
		Placement: m.request.Placement, Cache: m.request.Cache, Capability: m.request.Capability,
		Options: optionsForm{
			Temperature: o.Temperature, TopP: o.TopP, MaxOutputTokens: o.MaxOutputTokens, Reasoning: exact.String(o.Reasoning),
			ToolChoice: exact.String(o.ToolChoice), Parallel: o.Parallel, Store: o.Store, User: exact.String(o.User),
			CacheKey: exact.String(o.CacheKey), NoStream: o.NoStream, Extra: pairs(o.Extra, nil),
		},
	}
	if o.Output != nil {
		f.Options.Output = &outputForm{Name: exact.String(o.Output.Name), Strict: o.Output.Strict}
		if o.Output.Schema != nil {
			s := exact.String(o.Output.Schema)
			f.Options.Output.Schema = &s
		}
	}
	return exact.Encode(f)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *making) UnmarshalJSON(b []byte) error {
	var f makingForm
	if err := exact.Decode(b, &f); err != nil {
		return fmt.Errorf("making: %w", err)
	}
	o := &f.Options
	*m = making{
		preset: string(f.Preset), keeps: f.Keeps, lineage: exact.Plain(f.Lineage),
		who:  prompt.Who{User: string(f.User), Tenant: string(f.Tenant), Attrs: mapOf[string](f.Attrs)},
		vars: runVars{values: mapOf[string](f.Vars)},
		request: wire.Request{Placement: f.Placement, Cache: f.Cache, Capability: f.Capability, Options: wire.Options{
			Temperature: o.Temperature, TopP: o.TopP, MaxOutputTokens: o.MaxOutputTokens, Reasoning: string(o.Reasoning),
			ToolChoice: string(o.ToolChoice), Parallel: o.Parallel, Store: o.Store, User: string(o.User),
			CacheKey: string(o.CacheKey), NoStream: o.NoStream, Extra: mapOf[json.RawMessage](o.Extra),
		}},
	}
	for _, v := range f.Vars {
		if v.By != "" {
			if m.vars.by == nil {
				m.vars.by = map[string]string{}
			}
			m.vars.by[string(v.Name)] = string(v.By)
		}
	}
	if o.Output != nil {
		m.request.Options.Output = &wire.Output{Name: string(o.Output.Name), Strict: o.Output.Strict}
		if o.Output.Schema != nil {
			m.request.Options.Output.Schema = json.RawMessage(*o.Output.Schema)
		}
	}
	return nil
}

// pairs returns a map in ascending order of names.
func pairs[V ~string | ~[]byte](m map[string]V, by map[string]string) []pairForm {
	var out []pairForm
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, pairForm{exact.String(name), exact.String(m[name]), exact.String(by[name])})
	}
	return out
}

func mapOf[V ~string | ~[]byte](pairs []pairForm) map[string]V {
	if len(pairs) == 0 {
		return nil
	}
	out := make(map[string]V, len(pairs))
	for _, p := range pairs {
		out[string(p.Name)] = V(string(p.Value))
	}
	return out
}
