package agent_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/provider/scripted"
)

// An answer as a value. What does not fit is an error that holds the text.
func ExampleRunAs() {
	script, err := scripted.Parse([]byte(`
turns:
  - text: '{"city": "Oslo", "celsius": 21.5}'
  - text: "It is warm."
`), "script.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := agent.New(agent.Config{Model: scripted.New(*script), ModelName: "demo"})
	if err != nil {
		fmt.Println(err)
		return
	}
	type Weather struct {
		City    string  `json:"city"`
		Celsius float64 `json:"celsius" description:"at noon"`
	}
	w, err := agent.RunAs[Weather](context.Background(), a, "s1", agent.Text("The weather in Oslo?"))
	fmt.Println(w.City, w.Celsius, err)

	_, err = agent.RunAs[Weather](context.Background(), a, "s1", agent.Text("And tomorrow?"))
	var answer *agent.AnswerError
	if errors.As(err, &answer) {
		fmt.Println(answer.Reason, answer.Text)
	}
	// Output:
	// Oslo 21.5 <nil>
	// invalid It is warm.
}
