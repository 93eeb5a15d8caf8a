package span

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// originJSON is the stable JSON form of an Origin. Trust is always written: its
// zero value is the greatest trust, which nothing may gain by being left out.
type originJSON struct {
	Section string  `json:"section,omitempty"`
	Source  string  `json:"source,omitempty"`
	Scope   string  `json:"scope,omitempty"`
	Path    string  `json:"path,omitempty"`
	Stage   string  `json:"stage,omitempty"`
	Trust   *string `json:"trust"`
}

// MarshalJSON returns an object of the fields that are not empty, and "trust".
func (o Origin) MarshalJSON() ([]byte, error) {
	if int(o.Trust) >= len(trustNames) {
		return nil, fmt.Errorf("origin: unknown trust %d", o.Trust)
	}
	trust := o.Trust.String()
	return encode(originJSON{
		valid(o.Section), valid(o.Source), valid(o.Scope), valid(o.Path), valid(o.Stage), &trust,
	})
}

// UnmarshalJSON reads what MarshalJSON writes. Unknown fields, an unknown trust
// and a missing one are errors.
func (o *Origin) UnmarshalJSON(b []byte) error {
	var j originJSON
	if err := decode(b, &j); err != nil {
		return fmt.Errorf("origin: %w", err)
	}
	if j.Trust == nil {
		return fmt.Errorf("origin: no trust")
	}
	trust := ParseTrust(*j.Trust)
	if trust.String() != *j.Trust {
		return fmt.Errorf("origin: unknown trust %q", *j.Trust)
	}
	*o = Origin{j.Section, j.Source, j.Scope, j.Path, j.Stage, trust}
	return nil
}

// textJSON is the JSON form of a Text whose spans say more than their text.
type textJSON struct {
	Text    string     `json:"text"`
	Spans   []spanJSON `json:"spans"`
	Origins []Origin   `json:"origins,omitempty"`
}

type spanJSON struct {
	Len      int   `json:"len"` // bytes of Text
	Off      int32 `json:"off,omitempty"`
	From     *int  `json:"from,omitempty"` // index in Origins; absent: unknown
	Template bool  `json:"template,omitempty"`
}

// MarshalJSON returns a string if the text is empty or one span at offset 0 of
// an unknown origin. Otherwise it returns an object: the text, the spans as
// lengths in bytes, and every origin once.
//
//	"plain"
//	{"text":"ab","spans":[{"len":1,"off":7,"from":0},{"len":1,"off":-1}],"origins":[{"path":"/w/a","trust":"project"}]}
//
// Reading it back gives an equal Text, except that each byte that is not valid
// UTF-8 has become U+FFFD, as in a request.
func (t Text) MarshalJSON() ([]byte, error) {
	if len(t) == 0 {
		return []byte(`""`), nil
	}
	if len(t) == 1 && t[0] == (Span{Text: t[0].Text}) && t[0].Text != "" {
		return encode(valid(t[0].Text))
	}
	j := textJSON{Spans: make([]spanJSON, len(t))}
	index := map[Origin]int{}
	text := make([]byte, 0, t.Len())
	for i, s := range t {
		if s.Off < NoOffset {
			return nil, fmt.Errorf("text: span %d: offset %d", i, s.Off)
		}
		piece := valid(s.Text)
		text = append(text, piece...)
		j.Spans[i] = spanJSON{Len: len(piece), Off: s.Off, Template: s.Template}
		if s.From == nil {
			continue
		}
		k, ok := index[*s.From]
		if !ok {
			k = len(j.Origins)
			index[*s.From] = k
			j.Origins = append(j.Origins, *s.From)
		}
		j.Spans[i].From = &k
	}
	j.Text = string(text)
	return encode(j)
}

// UnmarshalJSON reads what MarshalJSON writes. Spans of equal origin share one.
// Unknown fields, spans that do not tile the text or cut a rune, and origins
// that are not there are errors. An escaped lone surrogate reads as U+FFFD.
func (t *Text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return fmt.Errorf("text: %w", err)
		}
		*t = Of(s, nil)
		return nil
	}
	if len(b) == 0 || b[0] != '{' {
		return fmt.Errorf("text: neither a string nor an object")
	}
	var j textJSON
	if err := decode(b, &j); err != nil {
		return fmt.Errorf("text: %w", err)
	}
	out, rest := make(Text, len(j.Spans)), j.Text
	for i, s := range j.Spans {
		switch {
		case s.Len < 0 || s.Len > len(rest):
			return fmt.Errorf("text: span %d: length %d with %d bytes left", i, s.Len, len(rest))
		case s.Len < len(rest) && !utf8.RuneStart(rest[s.Len]):
			return fmt.Errorf("text: span %d: ends inside a rune", i)
		case s.Off < NoOffset:
			return fmt.Errorf("text: span %d: offset %d", i, s.Off)
		case s.From != nil && (*s.From < 0 || *s.From >= len(j.Origins)):
			return fmt.Errorf("text: span %d: origin %d of %d", i, *s.From, len(j.Origins))
		}
		out[i] = Span{Text: rest[:s.Len], Off: s.Off, Template: s.Template}
		if s.From != nil {
			out[i].From = &j.Origins[*s.From]
		}
		rest = rest[s.Len:]
	}
	if rest != "" {
		return fmt.Errorf("text: %d bytes behind the last span", len(rest))
	}
	if len(out) == 0 {
		out = nil
	}
	*t = out
	return nil
}

// valid replaces each byte that is not part of valid UTF-8 by U+FFFD.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// encode writes v without escaping what only matters inside HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// decode reads v and refuses fields that it does not have.
func decode(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
