package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/inspect"
	"github.com/proemhq/proem/inspect/cache"
	"github.com/proemhq/proem/inspect/diff"
	"github.com/proemhq/proem/inspect/explain"
	"github.com/proemhq/proem/inspect/lint"
	"github.com/proemhq/proem/inspect/lock"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/trace/jsonl"
)

// schemas are the forms that others may rely on. Whoever reads them must expect
// members that are not listed: forms grow.
var schemas = map[string]func() (*jsonschema.Schema, error){
	"config":  configSchema,
	"prompt":  schemaFor[inspect.Prompt]("what proem prompt --json prints"),
	"trust":   schemaFor[trustState]("what proem trust --json prints"),
	"init":    schemaFor[begun]("what proem init --json prints"),
	"lock":    schemaFor[lock.File]("what proem.lock holds"),
	"cache":   schemaFor[cache.File]("what proem cache --json prints"),
	"explain": schemaFor[explain.Report]("what proem explain --json prints"),
	"diff":    schemaFor[diff.Report]("what proem diff --json prints"),
	"lint":    schemaFor[lint.Report]("what proem lint --json prints"),
	"run":     schemaFor[result]("what proem run --output json prints"),
	"trace":   schemaFor[jsonl.Line]("a line of the file that proem run --trace writes"),
	"find":    schemaFor[findReport]("what proem sessions find --json prints"),
	"events":  schemaFor[event]("a line of proem run --output stream-json, of proem sessions export and of a session's log"),
}

func (c *command) schemaCommand() *cobra.Command {
	names := slices.Sorted(maps.Keys(schemas))
	return &cobra.Command{
		Use:       "schema NAME",
		Short:     "Print the JSON Schema of a form: " + strings.Join(names, ", "),
		Long:      "Prints the JSON Schema (draft 2020-12) of what commands print, or of the configuration. Forms grow: expect members\nthat are not listed.",
		Example:   c.own("  proem schema events\n  proem schema config > agent.schema.json"),
		Args:      one("the name of a schema", "there are "+strings.Join(names, ", ")),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			makeSchema, ok := schemas[args[0]]
			if !ok {
				return usage(fmt.Errorf("there is no schema %q; there are %s", args[0], strings.Join(names, ", ")))
			}
			s, err := makeSchema()
			if err != nil {
				return err
			}
			return c.printJSON(s)
		},
	}
}

// draft is the version of JSON Schema.
const draft = "https://json-schema.org/draft/2020-12/schema"

// schemaFor returns what makes the schema of a type.
func schemaFor[T any](title string) func() (*jsonschema.Schema, error) {
	return func() (*jsonschema.Schema, error) {
		s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: customs()})
		if err != nil {
			return nil, err
		}
		s.Schema, s.Title = draft, title
		open(s)
		return s, nil
	}
}

// open lets objects have further members, and lists be absent where Go has nil.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		s.AdditionalProperties = nil
	}
	s.PropertyOrder = nil
	for _, p := range s.Properties {
		open(p)
	}
	open(s.Items)
	open(s.AdditionalProperties)
	for _, list := range [][]*jsonschema.Schema{s.OneOf, s.AnyOf, s.AllOf} {
		for _, x := range list {
			open(x)
		}
	}
}

// An event is a session.Event with the names of its members and without its
// methods.
type event session.Event

func text(doc string, values ...any) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Description: doc, Enum: values}
}

func object(required []string, properties map[string]*jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: properties, Required: required}
}

func list(of *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: of}
}

