package cache

// The prices of input, where a token that is neither read from a cache nor written
// to one costs 1: those of the models of OpenAI before 5.6, of Anthropic by
// lifetime, and of DeepSeek's smaller models.
const (
	readOpenAI    = 0.1
	readAnthropic = 0.1
	write5m       = 1.25
	write1h       = 2
	readDeepSeek  = 0.02
)

const (
	least    = 1024 // tokens of a cached prefix, of OpenAI and Anthropic
	step     = 128  // of OpenAI's
	lookback = 20   // pieces that are compared for a breakpoint, its own included
	most     = 4    // breakpoints of a request
)

// stepped cuts a number of tokens to whole steps, from the least on.
func stepped(n, step int) int {
	if n < least {
		return 0
	}
	return n / step * step
}

// units returns how much of a prompt is found by a cache of whole units. The end
// of the prompt becomes one, and so does what it shares with an earlier one beyond
// what was found.
func (n *node) units(pieces []piece, common place) place {
	var found place
	root := n
	for i, p := range pieces {
		for _, u := range n.parts {
			if u.piece.kind == p.kind && u.piece.salt == p.salt && len(p.text) >= u.bytes && p.text[:u.bytes] == u.piece.text[:u.bytes] && found.less(place{i, u.bytes}) {
				found = place{i, u.bytes}
			}
		}
		at, ok := n.find(p.content)
		if !ok {
			break
		}
		if n = n.children[at]; n.unit {
			found = place{whole: i + 1}
		}
	}
	if found.less(common) {
		root.end(pieces, common)
	}
	return found
}

// maxUnits is how many units that end inside of one piece are kept.
const maxUnits = 64

// end makes the place the end of a unit.
func (n *node) end(pieces []piece, at place) {
	if nodes := n.add(pieces[:at.whole]); at.whole > 0 {
		n = nodes[at.whole-1]
	}
	switch {
	case at.bytes > 0:
		if len(n.parts) == maxUnits {
			n.parts = n.parts[1:]
		}
		n.parts = append(n.parts[:len(n.parts):len(n.parts)], unit{pieces[at.whole].content, at.bytes})
	case at.whole > 0:
		n.unit = true
	}
}

// breakpoints returns how many tokens of a prompt are found by looking back from
// its breakpoints, and what writing the others costs. nodes are those of the
// prompt.
func breakpoints(pieces []piece, nodes []*node) (found int, cost float64) {
	at := -1
	for i := range pieces {
		if pieces[i].mark == "" {
			continue
		}
		for j := i; j >= 0 && j > i-lookback && j > at; j-- {
			if nodes[j].written {
				at = j
			}
		}
	}
	sums := make([]int, len(pieces)+1)
	for i, p := range pieces {
		sums[i+1] = sums[i] + p.tokens
	}
	found = sums[at+1]
	end := found
	for i := range pieces {
		if pieces[i].mark == "" || sums[i+1] < least {
			continue
		}
		nodes[i].written = true
		if n := sums[i+1] - end; n > 0 {
			cost += float64(n) * writePrice(pieces[i].mark)
			end = sums[i+1]
		}
	}
	return found, cost + readAnthropic*float64(found) + float64(sums[len(pieces)]-end)
}

func writePrice(mark string) float64 {
	if mark == "1h" {
		return write1h
	}
	return write5m
}

// assume sets the breakpoints that are usual where a body cannot say where they
// are: behind the tools, the system text and the last piece.
func assume(pieces []piece) []piece {
	out := make([]piece, len(pieces))
	copy(out, pieces)
	for i := range out {
		out[i].mark = ""
		if i == len(out)-1 || out[i].kind != messagePiece && out[i+1].kind != out[i].kind {
			out[i].mark = "5m"
		}
	}
	return out
}

// limit leaves the last breakpoints that a request may have.
func limit(pieces []piece) {
	n := 0
	for i := len(pieces) - 1; i >= 0; i-- {
		if pieces[i].mark != "" {
			if n++; n > most {
				pieces[i].mark = ""
			}
		}
	}
}
