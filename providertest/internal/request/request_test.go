package request_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/providertest/internal/request"
)

// problems writes the problems of a body on lines.
func problems(p request.Protocol, body string, rules request.Rules) []string {
	var out []string
	for _, problem := range request.Read(p, []byte(body), rules).Problems {
		out = append(out, problem.String())
	}
	return out
}

func check(t *testing.T, p request.Protocol, body string, rules request.Rules, want ...string) {
	t.Helper()
	if diff := cmp.Diff(problems(p, body, rules), want, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s\n(-got +want)\n%s", body, diff)
	}
}

func TestJSON(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"m","messages":[{"role":"user","content":"\ud83d\ude00 \\ud800"}]}`: "",
		`[]`:                     "the body is an array, not an object",
		`{"model":"m"`:           "the body is not valid JSON: unexpected end of JSON input",
		`{} x`:                   "the body is not valid JSON: invalid character 'x' after top-level value",
		"{\"model\":\"\xff\"}":   "the body is not valid UTF-8",
		`{"model":"\ud83d"}`:     "half of a surrogate pair at offset 10",
		`{"model":"\ude00 a"}`:   "half of a surrogate pair at offset 10",
		`{"a":1,"b":2,"a":3}`:    "body.a occurs twice",
		`{"a":[{"b":{},"b":2}]}`: "body.a[0].b occurs twice",
	} {
		got := strings.Join(problems(request.Chat, body, request.Rules{}), "\n")
		if got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

// A body of the protocol with something put in its place; %s stands for it.
type bodies map[string][]string

func (b bodies) check(t *testing.T, p request.Protocol, frame string, rules request.Rules) {
	t.Helper()
	for part, want := range b {
		check(t, p, strings.Replace(frame, "%s", part, 1), rules, want...)
	}
}

func TestChatBody(t *testing.T) {
	bodies{
		``: nil,
		`,"temperature":0.5,"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object"}}}],"tool_choice":"auto","parallel_tool_calls":false`: nil,
		`,"stream":true,"stream_options":{"include_usage":true}`: nil,
		`,"stream_options":{}`: {"stream_options: is only allowed when stream is true"},
		`,"own":1`:             nil,
		`,"other":1`:           {"other: is not known: extra members are not permitted"},
		`,"temperature":3`:     {"temperature: 3 is not between 0 and 2"},
		`,"temperature":"x"`:   {`temperature: is a string "x", which is not allowed here`},
		`,"max_tokens":1.5`:    {"max_tokens: is a number 1.5, which is not allowed here"},
		`,"max_tokens":1,"max_completion_tokens":1`: {"max_tokens: stands beside max_completion_tokens"},
		`,"tools":[]`:           {"tools: is empty; leave it out"},
		`,"tool_choice":"auto"`: {"tool_choice: is only allowed when tools are specified"},
		`,"tools":[{"type":"function","function":{"name":"a b"}}]`:                                           {`tools[0].function.name: "a b" is no name of a tool: 1 to 128 letters, digits, _ and -`},
		`,"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a"}}]`: {`tools[1].function.name: two tools are called "a"`},
		`,"tools":[{"type":"function","function":{"name":"a"}}],"tool_choice":{"type":"function","function":{"name":"b"}}`: {
			`tool_choice.function.name: there is no tool "b"`},
		`,"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"array"}}}]`: {`tools[0].function.parameters.type: must be "object"`},
		`,"tools":[{"type":"function","function":{"name":"a","strict":true,"parameters":{"type":"object","properties":{"x":{"type":"object"}}}}}]`: {
			"tools[0].function.parameters.additionalProperties: must be false in a strict schema",
			`tools[0].function.parameters.required: must name "x": a strict schema requires every property`,
			"tools[0].function.parameters.properties.x.additionalProperties: must be false in a strict schema"},
	}.check(t, request.Chat, `{"model":"m","messages":[{"role":"user","content":"x"}]%s}`, request.Rules{Keys: []string{"own"}})
	check(t, request.Chat, `{"messages":[]}`, request.Rules{}, "model: is missing", "messages: is empty")
}

