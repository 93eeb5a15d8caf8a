// Command example lets a scripted model write code that looks at the weather of
// several cities at once. Without a key and without a network.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/codeact"
	"github.com/proemhq/proem/agent/codeact/quickjs"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
)

// weather is a tool that only reads, so that several calls run together.
var weather = tool.Must(tool.Make(tool.Def[place]{
	Name:        "weather",
	Description: "Returns the weather of a city.",
	Note:        "The value has city and celsius.",
	Effect:      func(context.Context, place) tool.Effect { return tool.Effect{ReadOnly: true} },
	Call: func(_ context.Context, p place) (tool.Result, error) {
		return tool.Text(fmt.Sprintf(`{"city":%q,"celsius":%d}`, p.City, len(p.City))), nil
	},
}))

type place struct {
	City string `json:"city" description:"The city, in English."`
}

// newAgent returns an agent whose model writes code.
func newAgent(model provider.Model) (*agent.Agent, error) {
	return agent.New(agent.Config{
		Model: model, ModelName: "scripted", System: "You know the weather.",
		Tools:   []tool.Tool{weather},
		Runtime: codeact.Runtime{Engine: quickjs.Engine{}, ReAct: true},
	})
}

const script = `
turns:
  - text: >-
      {"type":"code","language":"js","code":"const all = await Promise.all([\"Oslo\", \"Lisbon\"].map(city => weather({city})));
      return all.sort((a, b) => b.celsius - a.celsius)[0]"}
  - text: '{"type":"final","output":"Lisbon is the warmest."}'
`

// play runs a turn and prints what happened.
func play(w io.Writer, a *agent.Agent, text string) error {
	for event, err := range a.Run(context.Background(), "s", agent.Text(text)) {
		if err != nil {
			return err
		}
		switch event.Kind {
		case session.Ran:
			fmt.Fprintln(w, "code  ", event.Code.Source)
		case session.Call:
			fmt.Fprintf(w, "call   %s %s\n", event.Call.Name, event.Call.Args)
		case session.RanResult:
			fmt.Fprintln(w, "result", event.Message.Text())
		case session.Stopped:
			fmt.Fprintln(w, "answer", event.Message.Text())
		}
	}
	return nil
}

func main() {
	quickjs.Main() // first of all: the program is started again to run code
	s, err := scripted.Parse([]byte(script), "script")
	if err != nil {
		log.Fatal(err)
	}
	a, err := newAgent(scripted.New(*s))
	if err != nil {
		log.Fatal(err)
	}
	if err := play(os.Stdout, a, "Where is it warmest?"); err != nil {
		log.Fatal(err)
	}
}
