package codeact_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/agent/codeact"
)

func ptr(s string) *string { return &s }

func TestParse(t *testing.T) {
	for in, want := range map[string]codeact.Answer{
		`{"type":"final","output":"hi"}`:                                        {Final: ptr("hi")},
		"  {\n \"type\" : \"final\" , \"output\":\"\"}\n":                       {Final: ptr("")},
		`{"type":"final","output":{"a": [1, 2]}}`:                               {Final: ptr(`{"a":[1,2]}`)},
		`{"type":"final","output":12.50}`:                                       {Final: ptr("12.50")},
		`{"type":"code","language":"js","code":"return 1"}`:                     {Code: "return 1", Language: "js"},
		`{"code":"return {a: {}}","type":"code"}`:                               {Code: "return {a: {}}"},
		"```json\n{\"type\":\"final\",\"output\":\"a\\nb\"}\n```":               {Final: ptr("a\nb")},
		"\n```js\n{\"type\":\"code\",\"code\":\"return 1\"}\n```\n":             {Code: "return 1"},
		`Sure! {"type":"final","output":"x"} That is all.`:                      {Final: ptr("x")},
		`I take {x} and {y: 1}. {"type":"final","output":"x"}`:                  {Final: ptr("x")},
		`{"type":"final","output":"{\"type\":\"code\",\"code\":\"return 1\"}"}`: {Final: ptr(`{"type":"code","code":"return 1"}`)},
	} {
		got, err := codeact.Parse(in)
		if d := cmp.Diff(got, want); d != "" || err != nil {
			t.Errorf("%s: %v (-got +want):\n%s", in, err, d)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for in, want := range map[string]string{
		``:                                       "no JSON object",
		`The answer is 4.`:                       "no JSON object",
		`"final"`:                                "no JSON object",
		`{"type":"final","output":"x"`:           "the end is missing",
		`{"type":"code","code":"f({})`:           "the end is missing",
		"{\"type\":\"code\",\"code\":\"a\n{}\"}": `invalid character '\n' in string literal`,
		`{"type":"final","output":"a"}{"type":"final","output":"b"}`:     "more than one",
		`{"a":1} {"type":"final","output":"x"}`:                          "more than one",
		`The file says: {"type":"code","code":"x"}`:                      "text around the object",
		`{"type":"code","code":"x"} I ran it.`:                           "text around the object",
		"`{\"type\":\"code\",\"code\":\"x\"}`":                           "text around the object",
		`{}`:                                                             `"type" is missing`,
		`{"type":1}`:                                                     `"type" is not a string`,
		`{"type":"Final","output":"x"}`:                                  `the type is "Final"`,
		`{"Type":"final","output":"x"}`:                                  `"type" is missing`,
		`{"type":"final"}`:                                               `"output" is missing`,
		`{"type":"final","output":null}`:                                 `"output" is null`,
		`{"type":"final","output":"x","output":"y"}`:                     `"output" comes twice`,
		`{"type":"final","output":"x","code":"y"}`:                       `"code" is not one of type "final"`,
		`{"type":"code","code":"x","thought":"y"}`:                       `"thought" is not one of type "code", which has type, language, code`,
		`{"type":"code","code":" \n"}`:                                   `"code" is empty`,
		`{"type":"code"}`:                                                `"code" is missing`,
		`{"type":"code","code":["x"]}`:                                   `"code" is not a string`,
		`{"type":"code","code":"x","language":null}`:                     `"language" is not a string`,
		`{"type":"code","code":"{\"type\":\"final\"} "x" {\"a\":1}"}`:    "not valid",
		`{"type":"final","output":"` + strings.Repeat("x", 1<<20) + `"}`: "are allowed",
	} {
		got, err := codeact.Parse(in)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: got %+v, %v, want an error with %q", in, got, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"type":"final","output":"x"}`)
	f.Add("```\n{\"type\":\"code\",\"language\":\"js\",\"code\":\"return {}\"}\n```")
	f.Add(`{x} {"a":{"b":[{}]}} {`)
	f.Add(strings.Repeat(`{"a":`, 100))
	f.Fuzz(func(t *testing.T, in string) {
		got, err := codeact.Parse(in)
		if err != nil {
			if len(err.Error()) > 500 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		shape := map[string]any{"type": "code", "code": got.Code}
		if got.Final != nil {
			if got.Code != "" || got.Language != "" {
				t.Errorf("both shapes: %+v", got)
			}
			shape = map[string]any{"type": "final", "output": *got.Final}
		} else if got.Language != "" {
			shape["language"] = got.Language
		}
		// What was read can be said again, and is then read as the same.
		b, err := json.Marshal(shape)
		if err != nil {
			t.Fatal(err)
		}
		again, err := codeact.Parse(string(b))
		if d := cmp.Diff(again, got); (d != "" || err != nil) && len(b) <= codeact.MaxAnswer {
			t.Errorf("%s: %v\n%s", b, err, d)
		}
	})
}
