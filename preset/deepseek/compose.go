package deepseek

import (
	"slices"

	"github.com/proemhq/proem/prompt"
)

// A Composer composes one scope again and again with all stages of the preset
// and reuses what did not change; see [prompt.Composer]. It is for one goroutine
// at a time.
type Composer struct {
	p       *Preset
	scope   string
	epoch   int
	lineage []string
	inner   *prompt.Composer
}

// Composer returns a composer for a scope.
func (p *Preset) Composer(scope string) *Composer { return &Composer{p: p, scope: scope} }

// Compose returns the composition for the given facts: the text of the system
// channel is the prompt, that of the context channel the snapshot. If nothing
// changed since the last call, it is the same pointer.
func (c *Composer) Compose(facts *prompt.Facts) (*prompt.Composed, error) {
	c.refresh()
	return c.inner.Compose(c.p.Registry.Snapshot(), prompt.Input{Lineage: c.lineage, Facts: facts, Ties: Ties, Strict: true})
}

// Forget drops the last composition, and keeps what depends on registrations
// alone.
func (c *Composer) Forget() {
	if c.inner != nil {
		c.inner.Forget()
	}
}

// refresh makes the stages anew if the hooks or the lineage changed.
func (c *Composer) refresh() {
	var room [4]string
	lineage := c.p.Registry.AppendLineage(room[:0], c.scope)
	if c.inner != nil && c.epoch == c.p.hookEpoch() && slices.Equal(lineage, c.lineage) {
		return
	}
	c.lineage = slices.Clone(lineage)
	hooks, epoch := c.p.hooksFor(c.lineage)
	c.epoch = epoch
	c.inner = prompt.NewComposer(c.p.stages(hooks)...)
}
