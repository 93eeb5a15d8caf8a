package dialect

import (
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire"
)

// ForceOutput puts a tool in place of the schema of the answer, unless that is
// supported.
func (e *Encoder) ForceOutput(supported bool) error {
	if supported {
		return nil
	}
	r, losses, err := e.Req.WithOutputTool()
	if err != nil {
		return e.Fail("%w", err)
	}
	e.Req = &r
	e.Losses = append(e.Losses, losses...)
	return nil
}

// OutputSchema returns the schema of the answer as the model can take it, and
// whether it is to be enforced.
func (e *Encoder) OutputSchema(o wire.Output) (schema []byte, strict bool, err error) {
	strict = o.Strict && e.Cap.StrictTools
	if o.Strict && !strict {
		e.Lose(prompt.Info, wire.CodeDropped, "strict is not sent for the answer: "+NotKnown, wire.OutputOrigin)
	}
	schema, err = e.Schema(o.Schema, strict, "schema of the answer", wire.OutputOrigin)
	return schema, strict, err
}

// Format writes the schema of the answer, if there is one, in an object within an
// object that before opens up to the name.
func (e *Encoder) Format(before string) error {
	if e.Req.Options.Output == nil {
		return nil
	}
	o := e.Req.Options.Output.Named()
	schema, strict, err := e.OutputSchema(o)
	if err != nil {
		return err
	}
	e.Raw(before)
	e.Quoted(o.Name)
	e.Raw(`,"schema":`)
	e.Value(schema, wire.OutputOrigin)
	if strict {
		e.Raw(`,"strict":true`)
	}
	e.Raw("}}")
	return nil
}