func TestChatMessages(t *testing.T) {
	const u = `{"role":"user","content":"x"}`
	ask := func(ids ...string) string {
		var calls []string
		for _, id := range ids {
			calls = append(calls, `{"id":"`+id+`","type":"function","function":{"name":"a","arguments":"{}"}}`)
		}
		return `,{"role":"assistant","tool_calls":[` + strings.Join(calls, ",") + `]}`
	}
	res := func(id string) string { return `,{"role":"tool","tool_call_id":"` + id + `","content":"r"}` }
	bodies{
		u + ask("1", "2") + res("2") + res("1") + "," + u:                            nil,
		u + ask("1") + res("1") + ask("1") + res("1"):                                nil,
		`{"role":"system","content":[{"type":"text","text":"s"}]},` + u:              nil,
		u + ask("1", "2") + res("1") + "," + u:                                       {`messages[1].tool_calls[1]: the call "2" has no result before messages[3]`},
		u + ask("1"):                                                                 {`messages[1].tool_calls[0]: the call "1" has no result before the end`},
		u + ask("1") + "," + u + res("1"):                                            {`messages[1].tool_calls[0]: the call "1" has no result before messages[2]`, `messages[3]: the result of "1" follows no such call`},
		u + res("1"):                                                                 {`messages[1]: the result of "1" follows no such call`},
		u + ask("1") + res("1") + res("1"):                                           {`messages[3]: a second result of the call "1"`},
		u + ask("1", "1") + res("1"):                                                 {`messages[1].tool_calls[1]: two calls of one turn have the id "1"`, `messages[1].tool_calls[1]: the call "1" has no result before the end`},
		u + strings.Replace(ask("1"), `"a"`, `"gone"`, 1) + res("1"):                 {`messages[1].tool_calls[0]: the call "1" is of tool "gone", which the request does not have`},
		u + strings.Replace(ask("1"), `"a"`, `"known"`, 1) + res("1"):                nil,
		u + `,{"role":"assistant"}`:                                                  {"messages[1].content: is missing; only a message with tool_calls goes without"},
		u + `,{"role":"assistant","content":null}`:                                   {"messages[1].content: is missing; only a message with tool_calls goes without"},
		u + `,{"role":"tool","content":"r"}`:                                         {"messages[1].tool_call_id: is missing", `messages[1]: the result of "" follows no such call`},
		u + `,{"role":"bot","content":"r"}`:                                          {`messages[1].role: "bot" is no role`},
		`{"role":"user"}`:                                                            {"messages[0].content: is missing"},
		`{"role":"user","content":null}`:                                             {"messages[0].content: is null null, which is not allowed here"},
		`{"role":"user","content":[]}`:                                               {"messages[0].content: is empty"},
		`{"role":"user","content":[{"type":"text"}]}`:                                {"messages[0].content[0].text: is missing"},
		`{"role":"system","content":[{"type":"image_url","image_url":{"url":"x"}}]}`: {`messages[0].content[0].type: "image_url" is not allowed in a message of system`},
	}.check(t, request.Chat, `{"model":"m","tools":[{"type":"function","function":{"name":"a"}}],"messages":[%s]}`, request.Rules{Tools: []string{"known"}})
}

func TestAlternate(t *testing.T) {
	frame := `{"model":"m","messages":[%s]}`
	m := func(roles ...string) string {
		var out []string
		for _, r := range roles {
			out = append(out, `{"role":"`+r+`","content":"x"}`)
		}
		return strings.Join(out, ",")
	}
	all := bodies{
		m("system", "user", "assistant", "user"): nil,
		m("user", "user"):                        {"messages[1]: two messages of user follow each other; roles must alternate"},
		m("assistant"):                           {"messages[0]: the first message is of assistant; it must be the user's"},
		m("system", "system", "user"):            {"messages[1]: system text may stand at the beginning only, in one message"},
	}
	all.check(t, request.Chat, frame, request.Rules{Alternate: true})
	for part := range all {
		check(t, request.Chat, strings.Replace(frame, "%s", part, 1), request.Rules{})
	}
}

