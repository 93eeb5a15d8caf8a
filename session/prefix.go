package session

import (
	"fmt"
	"slices"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// A Prefix is the text that stands before the conversation, as a session keeps it:
// the sections of the channels system and instructions, in their order, ready to
// be sent, and what the model was told of them since. An event with a model takes
// the place of those before; one without adds its changes, or tells all of them anew.
type Prefix struct {
	Model    string          `json:"model,omitempty"` // for which it was made
	Sections []PrefixSection `json:"sections,omitempty"`
	Changes  []PrefixChange  `json:"changes,omitempty"` // in the order in which they were told
	// Retold says that Changes take the place of all that were told before, which a
	// summary took along.
	Retold bool `json:"retold,omitempty"`
}

// A PrefixChange is a change of a section that was told behind the conversation.
type PrefixChange struct {
	Name    string       `json:"name"`           // of the section
	Channel string       `json:"channel"`        // of the section
	Notice  span.Text    `json:"notice"`         // what was told
	Now     span.Text    `json:"now,omitempty"`  // what the section says; empty: it is gone
	From    *span.Origin `json:"from,omitempty"` // of the section
}

// with returns the prefix after an event.
func (p *Prefix) with(e *Prefix) *Prefix {
	if p == nil || len(e.Sections) > 0 || e.Model != "" {
		return e
	}
	q := *p
	if e.Retold {
		q.Changes = nil
	}
	q.Changes = append(slices.Clip(q.Changes), e.Changes...)
	return &q
}

// A PrefixSection is one section of a prefix.
type PrefixSection struct {
	Name    string       `json:"name"`
	Channel string       `json:"channel"`
	Class   string       `json:"class"`
	Order   float64      `json:"order,omitempty"`
	Sep     string       `json:"sep,omitempty"`
	Sole    bool         `json:"sole,omitempty"`
	Text    span.Text    `json:"text,omitempty"`
	From    *span.Origin `json:"from,omitempty"`
}

// PrefixOf returns the prefix of an assembly.
func PrefixOf(model string, a prompt.Assembly) *Prefix {
	p := &Prefix{Model: model}
	for _, s := range a.Sections {
		if s.Channel == prompt.System || s.Channel == prompt.Instructions {
			p.Sections = append(p.Sections, PrefixSection{Name: s.Name, Channel: s.Channel.String(), Class: s.Class.String(),
				Order: s.Order, Sep: s.Sep, Sole: s.Sole, Text: s.Text, From: s.From})
		}
	}
	return p
}

// Section returns the section of an assembly that s was made from, as far as it is
// needed to render it.
func (s PrefixSection) Section() (prompt.Section, error) {
	channel, err := prompt.ParseChannel(s.Channel)
	if err == nil && channel != prompt.System && channel != prompt.Instructions {
		err = fmt.Errorf("channel %s is not part of a prefix", s.Channel)
	}
	if err != nil {
		return prompt.Section{}, err
	}
	class, err := prompt.ParseClass(s.Class)
	return prompt.Section{Name: s.Name, Channel: channel, Class: class, Order: s.Order, Sep: s.Sep, Sole: s.Sole, Text: s.Text, From: s.From}, err
}

func (p *Prefix) check() error {
	for i, s := range p.Sections {
		if _, err := s.Section(); err != nil {
			return fmt.Errorf("prefix: section %d, %q: %w", i+1, s.Name, err)
		}
	}
	for i, c := range p.Changes {
		if c.Name == "" || len(c.Notice) == 0 {
			return fmt.Errorf("prefix: change %d tells nothing", i+1)
		}
	}
	return nil
}
