package quickjs_test

import (
	"context"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/codeact"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// near hands over one document for every path.
type near struct{}

func (near) Near(context.Context, string) ([]prompt.Doc, []prompt.Diagnostic, error) {
	return []prompt.Doc{{Name: "project:api/AGENTS.md", Text: "Use tabs.\n", Path: "/p/api/AGENTS.md", Trust: span.Project}}, nil, nil
}

// What a call brings besides its text goes to the model and not to the code:
// documents that hold where it looked, and pictures.
func TestHandedOver(t *testing.T) {
	open := tool.Must(tool.New("open", "Opens a file.", func(_ context.Context, _ struct{}) (tool.Result, error) {
		r := tool.Text("text")
		r.Touched, r.Images = []string{"/p/api/a.go"}, []chat.Image{{MediaType: "image/png", Data: []byte("png")}}
		return r, nil
	}))
	a := newAgent(t, agent.Config{Nested: near{}, Tools: []tool.Tool{open},
		Model: says(t, code(`return [await open(), await open()]`), final("x"))}, codeact.Runtime{ReAct: true})
	events, _ := turn(t, a, agent.Text("go"))
	got := told(events, session.RanResult)[0]
	if !strings.HasPrefix(got, `CODE_RESULT: {"result":["text","text"]}`+"\n\nInstructions that hold below") || strings.Count(got, "Use tabs.") != 1 {
		t.Errorf("told %q", got)
	}
	for _, e := range events {
		if e.Kind == session.RanResult && len(e.Message.Parts) != 3 {
			t.Errorf("%d parts, want a text and two pictures", len(e.Message.Parts))
		}
	}
}
