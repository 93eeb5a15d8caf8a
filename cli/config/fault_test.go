package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/cli/config"
)

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		want       []string
	}{
		{"unknown keys, all at once", "project:\n  max_byte: 1\nmcp: {x: 1}\nmax_bytes: 2\nproject.load: all\n", []string{
			"2:3: project.max_byte: unknown key; did you mean project.max_bytes?",
			"3:1: mcp: unknown key",
			"4:1: max_bytes: unknown key; did you mean project.max_bytes?",
			"5:1: project.load: unknown key; in a file maps are nested: project: {load: …}",
		}},
		{"wrong types", "model: 1\nproject: {max_bytes: x, names: AGENTS.md, strip_comments: 1}\nsteps: 5\ndeepseek: {identity: yes}\n", []string{
			`1:8: model: is a whole number; it must be text; quote it: "1"`,
			`2:22: project.max_bytes: is text; it must be a whole number`,
			`2:32: project.names: is text; it must be a list: [AGENTS.md]`,
			`2:59: project.strip_comments: is a whole number; it must be true or false`,
			`3:8: steps: is a whole number; it must be a map of max`,
			`4:22: deepseek.identity: is text; it must be true or false`,
		}},
		{"values", "preset: std\nsteps: {max: 0}\nsampling: {temperature: 3, top_p: .inf}\nlimits: {time: 5, cost: -1}\nsources: {timeout: 0s}\nproject: {max_bytes: 010}\n", []string{
			`1:9: preset: is "std"; it must be one of standard, deepseek, agentscope, ai4j`,
			`2:14: steps.max: is 0; it must be more than 0`,
			`3:25: sampling.temperature: is 3; it must be at most 2`,
			`3:35: sampling.top_p: is .inf; it must be a finite number`,
			`4:16: limits.time: is a whole number; it must be a duration such as 30s or 1m30s`,
			`4:25: limits.cost: is -1; it must be 0 or more`,
			`5:20: sources.timeout: is 0s; it must be more than 0`,
			`6:22: project.max_bytes: is 010; it must be a whole number in decimal, without leading zeros`,
		}},
		{"parts", "sections:\n  - {name: a}\n  - {text: x, txt: y}\n  - {name: b, text: x}\n  - {name: b, text: y, channel: contexts}\ncontexts:\n  - {name: c, text: x, channel: system}\n  - x\n", []string{
			`2:5: sections[0]: it must have either text or file`,
			`3:5: sections[1]: name is missing`,
			`3:15: sections[1].txt: unknown key; did you mean sections[].text?`,
			`5:5: sections[3]: a second "b" in channel system`,
			`5:33: sections[3].channel: is "contexts"; it must be one of system, instructions, context, reminder`,
			`7:33: contexts[0].channel: is "system"; it must be one of context, reminder`,
			`8:5: contexts[1]: is text; it must be a map of name, channel, order, text, file, template, class, required, priority`,
		}},
		{"permissions", "permissions:\n  - {action: permit, tool: x}\n  - {action: allow}\n", []string{
			`2:14: permissions[0].action: is "permit"; it must be one of allow, ask, deny`,
			`3:5: permissions[1]: tool is missing`,
		}},
		{"variables", "variables: {Role: x, l: [1]}\n", []string{
			`1:19: variables.Role: a variable's name is made of a-z, 0-9 and _, and begins with a letter`,
			`1:25: variables.l: is a list; it must be text`,
		}},
		{"providers", "providers: {\"a b\": {base_url: \"file:///x\"}, c: {key_env: sk-1, headers: {\"X\\n\": y}, url: z}}\nmodel: opnai:x\nfallback: [x]\n", []string{
			`1:20: providers.a b: a provider's name is made of letters, digits, _ and -`,
			`1:31: providers.a b.base_url: it must be an http or https URL`,
			`1:58: providers.c.key_env: it must be the name of an environment variable, not the key itself`,
			"1:81: providers.c.headers.X\\n: it must be a header's name and a value of one line",
			`1:85: providers.c.url: unknown key`,
			`2:8: model: unknown provider "opnai"; did you mean openai?`,
			`3:12: fallback[0]: is "x"; it must be provider:name`,
		}},
		{"text and its file", "system_prompt: a\nsystem_prompt_file: b\n", []string{
			`2:21: system_prompt_file: system_prompt is given too; one of them counts`}},
		{"home", "scripted: {file: ~/x}\n", []string{
			`1:18: scripted.file: begins with ~, which is not expanded; write the whole path`}},
		{"duplicate", "name: a\ndescription: b\nname: c\n", []string{`3:1: name: written twice; first in line 1`}},
		{"duplicate in a map", "variables: {a: 1, a: 2}\n", []string{`1:19: variables.a: written twice; first in line 1`}},
		{"aliases", "name: &x a\ndescription: *x\n", []string{
			"1:7: anchors are not supported; quote a text that begins with &",
			"2:14: aliases are not supported; quote a text that begins with *"}},
		{"merge", "<<: {name: a}\n", []string{"1:1: merge keys are not supported"}},
		{"tag", "name: !!str 1\n", []string{"1:7: tags are not supported; quote a text that begins with !"}},
		{"documents", "name: a\n---\nname: b\n", []string{"2:1: a second document; write one"}},
		{"directive", "%YAML 1.2\n---\nname: a\n", []string{"1:1: directives are not supported; quote a text that begins with %"}},
		{"syntax", "name: 'a\n", []string{"1:7: could not find end character of single-quoted text"}},
		{"columns are bytes", "variables: {a: \"äöü\", B: 1}\n", []string{
			`1:29: variables.B: a variable's name is made of a-z, 0-9 and _, and begins with a letter`}},
		{"CRLF and comments", "# a\r\nname: x # b\r\n\r\nnam: y\r\n", []string{"4:1: nam: unknown key; did you mean name?"}},
		{"BOM", "\ufeffnam: y\n", []string{"1:1: nam: unknown key; did you mean name?"}},
		{"NUL", "name: x\ndescription: a\x00b\n", []string{"2:15: a NUL byte"}},
		{"not UTF-8", "name: x\ndescription: a\xff\n", []string{"2:15: a byte that is not UTF-8"}},
		{"a list", "- a\n", []string{"1:1: a configuration is a map of keys, not a list"}},
		{"depth", "variables: " + strings.Repeat("[", 40) + strings.Repeat("]", 40), []string{"1:44: nested deeper than 32"}},
		{"dashes", "fallback:\n" + strings.Repeat("- ", 40) + "a\n", []string{"2:65: nested deeper than 32"}},
		{"size", "name: " + strings.Repeat("x", 300<<10), []string{"1:1: is larger than 262144 bytes"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, map[string]string{"user/config.yaml": tt.file})
			got := faults(t, dir, at(dir))
			for i := range tt.want {
				tt.want[i] = "$D/user/config.yaml:" + tt.want[i]
			}
			if d := cmp.Diff(got, tt.want); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestFaultsAreTyped(t *testing.T) {
	dir := tree(t, map[string]string{"user/config.yaml": "nam: x\n"})
	_, _, err := config.Load(at(dir))
	var all config.Faults
	var one config.Fault
	if !errors.As(err, &all) || !errors.As(err, &one) {
		t.Fatalf("%T", err)
	}
	path := filepath.Join(dir, "user", "config.yaml")
	want := config.Fault{Code: config.CodeUnknownKey, Path: path, Line: 1, Column: 1, Key: "nam",
		Message: "nam: unknown key; did you mean name?"}
	if d := cmp.Diff(one, want); d != "" {
		t.Error(d)
	}
	if got, want := all.Diagnostics()[0].String(), "error config.unknown_key "+path+":1:1: nam: unknown key; did you mean name?"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFilesThatAreNotThere(t *testing.T) {
	dir := tree(t, nil)
	load(t, at(dir))
	o := at(dir)
	o.ConfigFile = filepath.Join(dir, "c.yaml")
	_, _, err := config.Load(o)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if got := faults(t, dir, o)[0]; !strings.HasPrefix(got, "$D/c.yaml: ") {
		t.Errorf("got %q", got)
	}
}

func TestManyFaults(t *testing.T) {
	dir := tree(t, map[string]string{"user/config.yaml": strings.Repeat("- a\n", 20_000),
		"w/.proem/agent.yaml": "variables: {" + strings.Repeat("A: ,", 5_000) + "}"})
	if got := faults(t, dir, at(dir)); len(got) != 1+100 {
		t.Errorf("%d faults: %q", len(got), got[:2])
	}
}

func TestMessagesAreVisible(t *testing.T) {
	want := []string{`--set:1:1: a\x1b[2J\u202ex: unknown key`}
	if d := cmp.Diff(faults(t, "$D", config.Options{Set: []string{"a\x1b[2J\u202ex=1"}}), want); d != "" {
		t.Error(d)
	}
}
