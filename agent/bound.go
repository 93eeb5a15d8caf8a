package agent

import (
	"fmt"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
)

// MaxResult is the most bytes of text that are kept of a tool's result. Of a
// longer one the middle is left out, and a line in its place says so: one result
// that fills a session's record, or the model's context, would end the turn.
const MaxResult = 1 << 20

var cutOrigin = span.Generated("cut")

// bounded returns the text with at most about MaxResult bytes of it.
func bounded(t span.Text) span.Text {
	n := t.Len()
	if n <= MaxResult {
		return t
	}
	head, tail := t.Slice(0, MaxResult/2), t.Slice(n-MaxResult/2, n)
	left := n - head.Len() - tail.Len()
	return span.Concat(head, span.OfGenerated(fmt.Sprintf("\n[%d of %d bytes are left out here]\n", left, n), cutOrigin), tail)
}

// MaxImages is how many bytes of pictures of one result are kept.
const MaxImages = 16 << 20

// boundedImages returns the pictures that are kept, and what is said of the
// others.
func boundedImages(images []chat.Image) ([]chat.Image, span.Text) {
	size := 0
	for i := range images {
		if size += len(images[i].Data); size > MaxImages {
			return images[:i], span.OfGenerated(fmt.Sprintf("\n[%d of %d images are left out: together they have more than %d bytes]",
				len(images)-i, len(images), MaxImages), cutOrigin)
		}
	}
	return images, nil
}
