package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/proemhq/proem/prompt"
)

// SchemaLevel says what a JSON schema may contain.
type SchemaLevel uint8

// The levels of schemas.
const (
	// SchemaFull takes every schema as it is.
	SchemaFull SchemaLevel = iota
	// SchemaStrict is what OpenAI enforces: every object lists its properties,
	// requires all of them and allows no others; a property that was optional may
	// be null instead. References stay.
	SchemaStrict
	// SchemaRestricted is the subset that OpenAPI 3.0 has, without references:
	// enum instead of const, nullable instead of the type null, no
	// additionalProperties.
	SchemaRestricted
)

// A SchemaLoss is one change that DownLevel made.
type SchemaLoss struct {
	Path     string // JSON pointer into the result; empty: the schema itself
	Severity prompt.Severity
	Message  string
}

// String returns the message and where it applies.
func (l SchemaLoss) String() string {
	if l.Path == "" {
		return l.Message
	}
	return "at " + l.Path + ": " + l.Message
}

// DownLevel returns a schema in canonical form, reduced to what a level may
// contain, and every change that this took. The schema given is not changed.
// What it says is never made stricter, except that the strict level closes
// objects and requires their properties, as its name says.
//
// A reference to a definition is replaced by the definition where the level has
// no references; one that leads back into itself becomes an object without a
// form. A schema that is no JSON object is an error.
func DownLevel(schema json.RawMessage, level SchemaLevel) (json.RawMessage, []SchemaLoss, error) {
	canonical, err := CanonicalJSON(schema)
	if err != nil {
		return nil, nil, err
	}
	if canonical[0] != '{' {
		return nil, nil, fmt.Errorf("not a JSON object")
	}
	if level == SchemaFull {
		return canonical, nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.UseNumber() // digits are kept
	var root map[string]any
	if err := d.Decode(&root); err != nil {
		return nil, nil, err
	}
	l := leveler{level: level, root: root}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(l.schema("", root)); err != nil {
		return nil, nil, err
	}
	reduced, err := CanonicalJSON(out.Bytes())
	return reduced, l.losses, err
}

// leveler reduces one schema. The tree that it reads is never written to:
// definitions are read once for each place that refers to them.
type leveler struct {
	level  SchemaLevel
	root   map[string]any
	active []string // the references that are being followed
	nodes  int
	copied int            // bytes that references brought
	sizes  map[string]int // of what references name
	losses []SchemaLoss
}

// What bounds a result, because references multiply: its schemas, and the bytes
// that references bring.
const (
	maxNodes  = 10_000
	maxCopied = 4 << 20
)

func (l *leveler) restricted() bool { return l.level == SchemaRestricted }

func (l *leveler) report(sev prompt.Severity, path, format string, args ...any) {
	l.losses = append(l.losses, SchemaLoss{Path: path, Severity: sev, Message: fmt.Sprintf(format, args...)})
}

func (l *leveler) warn(path, format string, args ...any) {
	l.report(prompt.Warning, path, format, args...)
}

// schema reduces a schema that stands at a path of the result.
func (l *leveler) schema(path string, v any) map[string]any {
	switch s := v.(type) {
	case map[string]any:
		if l.nodes++; l.nodes > maxNodes {
			l.warn(path, "the schema grows too large: cut to an object")
			return cutObject("")
		}
		depth := len(l.active)
		out := l.object(path, s)
		l.active = l.active[:depth]
		return out
	case bool:
		if !s {
			l.warn(path, "false, which allows nothing, is taken for any value")
		}
	default:
		l.warn(path, "not a schema: taken for any value")
	}
	return map[string]any{}
}

// object reduces a schema object: first to one without references and
// combinations that the level lacks, then keyword by keyword.
func (l *leveler) object(path string, src map[string]any) map[string]any {
	m := l.expand(path, src)
	l.combine(path, m)
	if l.restricted() {
		l.union(path, m)
		l.nullable(path, m)
	}
	out := make(map[string]any, len(m))
	for _, key := range sortedKeys(m) {
		if l.removed(path, key, m[key]) {
			continue
		}
		out[key] = l.keyword(pointer(path, key), key, m[key])
	}
	if !l.restricted() {
		l.close(path, out, m)
	}
	return out
}
