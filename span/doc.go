// Package span holds text that knows where it came from.
//
// A [Span] is a piece of text and a pointer to its [Origin]; a [Text] is a run
// of spans and reads as their concatenation. Everything proem sends to a model
// is a Text until the last moment, so every byte of a request can be traced
// back to the file, fact, stage or literal that produced it.
//
// An Origin is shared and immutable: there is one per section and source, never
// one per span. Where a span begins inside its source is the span's own Off.
//
//	rules := &span.Origin{Section: "project:AGENTS.md", Path: "/w/AGENTS.md", Trust: span.Project}
//	text := span.Of("Use tabs.\nRun the tests.\n", rules)
//
//	// A rewrite by a stage keeps the origin of the lines it left alone.
//	by := span.Origin{Stage: "house-style"}
//	text = text.Reanchor("Use tabs.\nRun `make test`.\n", by)
//	text.At(0).From.Path  // "/w/AGENTS.md"
//	text.At(12).From.Path // "": that line was written by the stage
//
// A Text is cut only between runes. The package is pure: it reads nothing, and
// no function changes its argument. All values may be used concurrently as long
// as nobody writes to the elements of a shared Text.
package span
