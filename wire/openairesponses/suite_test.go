package openairesponses_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"strings"
	"testing"

	"github.com/proemhq/proem/internal/wiretest"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openairesponses"
)

var update = flag.Bool("update", false, "write what was got as what is wanted")

var suite = wiretest.Suite{Dialect: openairesponses.Dialect, Text: isText, Whole: isWhole, Verbatim: isVerbatim, Turns: checkTurns}

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
		return `data: {"type":"response.output_text.delta","output_index":0,"delta":"` + text + `"}` + "\n\n" +
			`data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}` + "\n\n"
	}, "stop end (completed) of r")
}

// isWhole reports whether an object is a schema, which is marked as it stands.
func isWhole(path string) bool {
	return strings.HasPrefix(path, ".tools[") && strings.HasSuffix(path, ".parameters") || path == ".text.format.schema"
}

// isVerbatim finds the items that came from the provider.
func isVerbatim(path string, body []byte) bool {
	if !strings.HasPrefix(path, ".input[") || strings.Count(path, "[")+strings.Count(path, ".") > 2 {
		return false
	}
	var item struct{ Type string }
	return json.NewDecoder(bytes.NewReader(body)).Decode(&item) == nil && item.Type == "reasoning"
}

// isText reports whether a value is text that must be marked.
func isText(path string) bool {
	switch {
	case isWhole(path), path == ".instructions":
		return true
	case strings.HasPrefix(path, ".tools["):
		return strings.HasSuffix(path, ".name") || strings.HasSuffix(path, ".description")
	case strings.HasPrefix(path, ".input["):
		for _, end := range []string{".text", ".image_url", ".output", ".name", ".arguments"} {
			if strings.HasSuffix(path, end) {
				return true
			}
		}
	}
	return false
}

// checkTurns fails unless calls and outputs are paired and, where that is asked
// for, turns alternate. A request that continues a response begins in the middle.
func checkTurns(t testing.TB, b wire.Body, alternate bool) {
	t.Helper()
	var doc struct {
		Previous string `json:"previous_response_id"`
		Input    []struct {
			Type, Role string
			CallID     string `json:"call_id"`
		}
	}
	if err := json.Unmarshal(b.JSON, &doc); err != nil {
		t.Fatal(err)
	}
	last := ""
	var open []string
	for i, it := range doc.Input {
		who := it.Role
		switch it.Type {
		case "function_call":
			who, open = "assistant", append(open, it.CallID)
		case "function_call_output":
			who = "tool"
			if len(open) == 0 && doc.Previous != "" && last == "" {
				who = ""
				break
			}
			if len(open) == 0 || open[0] != it.CallID {
				t.Fatalf("item %d is the output of %q, want one of %q", i, it.CallID, open)
			}
			open = open[1:]
		case "reasoning":
			who = "assistant"
		}
		if it.Type == "message" && len(open) > 0 && who != "assistant" {
			t.Fatalf("item %d comes before the outputs of %q", i, open)
		}
		if alternate && who == "user" && last == "user" {
			t.Fatalf("items %d and %d are both of the user: %s", i-1, i, b.JSON)
		}
		last = who
	}
	if len(open) > 0 {
		t.Fatalf("no outputs of %q", open)
	}
}
