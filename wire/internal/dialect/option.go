package dialect

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire"
)

// Fail returns an error that begins with the name of the dialect.
func (e *Encoder) Fail(format string, args ...any) error {
	return fmt.Errorf("%s: %w", e.name, fmt.Errorf(format, args...))
}

// Begin opens the body with the model and, unless one object is asked for, the
// stream flag.
func (e *Encoder) Begin() error {
	if err := e.Model(); err != nil {
		return err
	}
	e.Stream()
	return nil
}

// Model opens the body with the model.
func (e *Encoder) Model() error {
	if e.Req.Model == "" {
		return e.Fail("the request names no model")
	}
	e.Raw(`{"model":`)
	e.Quoted(e.Req.Model)
	return nil
}

// Stream writes the stream flag, unless one object is asked for.
func (e *Encoder) Stream() {
	if !e.Req.Options.NoStream {
		e.Raw(`,"stream":true`)
	}
}

// Opening writes what a body of OpenAI's protocols begins with: the model, the
// options and the tools, by functions that write what differs. The schema of an
// answer becomes a tool where there are no answer schemas.
func (e *Encoder) Opening(options func() error, tool func(*chat.ToolSpec) error) error {
	if err := e.ForceOutput(e.Cap.OutputSchema); err != nil {
		return err
	}
	if err := e.Begin(); err != nil {
		return err
	}
	if err := options(); err != nil {
		return err
	}
	return e.Tools(tool)
}

// Key writes a comma and the name of a member.
func (e *Encoder) Key(name string) {
	e.Raw(",")
	e.Quoted(name)
	e.Raw(":")
}

// Number writes an option that is a number, if it is set.
func (e *Encoder) Number(name string, v *float64) error {
	if v == nil {
		return nil
	}
	if math.IsNaN(*v) || math.IsInf(*v, 0) {
		return e.Fail("%s: %v is not a JSON number", name, *v)
	}
	e.Key(name)
	b, err := wire.CanonicalJSON(strconv.AppendFloat(nil, *v, 'g', -1, 64))
	if err != nil {
		return e.Fail("%s: %w", name, err)
	}
	e.JSON = append(e.JSON, b...)
	return nil
}

// Sampling writes the temperature and top_p, if they are set.
func (e *Encoder) Sampling() error {
	if err := e.Number("temperature", e.Req.Options.Temperature); err != nil {
		return err
	}
	return e.Number("top_p", e.Req.Options.TopP)
}

// String writes an option that is a string, or reports that it is left out.
func (e *Encoder) String(name, v string, known bool, sev prompt.Severity) {
	switch {
	case v == "":
	case !known:
		e.Drop(sev, name, NotKnown)
	default:
		e.Key(name)
		e.Quoted(v)
	}
}

// User writes for whom the request is made, under the name that the model knows.
func (e *Encoder) User() {
	name := "user"
	if e.Cap.SafetyID {
		name = "safety_identifier"
	}
	e.String(name, e.Req.Options.User, true, prompt.Warning)
}

// Extra writes the caller's own fields. They stand behind all others except the
// reserved ones, which the dialect writes later. Like all options they are no
// text: they carry no marks.
func (e *Encoder) Extra(reserved ...string) error {
	if len(e.Req.Options.Extra) == 0 {
		return nil
	}
	var present map[string]json.RawMessage
	if err := json.Unmarshal(append(slices.Clone(e.JSON), '}'), &present); err != nil {
		return e.Fail("extra fields: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Req.Options.Extra)) {
		if !utf8.ValidString(name) { // two of them could be one name in the body
			return e.Fail("extra field %q is not valid UTF-8", name)
		}
		if _, ok := present[name]; ok || slices.Contains(reserved, name) {
			return e.Fail("extra field %q is already part of the request", name)
		}
		v, err := wire.CanonicalJSON(e.Req.Options.Extra[name])
		if err != nil {
			return e.Fail("extra field %q: %w", name, err)
		}
		e.Key(name)
		e.JSON = append(e.JSON, v...)
	}
	return nil
}
