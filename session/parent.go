package session

import "fmt"

// A Parent says by which call of which session a child began. It stands in the
// start event of the child, so that the child is found and forgotten with its
// parent, and known again in another process.
type Parent struct {
	Session string `json:"session"`
	Turn    int    `json:"turn"`
	Step    int    `json:"step"`
	Call    string `json:"call"`  // its id
	Agent   string `json:"agent"` // what the child was declared as
	Depth   int    `json:"depth"` // 1: the parent has none itself
	// Background says that the parent goes on meanwhile and is told of the end by a
	// notice.
	Background bool `json:"background,omitempty"`
}

func (p *Parent) check() error {
	if err := CheckID(p.Session); err != nil {
		return fmt.Errorf("parent: %w", err)
	}
	if p.Call == "" || p.Agent == "" || p.Turn < 1 || p.Step < 1 || p.Depth < 1 {
		return fmt.Errorf("a parent without call, agent, turn, step or depth")
	}
	return nil
}

// A Task is work in the background that a notice tells the end of.
type Task struct {
	ID    string `json:"id"`    // the session of the child
	Agent string `json:"agent"` // what it was declared as
	State string `json:"state"` // how it ended
}
