package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/tool"
)

// A result of any size has a place in the log, and the turn goes on.
func TestHugeResult(t *testing.T) {
	for _, unit := range []string{"x", "世界", "\x00", "x\xff"} {
		store, err := jsonl.Open(jsonl.Config{Dir: t.TempDir(), NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		huge := &fake{name: "huge", call: func(context.Context, json.RawMessage) (tool.Result, error) {
			return tool.Text("first" + strings.Repeat(unit, (20<<20)/len(unit)) + "last"), nil
		}}
		a := newAgent(t, agent.Config{Store: store, Tools: []tool.Tool{huge},
			Model: script(t, "turns:\n  - calls: [{tool: huge, args: {}}]\n  - text: done\n")})
		var text string
		for e, err := range a.Run(context.Background(), "s", agent.Text("go")) {
			if err != nil {
				t.Fatalf("%q: %v", unit, err)
			}
			if e.Kind == session.Result {
				text = e.Message.Results()[0].Text.String()
			}
		}
		if len(text) > agent.MaxResult+100 || !utf8.ValidString(text) || !strings.HasPrefix(text, "first") || !strings.HasSuffix(text, "last") {
			t.Errorf("%q: kept %d bytes, valid: %v", unit, len(text), utf8.ValidString(text))
		}
		if !strings.Contains(text, " bytes are left out here]") {
			t.Errorf("%q: nothing says that the result is not whole", unit)
		}
	}
	small := &fake{name: "small", call: func(context.Context, json.RawMessage) (tool.Result, error) {
		return tool.Text(strings.Repeat("x", agent.MaxResult)), nil
	}}
	a := newAgent(t, agent.Config{Tools: []tool.Tool{small}, Model: script(t, "turns:\n  - calls: [{tool: small, args: {}}]\n  - text: done\n")})
	for e, err := range a.Run(context.Background(), "s", agent.Text("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == session.Result {
			diff(t, "bytes of a result that is not too long", fmt.Sprint(e.Message.Results()[0].Text.Len()), fmt.Sprint(agent.MaxResult))
		}
	}
}

// Pictures beyond the bound are left out, and the model is told.
func TestHugeImages(t *testing.T) {
	gallery := &fake{name: "gallery", call: func(context.Context, json.RawMessage) (tool.Result, error) {
		r := tool.Text("three pictures")
		for range 3 {
			r.Images = append(r.Images, chat.Image{MediaType: "image/png", Data: make([]byte, agent.MaxImages/2)})
		}
		return r, nil
	}}
	a := newAgent(t, agent.Config{Tools: []tool.Tool{gallery}, Model: script(t, "turns:\n  - calls: [{tool: gallery, args: {}}]\n  - text: done\n")})
	for e, err := range a.Run(context.Background(), "s", agent.Text("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != session.Result {
			continue
		}
		r := e.Message.Results()[0]
		if len(r.Images) != 2 || !strings.Contains(r.Text.String(), "[1 of 3 images are left out") {
			t.Errorf("kept %d images, text %q", len(r.Images), r.Text)
		}
	}
}
