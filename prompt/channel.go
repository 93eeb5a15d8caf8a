package prompt

import "fmt"

// A Channel says where text goes in a request. Channels are always listed,
// rendered and spanned in the order of these constants.
type Channel uint8

// The channels.
const (
	System       Channel = iota // who the model is and how it works
	Instructions                // what this task asks for; placed by each dialect
	Context                     // dynamic facts, user role, after the history
	Reminder                    // sent last, never kept in the history
	Channels                    // the number of channels
)

var channelNames = [Channels]string{"system", "instructions", "context", "reminder"}

// String returns the name used in JSON and configuration, such as "system".
func (c Channel) String() string {
	if c < Channels {
		return channelNames[c]
	}
	return fmt.Sprintf("channel(%d)", uint8(c))
}

// ParseChannel returns the channel with the given name.
func ParseChannel(name string) (Channel, error) {
	for i, n := range channelNames {
		if n == name {
			return Channel(i), nil
		}
	}
	return 0, fmt.Errorf("unknown channel %q: one of system, instructions, context, reminder", name)
}

// A Class says how often a text changes. It decides how caches are laid out and
// never re-orders sections.
type Class uint8

// The classes, from least to most volatile.
const (
	Stable  Class = iota // the same for every session of an agent
	Session              // may differ between sessions, fixed within one
	Turn                 // may change at every request
)

var classNames = [...]string{"stable", "session", "turn"}

// String returns the name used in JSON and configuration, such as "session".
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// ParseClass returns the class with the given name.
func ParseClass(name string) (Class, error) {
	for i, n := range classNames {
		if n == name {
			return Class(i), nil
		}
	}
	return 0, fmt.Errorf("unknown class %q: one of stable, session, turn", name)
}
