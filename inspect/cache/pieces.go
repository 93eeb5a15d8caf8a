package cache

import (
	"fmt"
	"strings"
)

// reader makes the pieces of a body. What the body before has at the same place is
// taken from there.
type reader struct {
	*head
	before   []piece // of the body before
	body     []byte  // which they are of
	contents map[string]*content
	count    func(string) int
}

// read makes all pieces.
func (r *reader) read() {
	b := r.Body
	if r.tools.hi > 0 {
		elements(b, r.tools.lo, func(lo, hi int) { r.piece(toolPiece, "", false, 0, lo, hi) })
	}
	r.list(systemPiece, "", false, 0, r.system)
	if r.messages.lo < len(b) && b[r.messages.lo] == '"' {
		r.piece(messagePiece, "user", false, 0, r.messages.lo, r.messages.hi)
	}
	leading, number := true, 0
	elements(b, r.messages.lo, func(lo, hi int) {
		who, answer := role(b, lo)
		leading = leading && (who == "system" || who == "developer")
		switch {
		case leading:
			r.piece(systemPiece, who, false, number, lo, hi)
		case r.dialect == "anthropic":
			members(b, lo, func(m member) {
				if m.name == "content" {
					r.list(messagePiece, who, answer, number, part{m.lo, m.hi})
				}
			})
		default:
			r.piece(messagePiece, who, answer, number, lo, hi)
		}
		number++
	})
	if n := len(r.pieces); r.auto != "" && n > 0 {
		r.pieces[n-1].mark = r.auto
	}
	for _, p := range r.pieces {
		r.tokens += p.tokens
	}
}

// list makes a piece of a text, or one of each block.
func (r *reader) list(k kind, role string, answer bool, number int, p part) {
	switch {
	case p.hi == 0:
	case r.Body[p.lo] == '[':
		elements(r.Body, p.lo, func(lo, hi int) { r.piece(k, role, answer, number, lo, hi) })
	case r.Body[p.lo] == '"':
		r.piece(k, role, answer, number, p.lo, p.hi)
	}
}

// piece makes one piece.
func (r *reader) piece(k kind, role string, answer bool, number, lo, hi int) {
	b := r.Body
	if i := len(r.pieces); i < len(r.before) {
		p := r.before[i]
		if p.kind == k && p.answer == answer && strings.HasPrefix(p.salt, role+"\x00") && string(r.body[p.lo:p.hi]) == string(b[lo:hi]) {
			move := lo - p.lo
			p.lo, p.hi, p.number = lo, hi, number
			if p.cutHi > 0 {
				p.cutLo, p.cutHi = p.cutLo+move, p.cutHi+move
			}
			r.pieces = append(r.pieces, p)
			return
		}
	}
	var rd reading
	p := piece{lo: lo, hi: hi, number: number}
	name := ""
	rd.salt.WriteString(role + "\x00")
	if b[lo] == '{' {
		members(b, lo, func(m member) {
			if m.name == "cache_control" {
				p.cutLo, p.cutHi = cutAround(b, m)
			}
		})
	}
	if k == toolPiece {
		rd.text.Write(b[lo:max(lo, p.cutLo)])
		if p.cutHi == 0 {
			rd.text.Write(b[lo:hi])
		} else {
			rd.text.Write(b[p.cutHi:hi])
			var marked reading
			marked.value(b, "", lo, hi)
			rd.mark = marked.mark
		}
		name = toolName(b, lo)
	} else {
		rd.value(b, "content", lo, hi)
	}
	p.mark = rd.mark
	p.content = r.share(&content{kind: k, name: name, answer: answer, salt: rd.salt.String(), text: rd.text.String()})
	r.pieces = append(r.pieces, p)
}

// share returns the content that says the same, if there is one.
func (r *reader) share(c *content) *content {
	id := fmt.Sprint(c.kind, c.answer) + "\x00" + c.salt + "\x00" + c.text
	if same := r.contents[id]; same != nil {
		return same
	}
	c.text = id[len(id)-len(c.text):]
	c.tokens = r.count(c.text)
	r.contents[id] = c
	return c
}

// cutAround returns a member with the comma that goes with it.
func cutAround(b []byte, m member) (lo, hi int) {
	lo, hi = m.from, m.hi
	for lo > 0 && b[lo-1] <= ' ' {
		lo--
	}
	if b[lo-1] == ',' {
		return lo - 1, hi
	}
	if at := space(b, hi); b[at] == ',' {
		hi = at + 1
	}
	return lo, hi
}

// toolName returns the name of a tool.
func toolName(b []byte, lo int) (name string) {
	members(b, lo, func(m member) {
		switch m.name {
		case "name":
			name = unquote(b[m.lo:m.hi])
		case "function":
			if inner := toolName(b, m.lo); inner != "" {
				name = inner
			}
		}
	})
	return name
}
