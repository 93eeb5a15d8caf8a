package tool_test

import (
	"context"
	"fmt"

	"github.com/proemhq/proem/tool"
)

// forecast is what the model gives to the tool.
type forecast struct {
	City string `json:"city" description:"The city, in English."`
	Days int    `json:"days,omitempty" minimum:"1" maximum:"7"`
}

// weather returns a tool of a function whose argument is a struct.
func weather() (tool.Tool, error) {
	return tool.New("forecast", "Returns the weather.", func(_ context.Context, f forecast) (tool.Result, error) {
		return tool.Text("sunny in " + f.City), nil
	})
}

func ExampleNew() {
	t, err := weather()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(t.Spec().Parameters))
	for _, args := range []string{`{"city":"Lyon"}`, `{"City":"Lyon"}`, `{"city":"Lyon","days":30}`} {
		r, err := t.Call(context.Background(), []byte(args))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Text)
	}
	// Output:
	// {"additionalProperties":false,"properties":{"city":{"description":"The city, in English.","type":"string"},"days":{"maximum":7,"minimum":1,"type":"integer"}},"required":["city"],"type":"object"}
	// sunny in Lyon
	// forecast: there is no argument City; did you mean city? (arguments: city, days)
	// forecast: the argument days is 30; it is at most 7
}
