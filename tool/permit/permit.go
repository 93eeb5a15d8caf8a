// Package permit decides which calls of tools run, which do not, and about which
// a person is asked.
//
// A policy is a mode and a list of rules. A rule is about a tool, the paths it
// works on or the words of a command. What denies looks at everything a call may
// reach: the path as it was asked for, where it really leads, other names of the
// same file, and every command inside of a command. What allows looks at the one
// thing that is certain: the real path, or a command made of plain words only.
//
//	rule, err := permit.ParseRule("shell(go test *)")
//	rule.Action = permit.Allow
//	p, err := permit.New(permit.Config{Roots: []string{"/w"}, Rules: []permit.Rule{rule}})
//	d := p.Decide(permit.Request{Tool: "shell", Command: "go test ./..."}, permit.Grants{})
//	d.Action // "allow"
//	d = p.Decide(permit.Request{Tool: "shell", Command: "go test ./... >log"}, permit.Grants{})
//	d.Action // "ask"
//	d.Why    // "the command is not made of plain words: it redirects to or from …"
//
// It is decided in this order: a denying rule; the mode plan, which denies all
// that changes something; names that are protected, and asking rules; allowing
// rules; and what the mode says of the rest. A call that is too large to be judged
// is denied.
package permit

import "fmt"

// An Action is what happens to a call.
type Action string

// The actions, from the strictest.
const (
	Deny  Action = "deny"
	Ask   Action = "ask"
	Allow Action = "allow"
)

// A Mode says what happens to a call about which no rule says anything. The zero
// value is Default.
type Mode string

// The modes, from the strictest.
const (
	// Plan allows what changes nothing and denies all else, also what a rule or an
	// answer allows.
	Plan Mode = "plan"
	// Default allows what changes nothing and asks for all else.
	Default Mode = "default"
	// AcceptEdits also allows changes of files below the roots.
	AcceptEdits Mode = "accept-edits"
	// Bypass allows everything. What is denied or protected stays so.
	Bypass Mode = "bypass"
)

// ParseMode reads a mode; the empty string is Default.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case "":
		return Default, nil
	case Plan, Default, AcceptEdits, Bypass:
		return m, nil
	}
	return "", fmt.Errorf("there is no mode %q; the modes are plan, default, accept-edits, bypass", s)
}

// A Request is a call to be judged. What the tool said of its effect is believed;
// tools are code of the harness, only their arguments come from a stranger.
type Request struct {
	Tool string // its name
	// Args are the arguments as the model wrote them. They are part of what a
	// person answers to and are not looked into.
	Args []byte
	// ReadOnly says that the call changes nothing. It counts for nothing in a call
	// that has a Command.
	ReadOnly bool
	Paths    []string // as asked; a relative one is meant below Cwd
	// Resolved is where the paths lead, and those a command mentions. A path that
	// is missing here is never allowed by a rule about paths.
	Resolved []Resolved
	Command  string // the line a shell would run; empty: none
	Cwd      string // where the call runs, absolute and without links; empty: the first root
	// Unsure is why Resolved may lack something. Such a call is denied.
	Unsure string
}

// Resolved is a path with where it leads at the moment.
type Resolved struct {
	Literal string // absolute, as asked, with "." and ".." taken out
	Real    string // absolute, without links; of a missing file where it would be
	ID      ID     // the file itself; zero: it is missing or cannot be told
	// Aliases are other names of the same file, absolute. Elsewhere says that it has
	// more names than were found, so that a change has effects nobody can see.
	Aliases   []string
	Elsewhere bool
}

// ID is the identity of a file.
type ID struct {
	Dev   uint64 // the device
	Inode uint64 // the file on it
}

// A Decision is what was decided, and why.
type Decision struct {
	Action Action    // what happens to the call
	Rule   string    // what decided: a rule with its action, a protected name, a mode, …
	Why    string    // a clause for people
	Model  string    // a sentence for the model; empty if the call is allowed
	Asked  *Question // what to ask; nil unless the action is Ask
}

// Unattended returns the decision where nobody can be asked: a question becomes a
// refusal that names the rules which would permit the call, if there are any.
func (d Decision) Unattended() Decision {
	if d.Action != Ask {
		return d
	}
	how := " No rule permits it" + unless(d.Asked) + "."
	if d.Asked != nil && len(d.Asked.Rules) > 0 {
		how = " To permit it: " + flags(d.Asked.Rules) + "."
	}
	d.Action = Deny
	d.Why += "; nobody can be asked here." + how
	d.Model = "Not run: it needs the consent of a person, and nobody can be asked here. Do not try another way to the same effect; " +
		"go on without it, or say in your answer what is missing." + how
	d.Asked = nil
	return d
}