// customs are the types that write their own JSON.
func customs() map[reflect.Type]*jsonschema.Schema {
	number := &jsonschema.Schema{Type: "integer"}
	flag := &jsonschema.Schema{Type: "boolean"}
	trust := text("who wrote a text", "builtin", "user", "workspace", "project", "tool")
	origin := object([]string{"trust"}, map[string]*jsonschema.Schema{
		"section": text(""), "source": text("such as file, or generated:NAME"), "scope": text(""), "path": text("absolute"), "stage": text("what changed it"), "trust": trust,
	})
	spans := &jsonschema.Schema{Description: "a text, plain or with the origins of its parts", AnyOf: []*jsonschema.Schema{
		text(""),
		object([]string{"text", "spans"}, map[string]*jsonschema.Schema{
			"text": text(""), "origins": list(origin),
			"spans": list(object([]string{"len"}, map[string]*jsonschema.Schema{"len": number, "off": number, "from": number, "template": flag})),
		}),
	}}
	image := object(nil, map[string]*jsonschema.Schema{"mediaType": text(""), "data": text("base64"), "url": text(""), "from": origin})
	call := object([]string{"id", "name"}, map[string]*jsonschema.Schema{"id": text(""), "name": text(""), "args": text("the arguments as JSON, as the model wrote them"), "from": origin})
	part := object([]string{"kind"}, map[string]*jsonschema.Schema{
		"kind": text("", "text", "reasoning", "image", "call", "result", "opaque"), "text": spans, "image": image, "call": call,
		"result": object([]string{"id", "name"}, map[string]*jsonschema.Schema{"id": text(""), "name": text(""), "text": spans, "images": list(image), "isError": flag}),
		"opaque": object([]string{"provider"}, map[string]*jsonschema.Schema{"provider": text(""), "type": text(""), "json": text(""), "from": origin}),
	})
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[span.Text]():        spans,
		reflect.TypeFor[span.Origin]():      origin,
		reflect.TypeFor[span.Trust]():       trust,
		reflect.TypeFor[prompt.Severity]():  text("", "info", "warning", "error"),
		reflect.TypeFor[chat.Message]():     object([]string{"role"}, map[string]*jsonschema.Schema{"role": text("", "system", "user", "assistant", "tool"), "parts": list(part), "name": text("")}),
		reflect.TypeFor[chat.ToolCall]():    call,
		reflect.TypeFor[chat.ToolSpec]():    object([]string{"name"}, map[string]*jsonschema.Schema{"name": text(""), "description": text(""), "parameters": text("a JSON Schema, as a string"), "strict": flag, "from": origin}),
		reflect.TypeFor[json.RawMessage]():  {Description: "any JSON"},
		reflect.TypeFor[jsonl.Attributes](): {Type: "object", AdditionalProperties: &jsonschema.Schema{Types: []string{"string", "number", "boolean", "array", "null"}}},
		reflect.TypeFor[time.Time]():        {Type: "string", Format: "date-time"},
	}
}

// configSchema makes the schema of a configuration file from the table of keys.
func configSchema() (*jsonschema.Schema, error) {
	top := object(nil, map[string]*jsonschema.Schema{})
	for _, k := range config.Keys() {
		at := top
		words := strings.Split(strings.ReplaceAll(k.Name, "[]", ".[]"), ".")
		for _, w := range words[:len(words)-1] {
			at = child(at, w)
		}
		*child(at, words[len(words)-1]) = *keySchema(k)
		if k.Required {
			at.Required = append(at.Required, words[len(words)-1])
		}
	}
	closed(top)
	top.Schema, top.Title = draft, "a configuration file: config.yaml, .proem/agent.yaml, .proem/agents/NAME.yaml"
	return top, nil
}

// child returns the schema of a word below another, made if it is not there.
func child(s *jsonschema.Schema, word string) *jsonschema.Schema {
	switch word {
	case "[]":
		if s.Items == nil {
			s.Items = object(nil, nil)
		}
		return s.Items
	case "*":
		if s.AdditionalProperties == nil {
			s.AdditionalProperties = object(nil, nil)
		}
		return s.AdditionalProperties
	}
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	if s.Properties[word] == nil {
		s.Properties[word] = object(nil, nil)
	}
	return s.Properties[word]
}

// closed forbids members that are not listed, as the program does.
func closed(s *jsonschema.Schema) {
	if s.Items != nil {
		closed(s.Items)
	}
	for _, p := range s.Properties {
		closed(p)
	}
	switch {
	case s.AdditionalProperties != nil && s.AdditionalProperties.Properties != nil:
		closed(s.AdditionalProperties)
	case s.Type == "object" && s.AdditionalProperties == nil:
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
}

// keySchema is the schema of a key's value.
func keySchema(k config.Key) *jsonschema.Schema {
	s := &jsonschema.Schema{Description: k.Meaning}
	scalar := &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}
	switch k.Type {
	case config.Bool:
		s.Type = "boolean"
	case config.Int:
		s.Type = "integer"
	case config.Float:
		s.Type = "number"
	case config.Strings:
		s.Type, s.Items = "array", text("")
	case config.Words:
		s.Type, s.Items = "array", scalar
	case config.Pairs:
		s.Type, s.AdditionalProperties = "object", scalar
	case config.Files:
		s.AnyOf = []*jsonschema.Schema{text(""), {Type: "object", AdditionalProperties: text("")}}
	case config.List:
		s.Type = "array"
	case config.Map:
		s.Type = "object"
	default:
		s.Type = "string"
	}
	if s.Type == "integer" || s.Type == "number" {
		if low := k.Min; !math.IsInf(low, 0) {
			s.Minimum = &low
		}
		if high := k.Max; high != 0 && !math.IsInf(high, 0) {
			s.Maximum = &high
		}
	}
	for _, v := range k.Values {
		s.Enum = append(s.Enum, v)
	}
	return s
}
