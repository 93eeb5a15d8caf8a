package permit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/proemhq/proem/tool/permit/plain"
)

// A Question is what a person is asked. It can be stored as JSON and answered in
// another process.
type Question struct {
	// Digest stands for the tool, the arguments and what they lead to at this
	// moment. An answer holds for it and for nothing else.
	Digest  string   `json:"digest"`
	Tool    string   `json:"tool"`              // its name
	Why     string   `json:"why"`               // a clause
	Command string   `json:"command,omitempty"` // as it would be given to a shell
	Cwd     string   `json:"cwd,omitempty"`     // where it would run; empty: the first root
	Targets []Target `json:"targets,omitempty"` // of a command only what leads elsewhere
	// Rules would together allow this call, and Wider such calls. Empty: no rule can.
	Rules []string `json:"rules,omitempty"`
	Wider []string `json:"wider,omitempty"`
}

// A Target is a path as it was asked for, and where it leads.
type Target struct {
	Asked string `json:"asked"`
	Real  string `json:"real,omitempty"` // empty: it is not known
}

// A Verdict is what a person answers.
type Verdict string

// The verdicts.
const (
	Once    Verdict = "once"    // this call
	Session Verdict = "session" // this very call, or what the rules say, until the session ends
	No      Verdict = "deny"    // not this call
)

// An Answer is what a person said to a question.
type Answer struct {
	Digest  string   `json:"digest"`          // of the question
	Verdict Verdict  `json:"verdict"`         // anything else than the constants leaves the question open
	Rules   []string `json:"rules,omitempty"` // of the question; with Session only
	Note    string   `json:"note,omitempty"`  // for the model, if the verdict is No
}

// Grants are what a person allowed for a session. The zero value is nothing.
type Grants struct {
	Calls []string `json:"calls,omitempty"` // digests
	Rules []string `json:"rules,omitempty"` // as [ParseRule] reads them
}

// With returns the grants after an answer. It changes nothing but for the verdict
// Session.
func (g Grants) With(q Question, a Answer) (Grants, error) {
	switch {
	case a.Digest != q.Digest:
		return g, errors.New("the answer is to another question")
	case a.Verdict != Session && a.Verdict != Once && a.Verdict != No:
		return g, fmt.Errorf("the verdict %q is not once, session or deny", a.Verdict)
	case a.Verdict != Session && len(a.Rules) > 0:
		return g, fmt.Errorf("the verdict %q takes no rules", a.Verdict)
	}
	for _, r := range a.Rules {
		if !slices.Contains(q.Rules, r) && !slices.Contains(q.Wider, r) {
			return g, fmt.Errorf("the rule %q was not offered", r)
		}
	}
	if a.Verdict != Session {
		return g, nil
	}
	out := Grants{Calls: slices.Clone(g.Calls), Rules: slices.Clone(g.Rules)}
	if len(a.Rules) == 0 && !slices.Contains(out.Calls, q.Digest) {
		out.Calls = append(out.Calls, q.Digest)
	}
	for _, r := range a.Rules {
		if !slices.Contains(out.Rules, r) {
			out.Rules = append(out.Rules, r)
		}
	}
	return out, nil
}

func (g Grants) holds(v *view) bool {
	return len(g.Calls) > 0 && slices.Contains(g.Calls, Digest(v.req))
}

// Resume judges a call about which a person was asked. The request is made anew,
// from the world as it is now: what is denied meanwhile stays denied, and an
// answer to anything but this very call leaves it a question.
func (p *Policy) Resume(r Request, g Grants, a Answer) Decision {
	d := p.Decide(r, g)
	if d.Action != Ask {
		return d
	}
	if a.Digest != d.Asked.Digest {
		d.Why = "what was answered to is not what would be done now; " + d.Why
		d.Asked.Why = d.Why
		return d
	}
	if _, err := (Grants{}).With(*d.Asked, a); err != nil {
		d.Why = err.Error() + "; " + d.Why
		d.Asked.Why = d.Why
		return d
	}
	if a.Verdict != No {
		return allowed("answer", "a person allowed it")
	}
	out := denied("answer", "a person refused it")
	if a.Note != "" {
		out.Model += " They say: " + a.Note
	}
	return out
}

// Digest returns what an answer to a call is bound to: tool, arguments, command,
// and every path with where it leads and which file that is.
func Digest(r Request) string {
	h := sha256.New()
	put := func(parts ...string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(parts)))
		h.Write(n[:])
		for _, s := range parts {
			binary.BigEndian.PutUint64(n[:], uint64(len(s)))
			h.Write(n[:])
			h.Write([]byte(s))
		}
	}
	put("proem.permit/1", r.Tool, string(r.Args), r.Command, r.Cwd, strconv.FormatBool(r.ReadOnly))
	put(r.Paths...)
	for _, at := range r.Resolved {
		put(at.Literal, at.Real, strconv.FormatUint(at.ID.Dev, 16), strconv.FormatUint(at.ID.Inode, 16))
		put(at.Aliases...)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// question returns the decision to ask.
func (v *view) question(rule, why string, rules [][]string) Decision {
	q := &Question{Digest: Digest(v.req), Tool: v.req.Tool, Why: why, Command: v.req.Command, Cwd: v.req.Cwd}
	for _, at := range v.req.Resolved {
		if v.req.Command == "" || at.Real != at.Literal {
			q.Targets = append(q.Targets, Target{at.Literal, at.Real})
		}
	}
	if len(v.req.Resolved) == 0 {
		for _, name := range v.req.Paths {
			q.Targets = append(q.Targets, Target{Asked: name})
		}
	}
	if len(rules) == 2 {
		q.Rules, q.Wider = rules[0], rules[1]
	}
	return Decision{Action: Ask, Rule: rule, Why: why, Asked: q,
		Model: "Waiting for the consent of a person: " + why + "."}
}

// unless explains why there is no rule to name.
func unless(q *Question) string {
	if q != nil && q.Command != "" {
		return "; a command of plain words, one program at a time, can be permitted"
	}
	return ""
}

// flags writes rules as options of a command line.
func flags(rules []string) string {
	out := make([]string, len(rules))
	for i, r := range rules {
		out[i] = "--allow " + plain.Quote(r)
	}
	return strings.Join(out, " ")
}
