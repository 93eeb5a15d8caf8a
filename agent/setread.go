package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

// What is taken of a set. Whoever serves one is a stranger.
const (
	maxSetTools     = 256
	maxPins         = 1024     // of a set in a session
	maxSetText      = 32 << 10 // of instructions
	maxToolText     = 16 << 10 // of a description
	maxToolSchema   = 64 << 10
	setOriginSource = "tools"
)

var setName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// A reading is what a set said at one moment.
type reading struct {
	set          tool.Set
	tools        []offered // in ascending order of names
	instructions string
	err          error // it could not be read; the rest is empty
	diagnostics  []prompt.Diagnostic
}

// An offered is a tool of a reading with what it said of itself then.
type offered struct {
	tool tool.Tool
	spec chat.ToolSpec
	hash string
}

func (r *reading) find(name string) *offered {
	at, ok := slices.BinarySearchFunc(r.tools, name, func(o offered, name string) int { return cmp.Compare(o.spec.Name, name) })
	if !ok {
		return nil
	}
	return &r.tools[at]
}

// readSets reads all sets at the same time, each within the timeout. The names of
// sets are unique.
func readSets(ctx context.Context, sets []tool.Set, timeout time.Duration) []reading {
	out := make([]reading, len(sets))
	got := make([]chan reading, len(sets))
	find, needs := setFinder{}, make([]string, len(sets))
	for i, set := range sets {
		c := make(chan reading, 1) // one that comes late is dropped with its channel
		got[i], needs[i] = c, fmt.Sprintf("%06d", i)
		find[needs[i]] = func(ctx context.Context, _ source.Query) (prompt.Fact, error) {
			tools, instructions, err := set.Tools(ctx)
			if err == nil {
				c <- newReading(set, tools, instructions)
			}
			return prompt.Fact{}, err
		}
	}
	facts := source.Gather(ctx, needs, find, source.Query{}, timeout, nil)
	for i, set := range sets {
		f, _ := facts.Get(needs[i])
		if f.Err != nil {
			out[i] = reading{set: set, err: f.Err}
			continue
		}
		out[i] = <-got[i]
	}
	return out
}

// A setFinder makes sources of functions.
type setFinder map[string]source.Func

// Source implements [source.Finder].
func (f setFinder) Source(name string) (source.Source, bool) {
	s, ok := f[name]
	return s, ok
}

// newReading takes in what a set said: names that can be sent, text that can be
// seen, schemas in their one form, and no more of it than there is room for. What
// is left out is named.
func newReading(set tool.Set, tools []tool.Tool, instructions string) reading {
	r := reading{set: set}
	say := func(code, format string, args ...any) {
		r.diagnostics = append(r.diagnostics, prompt.Diagnostic{Severity: prompt.Warning, Code: code,
			Message: "the set of tools " + set.Name() + ": " + fmt.Sprintf(format, args...)})
	}
	text := textnorm.Bytes([]byte(instructions), false)
	for _, f := range text.Findings {
		say("tools.text", "its instructions: %s", f.Message)
	}
	r.instructions = text.Text
	if n := len(r.instructions); n > maxSetText {
		r.instructions = validUTF8(r.instructions[:maxSetText])
		say("tools.truncated", "only the first %d of the %d bytes of its instructions are used", maxSetText, n)
	}
	if n := len(tools); n > maxSetTools {
		tools = tools[:maxSetTools]
		say("tools.truncated", "only the first %d of its %d tools are used", maxSetTools, n)
	}
	for _, t := range tools {
		o, err := newOffered(set, t)
		if err != nil {
			say("tool.refused", "a tool is left out: %v", err)
			continue
		}
		if slices.ContainsFunc(r.tools, func(other offered) bool { return other.spec.Name == o.spec.Name }) {
			say("tool.duplicate", "a second tool named %s is left out", o.spec.Name)
			continue
		}
		r.tools = append(r.tools, o)
	}
	slices.SortFunc(r.tools, func(a, b offered) int { return cmp.Compare(a.spec.Name, b.spec.Name) })
	return r
}

// newOffered takes in one tool.
func newOffered(set tool.Set, t tool.Tool) (offered, error) {
	spec := t.Spec()
	if !setName.MatchString(spec.Name) {
		return offered{}, fmt.Errorf("the name %s is not of 1 to 64 letters, digits, _ and -", strconv.QuoteToASCII(spec.Name[:min(len(spec.Name), 64)]))
	}
	spec.Description = textnorm.String(spec.Description)
	switch {
	case len(spec.Description) > maxToolText:
		return offered{}, fmt.Errorf("%s: its description has more than %d bytes", spec.Name, maxToolText)
	case len(spec.Parameters) > maxToolSchema:
		return offered{}, fmt.Errorf("%s: its schema has more than %d bytes", spec.Name, maxToolSchema)
	case spec.Parameters != nil:
		schema, err := plainSchema(spec.Parameters)
		if err != nil {
			return offered{}, fmt.Errorf("%s: its schema: %w", spec.Name, err)
		}
		spec.Parameters = schema
	}
	spec.From = &span.Origin{Section: spec.Name, Source: setOriginSource, Path: set.Name(), Trust: span.Tool}
	return offered{tool: t, spec: spec, hash: specHash(spec)}, nil
}

// plainSchema returns a schema in its one form without characters that people
// cannot see. Names that become equal thereby are an error.
func plainSchema(raw []byte) (json.RawMessage, error) {
	schema, err := wire.CanonicalJSON(raw)
	if err != nil {
		return nil, err
	}
	if schema, err = wire.CanonicalJSON([]byte(textnorm.String(string(schema)))); err != nil {
		return nil, err
	}
	if schema[0] != '{' {
		return nil, fmt.Errorf("it is no object")
	}
	return schema, nil
}

// specHash returns the SHA-256, in hex, of what a model is told of a tool.
func specHash(s chat.ToolSpec) string {
	h := sha256.New()
	for _, part := range []string{s.Name, s.Description, canonicalSchema(s), strconv.FormatBool(s.Strict)} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// canonicalSchema returns a schema in its one form; one that is no JSON as it is.
func canonicalSchema(s chat.ToolSpec) string {
	if s.Parameters == nil {
		return ""
	}
	out, err := wire.CanonicalJSON(s.Parameters)
	if err != nil {
		return string(s.Parameters)
	}
	return string(out)
}

// sameSpec reports whether a model is told the same.
func sameSpec(a, b chat.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && a.Strict == b.Strict && (a.Parameters == nil) == (b.Parameters == nil) &&
		(string(a.Parameters) == string(b.Parameters) || canonicalSchema(a) == canonicalSchema(b))
}

// sameBlock reports whether two tools blocks are sent as the same bytes.
func sameBlock(a, b []chat.ToolSpec) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.EqualFunc(a, b, sameSpec))
}
