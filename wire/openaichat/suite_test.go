package openaichat_test

import (
	"encoding/json"
	"flag"
	"strings"
	"testing"

	"github.com/proemhq/proem/internal/wiretest"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

var update = flag.Bool("update", false, "write what was got as what is wanted")

var suite = wiretest.Suite{Dialect: openaichat.Dialect, Text: isText, Whole: isWhole, Turns: checkTurns}

func TestEncodeGolden(t *testing.T)       { suite.EncodeGolden(t, *update) }
func TestEncodeRandom(t *testing.T)       { suite.EncodeRandom(t) }
func TestEncodeFromPrevious(t *testing.T) { suite.EncodeFromPrevious(t) }
func TestDecodeGolden(t *testing.T)       { suite.DecodeGolden(t, *update) }
func TestDecodeChunks(t *testing.T)       { suite.DecodeChunks(t) }
func TestDecodeTruncated(t *testing.T)    { suite.DecodeTruncated(t) }
func TestDecodeReadError(t *testing.T)    { suite.DecodeReadError(t) }
func TestDecodeBreak(t *testing.T)        { suite.DecodeBreak(t) }
func FuzzDecode(f *testing.F)             { suite.FuzzDecode(f) }

func TestDecodeLongLine(t *testing.T) {
	suite.DecodeLongLine(t, func(text string) string {
		return `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` + "\n\n" +
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	}, "stop end (stop)")
}

func isWhole(path string) bool {
	return strings.HasSuffix(path, ".parameters") || path == ".response_format.json_schema.schema"
}

// isText reports whether a value is text that must be marked.
func isText(path string) bool {
	for _, end := range []string{".content", ".text", ".url", ".description", ".arguments", ".reasoning_content"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return isWhole(path) || strings.HasSuffix(path, ".function.name") && !strings.HasPrefix(path, ".tool_choice")
}

// checkTurns fails unless calls and results are paired and, where that is asked
// for, turns alternate.
func checkTurns(t testing.TB, b wire.Body, alternate bool) {
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
