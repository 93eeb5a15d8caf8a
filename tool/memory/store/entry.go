package store

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/tool/memory/find"
)

// clean returns what somebody wants to save as the text of an entry: one line of
// visible characters. What it cannot be is an error that says why.
func (s *Store) clean(text string) (string, error) {
	line := oneLine(text)
	switch {
	case line == "":
		return "", errors.New("the text is empty")
	case len(line) > s.cfg.MaxEntry:
		return "", fmt.Errorf("the text has %d bytes and an entry at most %d; save the gist, or several entries", len(line), s.cfg.MaxEntry)
	case textnorm.Secrets(line) != nil:
		return "", errors.New("the text holds what looks like a credential; memory is part of later prompts, so it is not saved")
	}
	return line, nil
}

// oneLine returns a text without what cannot be seen, its lines joined. As a line
// behind a bullet it is no heading and no entry of its own.
func oneLine(text string) string {
	text = textnorm.String(strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || r == '\uFEFF' {
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// dated returns the line of an entry.
func dated(day, text string) string { return "- " + day + ": " + text + "\n" }

// key returns that in which two entries are equal: their words, whatever their
// bullet, date, case, width and final mark.
func key(text string) string {
	bare, _ := find.Bare(find.Fold(text))
	return strings.TrimRight(bare, ".!。 ")
}
