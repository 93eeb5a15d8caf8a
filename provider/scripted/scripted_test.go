package scripted_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

var _ interface {
	provider.Model
	provider.Informer
} = (*scripted.Model)(nil)

func TestSmoke(t *testing.T) {
	s, err := scripted.Parse([]byte(`
turns:
  - calls: [{tool: read_file, args: {path: a.txt, n: 3, deep: {b: [1, 2.5, null, true], a: "x"}}}]
    expect: {system_contains: "tabs"}
  - text: |
      Done and
      dusted.
    usage: {input: 900, cached: 800, output: 5}
  - error: {status: 429, retry_after: 1}
`), "s.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m := scripted.New(*s)
	b, err := m.Encode(nil, wire.Request{Model: "m", System: []prompt.Part{{Text: span.Of("use tabs", nil)}}, Messages: []chat.Message{chat.UserText("hi", nil)}})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(string(b.JSON))
	for range 3 {
		for ev, err := range m.Send(context.Background(), b) {
			fmt.Printf("%+v %v\n", ev, err)
			if ev.Call != nil {
				fmt.Printf("%+v %s\n", ev.Call, ev.Call.Args)
			}
		}
	}
	for _, bad := range []string{"turns:\n  - txt: a\n", "turns: []", "turns:\n  - text: [a]\n", "turn: x", "turns:\n  - &a {text: x}\n  - *a\n", "turns:\n  - usage: {input: x}\n", "turns: [", "turns:\n  - calls: [{tool: a, args: 3}]\n", "turns:\n  - text: a\n    expect: {system_contains: {a: 1}}\n"} {
		_, err := scripted.Parse([]byte(bad), "s.yaml")
		fmt.Println(err)
	}
}
