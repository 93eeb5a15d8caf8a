package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/tool"
)

// stock is a tool: how many packets there are of a tea, by name.
type stock map[string]int

// Spec says what the model is told.
func (s stock) Spec() chat.ToolSpec {
	return chat.ToolSpec{
		Name:        "stock",
		Description: "Returns how many packets of a tea are in stock.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"tea":{"type":"string"}},"required":["tea"]}`),
	}
}

// Call does one call. The arguments come from a model, so they are checked.
func (s stock) Call(_ context.Context, args json.RawMessage) (tool.Result, error) {
	var in struct{ Tea string }
	if err := json.Unmarshal(args, &in); err != nil || in.Tea == "" {
		return tool.Errorf("give the name of a tea, as in {\"tea\":\"longjing\"}"), nil
	}
	n, ok := s[strings.ToLower(in.Tea)]
	if !ok {
		return tool.Errorf("the house has no %s", in.Tea), nil
	}
	out, err := json.Marshal(map[string]int{in.Tea: n})
	return tool.Text(string(out)), err
}
