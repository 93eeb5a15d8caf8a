package session

import "github.com/proemhq/proem/chat"

// Tools is what a session knows of its tools: the event holds all of it, so the
// last one counts. It is recorded before the request that it holds for, and only
// where tools can change: for agents with changing sets, and for frozen ones.
type Tools struct {
	// Block are the tools of the requests from here on, in their order.
	Block []chat.ToolSpec `json:"block,omitempty"`
	// Frozen says that Block stays as it is for as long as the session goes on
	// under this policy.
	Frozen bool `json:"frozen,omitempty"`
	// Sets are all changing sets that the session has seen, in the order in which
	// they came, also those that are gone.
	Sets []ToolSet `json:"sets,omitempty"`
}

// A ToolSet is what a session knows of a changing set of tools.
type ToolSet struct {
	Name string `json:"name"`
	// Instructions stand in the prefix: they were there at the first request.
	Instructions string `json:"instructions,omitempty"`
	// Later are the instructions that came after it.
	Later string    `json:"later,omitempty"`
	Pins  []ToolPin `json:"pins,omitempty"` // in ascending order of names
}

// A ToolPin ties the name of a tool to what the session's model was told of it.
type ToolPin struct {
	Name string `json:"name"`
	Hash string `json:"hash"`           // SHA-256 in hex of name, description and schema
	Late bool   `json:"late,omitempty"` // it joined after the first request
	Held bool   `json:"held,omitempty"` // it changed: held back until a new session
}

// Pin returns the pin of a name, or nil.
func (s *ToolSet) Pin(name string) *ToolPin {
	for i := range s.Pins {
		if s.Pins[i].Name == name {
			return &s.Pins[i]
		}
	}
	return nil
}

// Set returns the set of a name, or nil. t may be nil.
func (t *Tools) Set(name string) *ToolSet {
	if t == nil {
		return nil
	}
	for i := range t.Sets {
		if t.Sets[i].Name == name {
			return &t.Sets[i]
		}
	}
	return nil
}
