// Package provider reaches models: it sends the bytes that a dialect encoded and
// hands back the events it decoded.
//
//	model := &provider.HTTP{
//		Dialect: openaichat.Dialect,
//		BaseURL: "http://127.0.0.1:8080/v1",
//	}
//	body, _ := model.Encode(nil, request) // pure: exactly what Send transmits
//	for event, err := range model.Send(ctx, body) {
//		…
//	}
package provider

import (
	"context"
	"iter"

	"github.com/proemhq/proem/wire"
)

// A Model is one model at one endpoint. Its methods may be called concurrently.
type Model interface {
	// Encode returns exactly the bytes that Send transmits. It is pure. prev may be
	// nil and stays valid; its unchanged prefix is reused.
	Encode(prev *wire.Body, r wire.Request) (wire.Body, error)
	// Send transmits a body and yields the events of the response. After the first
	// error nothing follows. Breaking off the iteration cancels the request.
	Send(ctx context.Context, b wire.Body) iter.Seq2[wire.Event, error]
}

// An Informer is a Model that knows what its host and model can do.
type Informer interface {
	Capability() wire.Capability
}

// A Speaker is a Model that says which dialect it speaks. What it encodes is what
// that dialect encodes for the model's capability record.
type Speaker interface {
	Protocol() wire.Dialect
}
