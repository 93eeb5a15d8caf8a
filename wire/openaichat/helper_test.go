package openaichat_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/wire"
)

// value is a value of a body: its path and the bytes it takes. A string's range
// is what stands between its quotes.
type value struct {
	path   string
	lo, hi int
}

// values lists the leaves of a JSON text, and objects under a key named
// parameters as a whole.
func values(t *testing.T, body []byte) []value {
	t.Helper()
	if !json.Valid(body) {
		t.Fatalf("not JSON: %s", body)
	}
	w := walker{in: body}
	w.value("")
	return w.out
}

type walker struct {
	in  []byte
	at  int
	out []value
}

func (w *walker) value(path string) {
	lo := w.at
	switch w.in[w.at] {
	case '{':
		w.at++
		for w.in[w.at] != '}' {
			if w.in[w.at] == ',' {
				w.at++
			}
			lo, hi := w.str()
			w.at++ // the colon
			w.value(path + "." + string(w.in[lo:hi]))
		}
		w.at++
	case '[':
		w.at++
		for i := 0; w.in[w.at] != ']'; i++ {
			if w.in[w.at] == ',' {
				w.at++
			}
			w.value(fmt.Sprintf("%s[%d]", path, i))
		}
		w.at++
	case '"':
		lo, hi := w.str()
		w.out = append(w.out, value{path, lo, hi})
		return
	default:
		for w.at < len(w.in) && !strings.ContainsRune(",]}", rune(w.in[w.at])) {
			w.at++
		}
		w.out = append(w.out, value{path, lo, w.at})
	}
	if strings.HasSuffix(path, ".parameters") {
		w.out = append(w.out, value{path, lo, w.at})
	}
}

func (w *walker) str() (lo, hi int) {
	w.at++
	lo = w.at
	for w.in[w.at] != '"' {
		if w.in[w.at] == '\\' {
			w.at++
		}
		w.at++
	}
	w.at++
	return lo, w.at - 1
}

// isText reports whether a value is text that must be marked.
func isText(path string) bool {
	if strings.Contains(path, ".parameters.") || strings.Contains(path, ".parameters[") {
		return false // the whole is one value
	}
	for _, end := range []string{".content", ".text", ".url", ".description", ".arguments", ".parameters", ".reasoning_content"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return strings.HasSuffix(path, ".function.name") && !strings.HasPrefix(path, ".tool_choice")
}

// checkMarks fails unless the marks tile every text value of a body and nothing
// else.
func checkMarks(t *testing.T, b wire.Body) {
	t.Helper()
	i := 0
	for _, v := range values(t, b.JSON) {
		if !isText(v.path) {
			continue
		}
		at := v.lo
		for i < len(b.Marks) && b.Marks[i].Lo < v.hi {
			m := b.Marks[i]
			if m.Lo != at || m.Hi <= m.Lo || m.Hi > v.hi {
				t.Fatalf("%s: mark %d is [%d,%d), want it to begin at %d and to end within %d", v.path, i, m.Lo, m.Hi, at, v.hi)
			}
			at = m.Hi
			i++
		}
		if at != v.hi {
			t.Fatalf("%s: bytes %d to %d have no mark: %q", v.path, at, v.hi, b.JSON[at:v.hi])
		}
	}
	if i != len(b.Marks) {
		t.Fatalf("mark %d covers no text: %+v %q", i, b.Marks[i], b.JSON[b.Marks[i].Lo:b.Marks[i].Hi])
	}
}

// checkTurns fails unless calls and results are paired and, where that is asked
// for, turns alternate.
func checkTurns(t *testing.T, b wire.Body, alternate bool) {
	t.Helper()
	var doc struct {
		Messages []struct {
			Role      string
			CallID    string                `json:"tool_call_id"`
			ToolCalls []struct{ ID string } `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(b.JSON, &doc); err != nil {
		t.Fatal(err)
	}
	last := ""
	var open []string
	for i, m := range doc.Messages {
		if m.Role == "tool" {
			if len(open) == 0 || open[0] != m.CallID {
				t.Fatalf("message %d is the result of %q, want one of %q", i, m.CallID, open)
			}
			open = open[1:]
		} else if len(open) > 0 {
			t.Fatalf("message %d comes before the results of %q", i, open)
		}
		if alternate && m.Role == last && (last == "user" || last == "assistant") {
			t.Fatalf("messages %d and %d are both of %s: %s", i-1, i, last, b.JSON)
		}
		last = m.Role
		for _, c := range m.ToolCalls {
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		t.Fatalf("no results of %q", open)
	}
}
