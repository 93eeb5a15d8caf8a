package ai4j

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source"
)

// SelectedSection is the section of the skills that the host selected. It is a
// reminder, which this preset moves in front of the history.
const SelectedSection = "selected-skills"

// The most that the selected skills may have together.
const (
	MaxSelectedBytes = 48_000
	MaxSelectedRunes = 12_000
)

// Select registers a source of skills that the host selected for a request, as
// opposed to those that the model chooses. Their text is the first message, in the
// user's role, and never part of the history. Too long a text is a fault, and so is
// a source that fails, for instance because a name is not known.
func Select(s *registry.Scope, skills source.Source) error {
	_, err := s.Dynamic(prompt.SectionDef{Name: SelectedSection, Channel: prompt.Reminder, Class: prompt.Turn, Source: "skills", Required: true},
		source.Func(func(ctx context.Context, q source.Query) (prompt.Fact, error) {
			f, err := skills.Read(ctx, q)
			if err != nil {
				return f, err
			}
			if n, r := len(f.Text), utf8.RuneCountInString(f.Text); n > MaxSelectedBytes || r > MaxSelectedRunes {
				return f, fmt.Errorf("the selected skills have %d bytes and %d characters; select fewer: the limits are %d and %d",
					n, r, MaxSelectedBytes, MaxSelectedRunes)
			}
			return f, nil
		}))
	return err
}

// takeSelected moves the selected skills from the reminders to a message of their
// own; nil: there are none.
func takeSelected(a prompt.Assembly) (prompt.Assembly, *chat.Message) {
	at := slices.IndexFunc(a.Sections, func(s prompt.Section) bool {
		return s.Channel == prompt.Reminder && s.Name == SelectedSection && s.Text.Len() > 0
	})
	if at < 0 {
		return a, nil
	}
	m := chat.TextMessage(chat.User, a.Sections[at].Text)
	m.Name = SelectedSection
	a.Sections = slices.Delete(slices.Clone(a.Sections), at, at+1)
	return a, &m
}
