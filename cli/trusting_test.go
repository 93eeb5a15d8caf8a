package cli

import (
	"strings"
	"testing"
	"time"

	udiff "github.com/aymanbagabas/go-udiff"
)

// TestEditsOfLongTexts compares texts whose lines all differ: a file that a
// stranger changed must not keep a run from starting.
func TestEditsOfLongTexts(t *testing.T) {
	before, after := strings.Repeat("a\n", 32<<10), strings.Repeat("b\n", 32<<10)
	start := time.Now()
	got, err := udiff.Apply(before, edits(before, after))
	if err != nil || got != after {
		t.Errorf("the edits do not lead to the text: %v", err)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}
