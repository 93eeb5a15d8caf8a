package wire

import "fmt"

// Cache says which prefixes of a request a provider is asked to keep. It matters
// to protocols with breakpoints; others cache by themselves, and know only
// Options.CacheKey. The zero value derives the breakpoints: at the end of the
// tools, of the leading stable sections, of the leading sections that last a
// session, and of the last message that stays in the history.
type Cache struct {
	Off bool // no breakpoints
	// TTL is how long derived breakpoints last.
	TTL TTL
	// Hints replace the derived breakpoints. Their order does not matter.
	Hints []CacheHint
}

// TTL is how long a provider keeps a prefix after its last use.
type TTL uint8

// The lifetimes.
const (
	TTL5m TTL = iota // five minutes, what providers do unless they are told
	TTL1h            // an hour; writing costs more
)

// String returns the name used in configuration and by providers: "5m" or "1h".
func (t TTL) String() string {
	if t == TTL1h {
		return "1h"
	}
	return "5m"
}

// ParseTTL returns the lifetime with the given name.
func ParseTTL(name string) (TTL, error) {
	for _, t := range []TTL{TTL5m, TTL1h} {
		if t.String() == name {
			return t, nil
		}
	}
	return 0, fmt.Errorf("unknown lifetime %q: one of 5m, 1h", name)
}

// CachePlace says what stands before a breakpoint.
type CachePlace uint8

// The places, in the order in which providers read a request.
const (
	AfterTools   CachePlace = iota // the tools
	AfterSection                   // these, and the text channels up to a section
	AfterMessage                   // these, and the conversation up to a message
)

// A CacheHint asks for a breakpoint.
type CacheHint struct {
	Place   CachePlace
	Section string // AfterSection: the name of a part of the system or instructions channel
	// Back counts messages for AfterMessage: 0 is the last one that stays in the
	// history, 1 the one before it.
	Back int
	TTL  TTL
}

// name returns what people call the place.
func (h CacheHint) name() string {
	switch {
	case h.Place == AfterTools:
		return "tools"
	case h.Place == AfterSection && h.Section != "":
		return h.Section
	case h.Place == AfterSection:
		return "a section without a name"
	case h.Back == 0:
		return "last message"
	}
	return fmt.Sprintf("message %d before the last", h.Back)
}

// A CachePoint is a breakpoint with its place in a request.
type CachePoint struct {
	CacheHint
	// At is the index of the section, in the system parts followed by the
	// instructions, or of the message.
	At int
}

// A Breakpoint is a breakpoint in a body.
type Breakpoint struct {
	Name   string // "tools", the name of a section, or "last message"
	Lo, Hi int    // the bytes that mark it; without them the body asks the same of the model
	TTL    TTL
}

// Transient is the name of messages that are sent once and not kept, such as the
// reminder. No breakpoint stands behind one.
const Transient = "reminder"

// CodeCacheDropped is the code of a breakpoint that was asked for and is not sent.
const CodeCacheDropped = "wire.cache_dropped"
