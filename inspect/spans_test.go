package inspect_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/inspect"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// A replaced piece is longer or shorter than what it stands for; its range in the
// file is that of the bytes that were replaced.
func TestSpansOfRewrittenText(t *testing.T) {
	file := &span.Origin{Section: "a", Path: "/w/a"}
	written := &span.Origin{Section: "a", Path: "/w/a", Stage: "normalise"}
	a := prompt.Assembly{Sections: []prompt.Section{{Name: "a", From: file, Text: span.Text{
		{Text: "caf", From: file},                     // caf
		{Text: "\uFFFD", From: written, Off: 3},       // \xe9
		{Text: " x", From: file, Off: 4},              // " x"
		{Text: "\uFFFD\uFFFD", From: written, Off: 6}, // \xe9\xe9
	}}}}
	var got [][4]int
	for _, s := range inspect.Spans(a, prompt.System) {
		got = append(got, [4]int{s.Start, s.End, s.SrcStart, s.SrcEnd})
	}
	want := [][4]int{{0, 3, 0, 3}, {3, 6, 3, 4}, {6, 8, 4, 6}, {8, 14, 6, 6}}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("spans (-got +want):\n%s", d)
	}
}