func TestResponses(t *testing.T) {
	const u = `{"role":"user","content":[{"type":"input_text","text":"x"}]}`
	const a = `,{"type":"message","id":"m1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"y","annotations":[]}]}`
	ask := func(id string) string {
		return `,{"type":"function_call","call_id":"` + id + `","name":"a","arguments":"{}"}`
	}
	res := func(id string) string { return `,{"type":"function_call_output","call_id":"` + id + `","output":"r"}` }
	bodies{
		u + a + ask("1") + ask("2") + res("1") + res("2") + "," + u:                             nil,
		u + `,{"type":"reasoning","summary":[],"encrypted_content":"ok"}` + ask("1") + res("1"): nil,
		u + `,{"type":"reasoning","summary":[],"encrypted_content":"bad"}`:                      {"input[1].encrypted_content: the encrypted content could not be verified"},
		u + `,{"type":"reasoning","id":"rs_1","summary":[]}`:                                    {`input[1]: item with id "rs_1" not found: items are not kept when store is false`},
		u + ask("1") + res("1") + ask("2"):                                                      {`input[3]: the call "2" has no result before the end`},
		u + ask("1") + ask("2") + res("1") + ask("3") + res("3"):                                {`input[2]: the call "2" has no result before input[4]`},
		u + res("1"):          {`input[1]: the result of "1" follows no such call`},
		u + `,{"type":"odd"}`: {`input[1].type: "odd" is no type of an item`},
		`{"role":"user","content":[{"type":"output_text","text":"x"}]}`:     {`input[0].content[0].type: "output_text" is none of input_text, input_image`},
		`{"role":"assistant","content":[{"type":"input_text","text":"x"}]}`: {`input[0].content[0].type: "input_text" is none of output_text, refusal`},
	}.check(t, request.Responses, `{"model":"m","store":false,"tools":[{"type":"function","name":"a","parameters":{"type":"object"},"strict":false}],"input":[%s]}`,
		request.Rules{Issued: func(seal, _ string) bool { return seal == "ok" }})
	bodies{
		`"input":"hi"`:                       nil,
		`"instructions":"i"`:                 {"input: is missing"},
		`"input":"hi","max_output_tokens":3`: {"max_output_tokens: 3 is less than 16"},
		`"input":"hi","tools":[{"type":"function","name":"a"}]`:                                            {"tools[0].parameters: is missing", "tools[0].strict: is missing"},
		`"input":"hi","tool_choice":{"type":"function","name":"b"}`:                                        {`tool_choice.name: there is no tool "b"`},
		`"input":"hi","previous_response_id":"r0"`:                                                         {`previous_response_id: previous response with id "r0" not found`},
		`"previous_response_id":"r1","input":[{"type":"function_call_output","call_id":"1","output":"r"}]`: nil,
		`"previous_response_id":"r1","input":"hi"`:                                                         {`previous[0]: the call "1" has no result before input`},
	}.check(t, request.Responses, `{"model":"m",%s}`, request.Rules{
		Tools:    []string{"a"},
		Previous: func(id string) ([]byte, bool) { return []byte("[" + ask("1")[1:] + "]"), id == "r1" },
	})
}

