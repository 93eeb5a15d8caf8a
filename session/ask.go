package session

import (
	"encoding/json"
	"fmt"
)

// An Ask is a question to a person that a call waits for: whether it may run, or
// what the tool itself wants to know. The fields of the first kind are those of a
// permit.Question.
type Ask struct {
	Call string `json:"call"` // the id of the call
	// Text is what the tool wants to know. Empty: the question is whether the call
	// may run.
	Text string `json:"text,omitempty"`
	// Choices are answers to Text that the tool understands, the one that changes
	// least first; empty: any text.
	Choices []string `json:"choices,omitempty"`

	Digest string `json:"digest,omitempty"` // what an answer is bound to; set unless Text is
	Tool   string `json:"tool"`             // its name
	// Args are the arguments of the call as it would run, hooks included.
	Args    json.RawMessage `json:"args,omitempty"`
	Why     string          `json:"why,omitempty"` // a clause that says why somebody is asked
	Command string          `json:"command,omitempty"`
	Cwd     string          `json:"cwd,omitempty"`
	Targets []Target        `json:"targets,omitempty"`
	Rules   []string        `json:"rules,omitempty"` // that would together allow this call
	Wider   []string        `json:"wider,omitempty"` // that would together allow such calls
}

// A Target is a path that a call wants to use, and where it leads.
type Target struct {
	Asked string `json:"asked"`
	Real  string `json:"real,omitempty"` // empty: it is not known
}

// A Reply is what a person said to an [Ask].
type Reply struct {
	Call string `json:"call"`           // the id of the call
	Text string `json:"text,omitempty"` // to an Ask with a Text

	Digest  string   `json:"digest,omitempty"`  // of the Ask without a Text
	Verdict string   `json:"verdict,omitempty"` // to it: "once", "session" or "deny"
	Rules   []string `json:"rules,omitempty"`   // of the Ask; with session only
	Note    string   `json:"note,omitempty"`    // for the model; with deny only
}

// Granted is what a person allowed for the rest of a session.
type Granted struct {
	Calls []string `json:"calls,omitempty"` // digests
	Rules []string `json:"rules,omitempty"`
}

// forSession is the verdict that grants something for the rest of the session.
const forSession = "session"

func (a *Ask) check() error {
	switch {
	case a.Call == "" || a.Tool == "":
		return fmt.Errorf("a question of no call")
	case (a.Text == "") == (a.Digest == ""):
		return fmt.Errorf("a question has a text or a digest, and not both")
	}
	return nil
}

func (r *Reply) check() error {
	switch {
	case r.Call == "":
		return fmt.Errorf("a reply to no call")
	case r.Digest == "" && (r.Verdict != "" || len(r.Rules) > 0 || r.Note != ""):
		return fmt.Errorf("a verdict without the digest of its question")
	case r.Digest != "" && r.Verdict != "once" && r.Verdict != forSession && r.Verdict != "deny":
		return fmt.Errorf("the verdict %q is not once, session or deny", r.Verdict)
	case len(r.Rules) > 0 && r.Verdict != forSession:
		return fmt.Errorf("the verdict %q takes no rules", r.Verdict)
	}
	return nil
}
