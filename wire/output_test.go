package wire_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/wire"
)

// An answer schema becomes a tool where a protocol has none.
func ExampleRequest_WithOutputTool() {
	r := wire.Request{Options: wire.Options{Output: &wire.Output{Name: "weather", Schema: []byte(`{"type":"object"}`)}}}
	with, losses, err := r.WithOutputTool()
	fmt.Println(with.Tools[0].Name, with.Options.ToolChoice, err)
	fmt.Println(losses[0].Message)
	// Output:
	// weather weather <nil>
	// the schema of the answer is sent as the tool "weather": the model must call it
}

// Neither the request nor the list of its tools is written to.
func TestWithOutputToolCopies(t *testing.T) {
	tools := append(make([]chat.ToolSpec, 0, 4), chat.ToolSpec{Name: "a"})
	r := wire.Request{Tools: tools, Options: wire.Options{Output: &wire.Output{}}}
	with, _, err := r.WithOutputTool()
	if err != nil {
		t.Fatal(err)
	}
	if len(with.Tools) != 2 || with.Options.ToolChoice != "required" || with.Options.Output != nil {
		t.Errorf("got %+v", with)
	}
	if d := cmp.Diff(tools[:2], []chat.ToolSpec{{Name: "a"}, {}}); d != "" || r.Options.Output == nil || r.Options.ToolChoice != "" {
		t.Errorf("the request was changed: %s %+v", d, r)
	}
	if same, losses, err := (wire.Request{Model: "m"}).WithOutputTool(); err != nil || losses != nil || same.Model != "m" || same.Tools != nil {
		t.Errorf("without an answer schema: got %+v %v %v", same, losses, err)
	}
}
