package anthropic

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// FallbackOutput is the output limit of a request that sets none, for a model
// whose limit is not known. The protocol demands one.
const FallbackOutput = 4096

// options writes the model, the output limit and the parameters that were set and
// that the model knows.
func options(e *dialect.Encoder) error {
	o := &e.Req.Options
	if err := e.Model(); err != nil {
		return err
	}
	word, tool := e.Chosen()
	limit := outputLimit(e)
	e.Key("max_tokens")
	e.Int(limit)
	e.Stream()
	reasons := reasoning(e, limit, word == "required" || tool != "")
	if err := sampling(e, reasons != "" && reasons != noReasoning); err != nil {
		return err
	}
	e.Raw(reasons)
	if err := outputConfig(e); err != nil {
		return err
	}
	if o.User != "" {
		e.Raw(`,"metadata":{"user_id":`)
		e.Quoted(o.User)
		e.Raw("}")
	}
	toolChoice(e, word, tool)
	if o.Store != nil {
		e.Drop(prompt.Info, "store", "this protocol stores no responses")
	}
	e.String("prompt_cache_key", o.CacheKey, false, prompt.Info) // changes no answer
	if o.Chain.On() {
		e.Drop(prompt.Info, "the chain of responses", "this protocol keeps no responses: the whole conversation is sent")
	}
	return nil
}

func outputLimit(e *dialect.Encoder) int {
	switch o := e.Req.Options.MaxOutputTokens; {
	case o != 0:
		return o
	case e.Cap.MaxOutput != 0:
		return e.Cap.MaxOutput
	}
	e.Lose(prompt.Info, wire.CodeDowngraded, fmt.Sprintf(
		"the answer is limited to %d tokens: the protocol demands a limit, and that of this model is not known", FallbackOutput), nil)
	return FallbackOutput
}

// sampling writes temperature and top_p as far as the model takes them.
func sampling(e *dialect.Encoder, thinks bool) error {
	temperature, topP := e.Req.Options.Temperature, e.Req.Options.TopP
	drop := func(name string, v **float64, why string) {
		if *v != nil {
			e.Drop(prompt.Warning, name, why)
			*v = nil
		}
	}
	switch {
	case e.Cap.Sampling == wire.NoSampling:
		drop("temperature", &temperature, "this model does not take it")
		drop("top_p", &topP, "this model does not take it")
	case thinks && temperature != nil && *temperature != 1:
		drop("temperature", &temperature, "the model reasons, and then takes only 1")
	}
	if thinks && topP != nil && *topP < 0.95 {
		drop("top_p", &topP, "the model reasons, and then takes only 0.95 to 1")
	}
	if e.Cap.Sampling == wire.OneSampling && temperature != nil {
		drop("top_p", &topP, "this model takes either temperature or top_p")
	}
	if err := e.Number("temperature", temperature); err != nil {
		return err
	}
	return e.Number("top_p", topP)
}

// The budgets of efforts, for models that are asked to reason by a number of
// tokens. A number as effort is a budget itself.
var budgets = map[string]int{"minimal": 1024, "low": 4096, "medium": 16384, "high": 32768, "xhigh": 49152, "max": 63999}

// minBudget is the least that the protocol takes; the output limit must be
// greater.
const minBudget = 1024

const noReasoning = `,"thinking":{"type":"disabled"}`

// reasoning returns the member that asks the model to reason; empty: none.
// Forced says that the model must call a tool.
func reasoning(e *dialect.Encoder, limit int, forced bool) string {
	effort := e.Req.Options.Reasoning
	off := effort == "none" || effort == "disabled"
	switch {
	case effort == "", off && e.Cap.Thinking == wire.NoThinking:
		return ""
	case off:
		return noReasoning
	case e.Cap.Thinking == wire.NoThinking:
		e.Drop(prompt.Warning, "thinking", dialect.NotKnown)
		return ""
	case forced:
		e.Drop(prompt.Warning, "thinking", "the model must call a tool, and then cannot reason first")
		return ""
	case e.Cap.Thinking == wire.AdaptiveThinking:
		return `,"thinking":{"type":"adaptive"}`
	}
	return budget(e, effort, limit)
}

// budget returns the member that asks the model to reason by a number of tokens.
func budget(e *dialect.Encoder, effort string, limit int) string {
	budget, named := budgets[effort]
	if !named {
		n, err := strconv.Atoi(effort)
		if err != nil {
			e.Drop(prompt.Warning, "thinking", fmt.Sprintf("this model is asked by a number of tokens, and %q is no known effort", effort))
			return ""
		}
		budget = n
	}
	if limit <= minBudget {
		e.Drop(prompt.Warning, "thinking", fmt.Sprintf("the answer is limited to %d tokens, and reasoning takes at least %d of them", limit, minBudget))
		return ""
	}
	room := limit - 1
	if named { // the answer gets its share
		room = max(minBudget, limit/2)
	}
	sent := min(max(budget, minBudget), room)
	if named && sent == budget {
		e.Lose(prompt.Info, wire.CodeDowngraded, fmt.Sprintf("the effort %s is sent as %d tokens of reasoning", effort, sent), nil)
	} else if sent != budget {
		e.Lose(prompt.Warning, wire.CodeDowngraded, fmt.Sprintf("the effort %s is sent as %d tokens of reasoning: the answer is limited to %d tokens", effort, sent, limit), nil)
	}
	return `,"thinking":{"type":"enabled","budget_tokens":` + strconv.Itoa(sent) + "}"
}

// outputConfig writes the effort, for models that are asked by one, and the
// schema of the answer.
func outputConfig(e *dialect.Encoder) error {
	effort := e.Req.Options.Reasoning
	if e.Cap.Thinking != wire.AdaptiveThinking || effort == "none" || effort == "disabled" {
		effort = ""
	}
	out := e.Req.Options.Output
	if effort == "" && out == nil {
		return nil
	}
	e.Raw(`,"output_config":{`)
	if effort != "" {
		e.Raw(`"effort":`)
		e.Quoted(effort)
	}
	if out != nil {
		schema, _, err := e.OutputSchema(*out)
		if err != nil {
			return err
		}
		if effort != "" {
			e.Raw(",")
		}
		e.Raw(`"format":{"type":"json_schema","schema":`)
		e.Value(schema, wire.OutputOrigin)
		e.Raw("}")
	}
	e.Raw("}")
	return nil
}

// toolChoice writes the choice of tools, and with it that calls must not be
// parallel: they are one object.
func toolChoice(e *dialect.Encoder, word, tool string) {
	single := e.Req.Options.Parallel != nil && !*e.Req.Options.Parallel && len(e.Req.Tools) > 0
	if single && !e.Cap.Parallel {
		e.Drop(prompt.Warning, "disable_parallel_tool_use", dialect.NotKnown)
		single = false
	}
	single = single && word != "none"
	kind := word
	switch {
	case tool != "":
		kind = "tool"
	case word == "required":
		kind = "any"
	case word == "" && single:
		kind = "auto"
	case word == "":
		return
	}
	e.Raw(`,"tool_choice":{"type":`)
	e.Quoted(kind)
	if tool != "" {
		e.Raw(`,"name":`)
		e.Quoted(tool)
	}
	if single {
		e.Raw(`,"disable_parallel_tool_use":true`)
	}
	e.Raw("}")
}

// hasType reports whether a schema says of what type it is.
func hasType(schema []byte) bool {
	var doc struct {
		Type json.RawMessage `json:"type"`
	}
	return json.Unmarshal(schema, &doc) == nil && len(doc.Type) > 0
}
