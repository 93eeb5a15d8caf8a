package ai4j_test

import (
	"strings"
	"testing"

	"github.com/proemhq/proem/preset/ai4j"
)

const blueprint = `version: ai4j.agent/v1
id: reviewer
name: Code reviewer
model:
  provider: openai-compatible
  profile: main
  model: gpt-5
  options:
    temperature: 0.2
    topK: 3
instructions:
  system: |
    You review Go.
    Be careful.
  developer: "  Answer with a list.  "
  variables: {language: en}
tools:
  - ref: coding.file
  - ref: coding.shell
    approval: safe
session:
  memory: {enabled: true}
workflow:
  mode: react
  maxTurns: 12
`

func TestLoadBlueprint(t *testing.T) {
	temperature := 0.2
	want := ai4j.Blueprint{ID: "reviewer", Name: "Code reviewer", Provider: "openai-compatible", Model: "gpt-5", System: "You review Go.\nBe careful.",
		Instructions: "Answer with a list.", Temperature: &temperature, Mode: "react", MaxSteps: 12, Tools: []string{"coding.file", "coding.shell"},
		Ignored: []string{"model.profile", "model.options.topK", "instructions.variables", "tools[1].approval", "session"}}
	for _, text := range []string{blueprint, "---\n" + blueprint, strings.ReplaceAll(blueprint, "\n", "\r\n")} {
		got, err := ai4j.LoadBlueprint([]byte(text))
		check(t, err)
		diff(t, "blueprint", got, want)
	}
	got, err := ai4j.LoadBlueprint([]byte("version: ai4j.agent/v1\nid: x\ninstructions: {system: ' ', developer: }\n"))
	check(t, err)
	diff(t, "little", got, ai4j.Blueprint{ID: "x"})
}

func TestLoadBlueprintFaults(t *testing.T) {
	const head = "version: ai4j.agent/v1\nid: x\n"
	for text, want := range map[string]string{
		"":                                  `ai4j: blueprint: version is ""; it must be ai4j.agent/v1`,
		"version: ai4j.agent/v2\nid: x":     `ai4j: blueprint: version is "ai4j.agent/v2"; it must be ai4j.agent/v1`,
		"version: ai4j.agent/v1":            "ai4j: blueprint: it has no id",
		head + "name: [a]":                  "ai4j: blueprint: line 3: name is a list",
		head + "model: gpt":                 "ai4j: blueprint: line 3: model is a text",
		head + "workflow: {maxTurns: many}": `ai4j: blueprint: line 3: workflow.maxTurns is "many", not a number that it may be`,
		head + "workflow: {maxTurns: 0}":    `ai4j: blueprint: line 3: workflow.maxTurns is "0", not`,
		head + "model: {options: {temperature: .nan}}": `ai4j: blueprint: line 3: model.options.temperature is `,
		head + "workflow:\n  mode: dream":              `ai4j: blueprint: line 4: workflow.mode is "dream"; it is react or codeact`,
		head + "tools:\n  - approval: safe":            "ai4j: blueprint: line 4: tools[0] has no ref",
		head + "id: y":                                 "ai4j: blueprint: line 3: ",
		head + "---\nid: z":                            "ai4j: blueprint: ",
		head + "a: &x [1]\nb: *x":                      "ai4j: blueprint: line 3, ",
		"\t" + head:                                    "ai4j: blueprint: ",
		head + "name: " + strings.Repeat("x", 20_000):  "ai4j: blueprint: ",
	} {
		_, err := ai4j.LoadBlueprint([]byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) && !strings.HasPrefix(err.Error(), strings.TrimSuffix(want, ", ")) {
			t.Errorf("%.60q: got %v, want %s", text, err, want)
		}
	}
}

func FuzzLoadBlueprint(f *testing.F) {
	f.Add([]byte(blueprint))
	f.Add([]byte("version: ai4j.agent/v1\nid: x\ntools: [1, {ref: }]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := ai4j.LoadBlueprint(data)
		if err == nil && got.ID == "" {
			t.Errorf("no error and no id: %+v", got)
		}
		again, _ := ai4j.LoadBlueprint(data)
		diff(t, "again", again, got)
	})
}