func TestMessagesBody(t *testing.T) {
	bodies{
		``: nil,
		`,"system":"s","tools":[{"name":"a","input_schema":{"type":"object"}}],"tool_choice":{"type":"auto"}`: nil,
		`,"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"1h"}}]`:              nil,
		`,"system":[{"type":"text","text":" "}]`:                                                              {"system[0]: text content blocks must contain non-whitespace text"},
		`,"system":[{"type":"image","text":"x"}]`:                                                             {`system[0].type: "image" is none of text`},
		`,"temperature":1.5`:    {"temperature: 1.5 is not between 0 and 1"},
		`,"tool_choice":"auto"`: {`tool_choice: is a string "auto", which is not allowed here`, "tool_choice: is a string, not an object", "tool_choice: may only be specified while providing tools"},
		`,"tools":[{"name":"a","input_schema":{}}],"tool_choice":{"type":"tool","name":"b"}`: {`tool_choice.name: there is no tool "b"`},
		`,"tools":[{"name":"a"}]`: {"tools[0].input_schema: is missing"},
		`,"thinking":{"type":"enabled","budget_tokens":2000},"temperature":0.5`: {
			"max_tokens: must be greater than thinking.budget_tokens", "temperature: may only be set to 1 when thinking is enabled"},
		`,"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"b","cache_control":{"type":"ephemeral","ttl":"1h"}}]`: {
			`system[1].cache_control.ttl: a block with ttl "1h" must not come after one with "5m", which is at system[0]`},
		`,"system":[` + strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},`, 5), ",") + `]`: {
			"cache_control: a maximum of 4 blocks with cache_control may be provided, found 5"},
	}.check(t, request.Messages, `{"model":"m","max_tokens":100,"messages":[{"role":"user","content":"x"}]%s}`, request.Rules{})
	check(t, request.Messages, `{"model":"m","messages":[]}`, request.Rules{}, "max_tokens: is missing", "messages: at least one message is required")
}

func TestMessagesContent(t *testing.T) {
	const u = `{"role":"user","content":[{"type":"text","text":"x"}]}`
	ask := func(ids ...string) string {
		var out []string
		for _, id := range ids {
			out = append(out, `{"type":"tool_use","id":"`+id+`","name":"a","input":{}}`)
		}
		return `,{"role":"assistant","content":[` + strings.Join(out, ",") + `]}`
	}
	res := func(more string, ids ...string) string {
		var out []string
		for _, id := range ids {
			out = append(out, `{"type":"tool_result","tool_use_id":"`+id+`","content":"r"}`)
		}
		return `,{"role":"user","content":[` + strings.Join(out, ",") + more + `]}`
	}
	bodies{
		u + ask("1", "2") + res(`,{"type":"text","text":"and"}`, "1", "2"): nil,
		u + ask("1", "2") + res("", "1"):                                   {`messages[1].content[1]: the call "2" has no result before the end`},
		u + ask("1") + res("", "1") + ask("1") + res("", "1"):              {`messages[3].content[0].id: tool_use ids must be unique, "1" occurs twice`},
		u + ask("a.b") + res("", "a.b"):                                    {`messages[1].content[0].id: "a.b" does not match ^[a-zA-Z0-9_-]+$`},
		u + ask("1") + `,{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"1"}]}`: {
			"messages[2].content[1]: tool_result blocks must come first in a message",
			`messages[1].content[0]: the call "1" has no result before messages[2].content[0]`, `messages[2].content[1]: the result of "1" follows no such call`},
		u + `,{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a","input":"{}"}]}` + res("", "1"): {
			`messages[1].content[0].input: is a string "{}", which is not allowed here`},
		u + `,{"role":"system","content":"s"}`:                                                                                 nil,
		u + `,{"role":"assistant","content":"s"},{"role":"system","content":"s"}`:                                              {"messages[2].role: a system message must follow a user message"},
		u + `,{"role":"assistant","content":"s"}`:                                                                              nil,
		u + `,{"role":"assistant","content":[{"type":"text","text":"s "}]}`:                                                    {"messages[1].content: final assistant content cannot end with trailing whitespace"},
		u + `,{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"ok"},{"type":"text","text":"s"}]}`: nil,
		u + `,{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"bad"},{"type":"text","text":"s"}]}`: {
			"messages[1].content[0].signature: invalid signature in thinking block"},
		u + `,{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"ok"}]}`: {"messages[1].content: the last block of an assistant message cannot be thinking"},
		`{"role":"user","content":[{"type":"text","text":""}]}`:                                     {"messages[0].content[0]: text content blocks must be non-empty"},
		`{"role":"user","content":[]}`:                                                              {"messages[0].content: messages must have non-empty content"},
		`{"role":"assistant","content":"x"}`:                                                        {"messages[0].role: the first message must use the user role"},
		`{"role":"user","content":[{"type":"thinking","thinking":""}]}`:                             {`messages[0].content[0].type: "thinking" is not allowed in a message of user`},
		u + ask("1") + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"","is_error":true}]}`: {
			"messages[2].content[0].content: cannot be empty if is_error is true"},
	}.check(t, request.Messages, `{"model":"m","max_tokens":100,"tools":[{"name":"a","input_schema":{"type":"object"}}],"messages":[%s]}`,
		request.Rules{Issued: func(seal, _ string) bool { return seal == "ok" }})
}

// What a cache compares does not depend on where breakpoints stand.
func TestPromptWithoutBreakpoints(t *testing.T) {
	const with = `{"model":"m","max_tokens":1,"tools":[{"name":"a","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],` +
		`"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"5m"}}],"messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}]}`
	without := strings.NewReplacer(`,"cache_control":{"type":"ephemeral"}`, "", `,"cache_control":{"type":"ephemeral","ttl":"5m"}`, "").Replace(with)
	a, b := request.Read(request.Messages, []byte(with), request.Rules{}), request.Read(request.Messages, []byte(without), request.Rules{})
	for i := range a.Prompt {
		if a.Prompt[i].Mark != "5m" {
			t.Errorf("block %d: got mark %q", i, a.Prompt[i].Mark)
		}
		a.Prompt[i].Mark = ""
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("(-with +without)\n%s", diff)
	}
}
