package anthropic_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/internal/wiretest"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
)

var update = flag.Bool("update", false, "write what was got as what is wanted")

var suite = wiretest.Suite{
	Dialect: anthropic.Dialect, Text: isText, Whole: isWhole, Verbatim: isVerbatim, Turns: checkTurns,
}

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
		return `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n" +
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + text + `"}}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"
	}, "stop end (end_turn)")
}

var wholes = regexp.MustCompile(`^\.tools\[\d+\]\.input_schema$|^\.messages\[\d+\]\.content\[\d+\]\.input$|^\.output_config\.format\.schema$`)

// isWhole reports whether an object is marked as it stands.
func isWhole(path string) bool { return wholes.MatchString(path) }

var texts = regexp.MustCompile(`^\.tools\[\d+\]\.(name|description)$|^\.system\[\d+\]\.text$|` +
	`^\.messages\[\d+\]\.content\[\d+\](\.content\[\d+\])?\.(text|name|content|source\.data|source\.url)$`)

// isText reports whether a value is text that must be marked.
func isText(path string) bool { return texts.MatchString(path) }

var contents = regexp.MustCompile(`^\.messages\[\d+\]\.content\[\d+\]$`)

// isVerbatim finds the blocks that came from the provider.
func isVerbatim(path string, body []byte) bool {
	var b struct{ Type string }
	return contents.MatchString(path) && json.NewDecoder(bytes.NewReader(body)).Decode(&b) == nil &&
		!slices.Contains([]string{"text", "image", "tool_use", "tool_result"}, b.Type)
}

type sentBlock struct {
	Type, ID, Text string
	UseID          string          `json:"tool_use_id"`
	Input          json.RawMessage `json:"input"`
	IsError        bool            `json:"is_error"`
	Content        json.RawMessage
	Cache          *struct{ Type, TTL string } `json:"cache_control"`
}

type sent struct {
	MaxTokens int `json:"max_tokens"`
	Tools     []sentBlock
	System    []sentBlock
	Messages  []struct {
		Role    string
		Content []sentBlock
	}
}

var ids = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// checkTurns fails unless the rules of the protocol hold.
func checkTurns(t testing.TB, b wire.Body, _ bool) {
	t.Helper()
	var doc sent
	if err := json.Unmarshal(b.JSON, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.MaxTokens == 0 {
		t.Fatal("no max_tokens")
	}
	checkBreakpoints(t, &doc, b)
	last := ""
	var open []string
	used := map[string]bool{}
	for i, m := range doc.Messages {
		switch {
		case i == 0 && m.Role != "user", m.Role == last, m.Role == "system" && last != "user",
			last == "system" && m.Role != "assistant", len(m.Content) == 0:
			t.Fatalf("message %d of %s, after %q, with %d blocks: %s", i, m.Role, last, len(m.Content), b.JSON)
		}
		last = m.Role
		text := false
		for _, c := range m.Content {
			switch c.Type {
			case "text":
				if text = true; strings.TrimSpace(c.Text) == "" {
					t.Fatalf("message %d has a text without a visible character", i)
				}
			case "tool_result":
				if text || len(open) == 0 || open[0] != c.UseID || m.Role != "user" || c.IsError && c.Content == nil {
					t.Fatalf("message %d has the result of %q, want one of %q: %s", i, c.UseID, open, b.JSON)
				}
				open = open[1:]
				continue
			case "tool_use":
				if used[c.ID] || !ids.MatchString(c.ID) || c.Input[0] != '{' || m.Role != "assistant" {
					t.Fatalf("message %d has the call %+v: %s", i, c, b.JSON)
				}
				used[c.ID] = true
				open = append(open, c.ID)
				continue
			}
			if len(open) > 0 && m.Role != "assistant" {
				t.Fatalf("message %d has a %s before the results of %q: %s", i, c.Type, open, b.JSON)
			}
		}
		if end := m.Content[len(m.Content)-1].Type; end == "thinking" || end == "redacted_thinking" {
			t.Fatalf("message %d ends in %s", i, end)
		}
	}
	if len(open) > 0 {
		t.Fatalf("no results of %q: %s", open, b.JSON)
	}
}

// checkBreakpoints fails unless there are at most four, none lasts longer than
// one before it, and each is where the body says.
func checkBreakpoints(t testing.TB, doc *sent, b wire.Body) {
	t.Helper()
	blocks := slices.Concat(doc.Tools, doc.System)
	for _, m := range doc.Messages {
		blocks = append(blocks, m.Content...)
	}
	var got []string
	for _, c := range blocks {
		if c.Cache != nil {
			if c.Type == "thinking" || c.Type == "redacted_thinking" {
				t.Fatalf("a breakpoint on %s", c.Type)
			}
			got = append(got, c.Cache.TTL)
		}
	}
	if len(got) > 4 || !slices.IsSortedFunc(got, func(a, b string) int { return -strings.Compare(a, b) }) {
		t.Fatalf("breakpoints that last %q: %s", got, b.JSON)
	}
	if len(got) != len(b.Breakpoints) {
		t.Fatalf("%d breakpoints, the body names %d: %s", len(got), len(b.Breakpoints), b.JSON)
	}
	for _, p := range b.Breakpoints {
		if s := string(b.JSON[p.Lo:p.Hi]); !strings.HasPrefix(s, `,"cache_control":{`) || !strings.HasSuffix(s, "}") {
			t.Fatalf("breakpoint %s is %q", p.Name, s)
		}
	}
}
