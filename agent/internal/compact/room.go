package compact

import "github.com/proemhq/proem/chat"

// The most tokens that a Room keeps, however large the window is.
const (
	maxKeep    = 20_000
	maxProtect = 40_000
)

// A Room says how many tokens a conversation may take.
type Room struct {
	Limit   int // a request of more is too long
	Goal    int // what a request should have after it was made shorter
	Keep    int // of the latest messages, which stay as they are
	Protect int // of the latest messages, whose results are not cut
	Least   int // what must be gained, as each change is paid with the cache
}

// RoomIn returns the room in a window of which reserve is kept free for the
// answer. keep is how many tokens of the latest messages stay; 0: a quarter of
// the room.
func RoomIn(window, reserve, keep int) Room {
	limit := max(window-reserve, window/4, 1)
	r := Room{Limit: limit, Goal: limit - limit/4, Keep: keep, Least: limit / 8}
	if keep <= 0 {
		r.Keep = min(limit/4, maxKeep)
	}
	r.Protect = max(min(limit/2, maxProtect), r.Keep)
	return r
}

// A Meter counts the tokens of messages. Its counts are multiplied by Num/Den:
// what a provider reported tells how wrong they are.
type Meter struct {
	Count    func(string) int
	Num, Den int // 0: as counted
}

// Tokens returns the tokens of a text.
func (m Meter) Tokens(s string) int { return m.scale(m.Count(s)) }

// scale rounds up.
func (m Meter) scale(n int) int {
	if m.Num <= 0 || m.Den <= 0 {
		return n
	}
	return (n*m.Num + m.Den - 1) / m.Den
}

// Message returns the tokens of a message as it is sent.
func (m Meter) Message(msg chat.Message) int { return m.scale(msg.Weigh(m.Count)) }

// Messages returns the tokens of several messages.
func (m Meter) Messages(msgs []chat.Message) int {
	n := 0
	for i := range msgs {
		n += m.Message(msgs[i])
	}
	return n
}
