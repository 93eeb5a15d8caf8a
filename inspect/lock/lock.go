// Package lock pins prompts: what an agent's prompt is made of, by names, order,
// hashes and sizes, in a file that is kept with the project. A change of the prompt
// then shows in review, wherever it came from.
//
//	entry := lock.NewEntry(report, root)
//	file := lock.New(entry)
//	data := file.Encode()                     // proem.lock
//	for _, d := range lock.Compare(old, file) {
//		fmt.Println(d) // agent default: section project:AGENTS.md changed, 120 to 140 bytes
//	}
//
// An entry says nothing of the machine: paths are relative to the project's root,
// and whoever makes the report leaves out what belongs to a user or a moment.
package lock

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/proemhq/proem/inspect"
)

// Schema is the name of the form.
const Schema = "proem.lock/1"

// A File is what a proem.lock holds.
type File struct {
	Schema string  `json:"schema"`
	Agents []Entry `json:"agents"` // ascending by agent and preset
}

// An Entry pins the prompt of one agent under one preset.
type Entry struct {
	Agent    string    `json:"agent"`
	Preset   string    `json:"preset"`
	Model    string    `json:"model"`
	SHA256   string    `json:"sha256"` // of what follows, so that two entries can be told apart at a glance
	Prefix   Sum       `json:"prefix"` // tools, system and instructions; see inspect.Prefix
	Sections []Section `json:"sections"`
	Tools    []Tool    `json:"tools"`
	Bodies   []Body    `json:"bodies"` // ascending by dialect
}

// A Sum pins bytes.
type Sum struct {
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
}

// A Section pins a section, in the order in which sections are sent.
type Section struct {
	Name    string  `json:"name"`
	Channel string  `json:"channel"`
	Order   float64 `json:"order"`
	Class   string  `json:"class"`
	Trust   string  `json:"trust"`
	Path    string  `json:"path,omitempty"` // relative to the project's root
	Sum
}

// A Tool pins name, description and schema of a tool.
type Tool struct {
	Name string `json:"name"`
	Sum
}

// A Body pins a request body.
type Body struct {
	Dialect string `json:"dialect"`
	Sum
}

// NewEntry returns the entry for a report of a prompt below a root. A file outside
// the root is named without its path.
func NewEntry(r inspect.Prompt, root string) Entry {
	e := Entry{Agent: r.Agent, Preset: r.Preset, Model: r.Model, Prefix: Sum{r.Prefix.SHA256, r.Prefix.Bytes},
		Sections: []Section{}, Tools: []Tool{}, Bodies: []Body{}}
	for _, s := range r.Sections {
		e.Sections = append(e.Sections, Section{Name: s.Name, Channel: s.Channel, Order: s.Order, Class: s.Class, Trust: s.Trust.String(),
			Path: relative(root, s.Path), Sum: sumOf([]byte(s.Text))})
	}
	for _, t := range r.Tools {
		spec := append(append([]byte(t.Name+"\x00"+t.Description+"\x00"), t.Parameters...), 0)
		sum := sumOf(spec)
		sum.Bytes = len(t.Name) + len(t.Description) + len(t.Parameters)
		e.Tools = append(e.Tools, Tool{t.Name, sum})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Wire)) {
		e.Bodies = append(e.Bodies, Body{name, sumOf(r.Wire[name])})
	}
	raw, err := json.Marshal(e)
	if err != nil {
		panic(err) // strings and numbers
	}
	e.SHA256 = sumOf(raw).SHA256
	return e
}

func sumOf(b []byte) Sum {
	s := sha256.Sum256(b)
	return Sum{hex.EncodeToString(s[:]), len(b)}
}

func relative(root, path string) string {
	if path == "" {
		return ""
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return filepath.Base(path)
	}
	return filepath.ToSlash(rel)
}

// New returns a file of entries.
func New(entries ...Entry) File {
	entries = append([]Entry{}, entries...)
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Preset, b.Preset)) })
	return File{Schema, entries}
}

// Entry returns the entry of an agent under a preset.
func (f File) Entry(agent, preset string) (Entry, bool) {
	i := slices.IndexFunc(f.Agents, func(e Entry) bool { return e.Agent == agent && e.Preset == preset })
	if i < 0 {
		return Entry{}, false
	}
	return f.Agents[i], true
}

// With returns the file with entries in place of those of the same agent and
// preset.
func (f File) With(entries ...Entry) File {
	kept := slices.DeleteFunc(slices.Clone(f.Agents), func(e Entry) bool {
		return slices.ContainsFunc(entries, func(n Entry) bool { return n.Agent == e.Agent && n.Preset == e.Preset })
	})
	return New(append(kept, entries...)...)
}

// Encode returns the file as bytes: one member a line, so that a difference can be
// read.
func (f File) Encode() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(f); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// Decode reads what Encode writes, strictly.
func Decode(data []byte) (File, error) {
	var f File
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return File{}, fmt.Errorf("it is no lock: %w", err)
	}
	if f.Schema != Schema {
		return File{}, fmt.Errorf("its schema is %q, and this version knows %s", f.Schema, Schema)
	}
	return f, nil
}
