package wire

import (
	"bytes"
	"maps"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// The functions of this file tell a dialect which part of a request it encoded
// before. Values that share their memory are the same without a look at them:
// nobody changes a message, part or schema after it was handed over. Others are
// compared by content and origin, because marks depend on both.

// CommonMessages returns the length of the longest common prefix.
func CommonMessages(a, b []chat.Message) int {
	n := min(len(a), len(b))
	for i := range n {
		if !SameMessage(&a[i], &b[i]) {
			return i
		}
	}
	return n
}

// SameMessage reports whether two messages encode to the same bytes and marks.
func SameMessage(a, b *chat.Message) bool {
	if a.Role != b.Role || len(a.Parts) != len(b.Parts) {
		return false
	}
	if len(a.Parts) == 0 || &a.Parts[0] == &b.Parts[0] {
		return true
	}
	for i := range a.Parts {
		if !samePart(&a.Parts[i], &b.Parts[i]) {
			return false
		}
	}
	return true
}

func samePart(a, b *chat.Part) bool {
	return a.Kind == b.Kind && sameText(a.Text, b.Text) &&
		same(a.Image, b.Image, sameImage) && same(a.Call, b.Call, sameCall) &&
		same(a.Result, b.Result, sameResult) && same(a.Opaque, b.Opaque, sameOpaque)
}

func same[T any](a, b *T, eq func(a, b *T) bool) bool {
	return a == b || a != nil && b != nil && eq(a, b)
}

func sameText(a, b span.Text) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || &a[0] == &b[0] {
		return true
	}
	for i := range a {
		if a[i].Text != b[i].Text || a[i].From != b[i].From || a[i].Off != b[i].Off {
			return false
		}
	}
	return true
}

func sameBytes(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	return len(a) == 0 || &a[0] == &b[0] || bytes.Equal(a, b)
}

func sameImage(a, b *chat.Image) bool {
	return a.MediaType == b.MediaType && a.URL == b.URL && a.From == b.From && sameBytes(a.Data, b.Data)
}

func sameCall(a, b *chat.ToolCall) bool {
	return a.ID == b.ID && a.Name == b.Name && a.From == b.From && sameBytes(a.Args, b.Args)
}

func sameOpaque(a, b *chat.Opaque) bool {
	return a.Provider == b.Provider && a.Type == b.Type && a.From == b.From && sameBytes(a.JSON, b.JSON)
}

func sameResult(a, b *chat.ToolResult) bool {
	if a.ID != b.ID || a.Name != b.Name || a.IsError != b.IsError ||
		!sameText(a.Text, b.Text) || len(a.Images) != len(b.Images) {
		return false
	}
	for i := range a.Images {
		if !sameImage(&a.Images[i], &b.Images[i]) {
			return false
		}
	}
	return true
}

// SameHead reports whether two requests are equal in everything but their
// messages.
func SameHead(a, b *Request) bool {
	return a.Model == b.Model && a.Placement == b.Placement && a.Capability == b.Capability &&
		sameParts(a.System, b.System) && sameParts(a.Instructions, b.Instructions) &&
		sameTools(a.Tools, b.Tools) && sameOptions(&a.Options, &b.Options)
}

func sameParts(a, b []prompt.Part) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || &a[0] == &b[0] {
		return true
	}
	for i := range a {
		if a[i].Sep != b[i].Sep || a[i].Class != b[i].Class || a[i].Name != b[i].Name ||
			a[i].From != b[i].From || !sameText(a[i].Text, b[i].Text) {
			return false
		}
	}
	return true
}

func sameTools(a, b []chat.ToolSpec) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || &a[0] == &b[0] {
		return true
	}
	for i := range a {
		x, y := &a[i], &b[i]
		if x.Name != y.Name || x.Description != y.Description || x.Strict != y.Strict || x.From != y.From ||
			(x.Parameters == nil) != (y.Parameters == nil) || !sameBytes(x.Parameters, y.Parameters) {
			return false
		}
	}
	return true
}

func sameOptions(a, b *Options) bool {
	return samePtr(a.Temperature, b.Temperature) && samePtr(a.TopP, b.TopP) &&
		a.MaxOutputTokens == b.MaxOutputTokens && a.Reasoning == b.Reasoning &&
		a.ToolChoice == b.ToolChoice && samePtr(a.Parallel, b.Parallel) && samePtr(a.Store, b.Store) &&
		a.User == b.User && a.CacheKey == b.CacheKey && a.NoStream == b.NoStream &&
		a.Chain == b.Chain && same(a.Output, b.Output, sameOutput) &&
		(len(a.Extra) == 0 && len(b.Extra) == 0 || maps.EqualFunc(a.Extra, b.Extra, eqRaw))
}

func eqRaw[T ~[]byte](a, b T) bool { return sameBytes(a, b) }

func samePtr[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
