package cache_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/inspect/cache"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

func words(s string) int { return len(strings.Fields(s)) }

// analyze looks at bodies whose tokens are their words.
func analyze(t testing.TB, bodies ...string) cache.Report {
	t.Helper()
	a := cache.New(words)
	for _, b := range bodies {
		if err := a.Add(cache.Recorded{Body: []byte(b)}); err != nil {
			t.Fatal(err)
		}
	}
	return a.Report("test")
}

// Parts of bodies of openai-chat.
const (
	user   = `{"role":"user","content":"look at it"}`
	call   = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"grep","arguments":"{\"x\":1}"}}]}`
	result = `{"role":"tool","tool_call_id":"c1","content":"one two three four"}`
	done   = `{"role":"assistant","content":"it is done"}`
	grep   = `{"type":"function","function":{"name":"grep","description":"finds lines"}}`
	read   = `{"type":"function","function":{"name":"read","description":"reads a file"}}`
)

func system(text string) string { return fmt.Sprintf(`{"role":"system","content":%q}`, text) }

func chat(tools string, messages ...string) string {
	return fmt.Sprintf(`{"model":"m","tools":[%s],"messages":[%s]}`, tools, strings.Join(messages, ","))
}

func TestCauses(t *testing.T) {
	base := system("Use tabs.")
	fence := func(token, path, text string) string {
		return system(fmt.Sprintf("You code.\n\n<block %s kind=\"file\" path=%q trust=\"project\">\n%s\n</block %s>\n\nBe brief.", token, path, text, token))
	}
	tests := []struct {
		name, before, after string
		section, cause, at  string // at: what begins at the offset in the second body
		tokens              int
	}{
		{"tool added", chat(grep, base, user), chat(grep+","+read, base, user), "tools", "tools.added(read)", "," + read, 8},
		{"tool removed", chat(grep+","+read, base, user), chat(read, base, user), "tools", "tools.removed(grep)", `read","desc`, 7},
		{"tools exchanged", chat(grep, base, user), chat(read, base, user), "tools", "tools.added(read) tools.removed(grep)", `read","desc`, 7},
		{"tool order", chat(grep+","+read, base, user), chat(read+","+grep, base, user), "tools", "tools.order", `read","desc`, 9},
		{"tool schema", chat(grep, base, user), chat(strings.Replace(grep, "lines", "files", 1), base, user), "tools", "tools.changed(grep)", `files"`, 6},
		{"system", chat(grep, base, user), chat(grep, system("Use spaces."), user), "system", "system.changed", `spaces."`, 4},
		{"system gone", chat(grep, base, user), chat(grep, user), "system", "system.removed", `user","content":"look`, 3},
		{"system added", chat(grep, base, user), chat(grep, base, system("more"), user), "system", "system.added", `system","content":"more`, 4},
		{"fenced file", chat(grep, fence("0123456789abcdef", "AGENTS.md", "v1"), user), chat(grep, fence("0123456789fedcba", "AGENTS.md", "v2"), user),
			"project:AGENTS.md", "source.changed", `fedcba kind`, 11},
		{"another file", chat(grep, fence("0123456789abcdef", "a/AGENTS.md", "v1"), user), chat(grep, fence("1123456789fedcba", "AGENTS.md", "v2"), user),
			"project:AGENTS.md", "section.added(project:AGENTS.md)", `1123456789fedcba kind`, 12},
		{"model", chat(grep, base, user), strings.Replace(chat(grep, base, user), `"m"`, `"n"`, 1), "model", "model.changed", `"n"`, 7},
		{"edited", chat(grep, base, user, call, result), chat(grep, base, user, call, strings.Replace(result, "three", "cut", 1), done), "message 4", "history.edited", `cut four`, 5},
		{"trimmed", chat(grep, base, user, call, result, done, user), chat(grep, base, done, user, done), "message 2", "history.trimmed", `assistant","content":"it`, 9},
		{"cut", chat(grep, base, user, done), chat(grep, base, user), "message 3", "history.trimmed", `]}`, 0},
		{"compacted", chat(grep, base, system("x"), user, call, result, call, result, user), chat(grep, base, system("x"), `{"role":"user","content":"so far"}`), "message 3", "history.compacted", `so far`, 2},
		{"reminder", chat(grep, base, user, `{"role":"user","content":"be brief now"}`), chat(grep, base, user, done, user), "message 3", "tail.replaced", `assistant","content":"it`, 6},
		{"joined reminder", chat(grep, base, `{"role":"user","content":"look at it\n\nbe brief"}`), chat(grep, base, user, done, user), "message 2", "tail.replaced", `"},{"role":"assistant"`, 6},
		{"thinking", chat(grep, base, user), strings.Replace(chat(grep, base, strings.Replace(user, "it", "me", 1)), `"model"`, `"reasoning_effort":"low","model"`, 1), "message 2", "thinking.changed", `me"`, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := analyze(t, tt.before, tt.after)
			if len(r.Breaks) != 1 || r.AppendOnly != 0 || r.Retained == 1 {
				t.Fatalf("got %+v", r)
			}
			b := r.Breaks[0]
			got := []any{b.Request, b.Section, b.Cause, b.Tokens}
			if diff := cmp.Diff(got, []any{2, tt.section, tt.cause, tt.tokens}); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
			if !strings.HasPrefix(tt.after[b.Offset:], tt.at) {
				t.Errorf("offset %d: there is %q, want %q", b.Offset, tt.after[b.Offset:min(len(tt.after), b.Offset+30)], tt.at)
			}
			if b.Message == "" {
				t.Error("no message")
			}
		})
	}
}

// What moves by itself is named.
func TestHints(t *testing.T) {
	for _, tt := range []struct{ before, after, want string }{
		{"It is 10:04:11 now.", "It is 10:04:12 now.", "a time or a date"},
		{"Today is 2026-01-02.", "Today is 2026-01-03.", "a time or a date"},
		{"Run 3f2504e0-4f89-11d3-9a0c-0305e82c3301.", "Run 3f2504e0-4f89-11d3-9a0c-0305e82c3302.", "an id"},
		{"Step 4 of 9.", "Step 5 of 9.", "a counter"},
		{"Be terse.", "Be kind.", ""},
	} {
		m := analyze(t, chat("", system(tt.before), user), chat("", system(tt.after), user)).Breaks[0].Message
		if tt.want == "" && strings.Contains(m, "looks like") || !strings.Contains(m, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.after, m, tt.want)
		}
	}
}

// Requests of every protocol that only grow. What is not part of the prompt may
// change: breakpoints, cache keys, options, the escapes of a text.
func TestGrowing(t *testing.T) {
	for name, bodies := range map[string][]string{
		"openai-chat": {
			`{"model":"m","prompt_cache_key":"a","messages":[{"role":"developer","content":"Be <brief>."},{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url","image_url":{"url":"data:x"}}]}]}`,
			`{"model":"m","prompt_cache_key":"b","stream":true,"messages":[{"role":"developer","content":"Be \u003cbrief\u003e."},{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url","image_url":{"url":"data:x"}}]},{"role":"assistant","content":"ho"}]}`,
		},
		"openai-responses": {
			`{"model":"m","instructions":"Be brief.","input":"hi there"}`,
			`{"model":"m","instructions":"Be brief.","input":"hi there"}`,
		},
		"openai-responses items": {
			`{"model":"m","tools":[{"type":"function","name":"grep"}],"input":[{"role":"user","content":[{"type":"input_text","text":"hi"}]}]}`,
			`{"model":"m","tools":[{"type":"function","name":"grep"}],"input":[{"role":"user","content":[{"type":"input_text","text":"hi"}]},{"type":"function_call","call_id":"c","name":"grep","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"none"}]}`,
		},
		"anthropic": {
			`{"model":"m","system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}]}`,
			`{"model":"m","system":[{"cache_control":{"type":"ephemeral","ttl":"1h"},"type":"text","text":"Be brief."}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"grep","input":{"x":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"none","cache_control":{"type":"ephemeral"}}]}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := analyze(t, bodies...)
			if r.Retained != 1 || r.AppendOnly != 1 || len(r.Breaks) != 0 {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// A change behind a breakpoint that has moved is found at its own byte.
func TestOffsetBehindBreakpoint(t *testing.T) {
	const mark = `"cache_control":{"type":"ephemeral"},`
	body := func(mark, text string) string {
		return fmt.Sprintf(`{"model":"m","system":[{%s"type":"text","text":%q}],"messages":[{"role":"user","content":"hi"}]}`, mark, text)
	}
	for _, marks := range [][2]string{{"", mark}, {mark, ""}, {mark, mark}} {
		after := body(marks[1], "Use spaces.")
		b := analyze(t, body(marks[0], "Use tabs."), after).Breaks[0]
		if !strings.HasPrefix(after[b.Offset:], `spaces."`) || b.Is != `xt","text":"Use spaces."}` && !strings.HasSuffix(b.Is, `Use spaces."}`) {
			t.Errorf("%q: offset %d, %q", marks, b.Offset, b.Is)
		}
	}
}

// The marks of a body say more than its bytes.
func TestMarks(t *testing.T) {
	fence := &span.Origin{Source: "generated:fence"}
	recorded := func(token, text string) cache.Recorded {
		parts := []struct {
			text string
			from *span.Origin
		}{{"You code.", &span.Origin{Section: "base"}}, {`\n\n`, fence}, {`<block ` + token + `>\n`, fence}, {text, &span.Origin{Section: "project:AGENTS.md"}}, {`\n</block ` + token + `>`, fence}}
		r := cache.Recorded{Body: []byte(`{"model":"m","messages":[{"role":"system","content":"`)}
		for _, p := range parts {
			lo := len(r.Body)
			r.Body = append(r.Body, p.text...)
			r.Marks = append(r.Marks, wire.Mark{Lo: lo, Hi: len(r.Body), From: p.from})
		}
		r.Body = append(r.Body, `"},{"role":"user","content":"hi"}]}`...)
		return r
	}
	a := cache.New(words)
	for _, r := range []cache.Recorded{recorded("0123456789abcdef", "v1"), recorded("fedcba9876543210", "v2")} {
		if err := a.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	b := a.Report("").Breaks[0]
	if b.Section != "project:AGENTS.md" || b.Cause != "source.changed" || !strings.Contains(b.Is, `v2\n`) {
		t.Errorf("got %+v", b)
	}
}

// Hits are counted in blocks and only from 1,024 tokens on; costs follow from
// them.
func TestFigures(t *testing.T) {
	sys := system(strings.TrimSpace(strings.Repeat("rule ", 1200)))
	r := analyze(t, chat("", sys, user), chat("", sys, user, done, user))
	r.Breaks = nil
	want := cache.Report{Preset: "test", Retained: 1, AppendOnly: 1, Requests: 2, Input: 1203 + 1209, Misses: 2412 - 1203, Best: .4987,
		Hit:           cache.Hit{Token: .4987, By16: .4975, By64: .4776, By128: .4776, OpenAI: .4776, Anthropic: .4987, DeepSeek: .5},
		CostOverBound: cache.Costs{OpenAI: 1, Anthropic: 1, DeepSeek: 1}}
	if diff := cmp.Diff(r, want, cmp.Comparer(func(a, b cache.Report) bool { return fmt.Sprintf("%+v", strip(a)) == fmt.Sprintf("%+v", strip(b)) })); diff != "" {
		t.Errorf("got  %+v\nwant %+v", strip(r), strip(want))
	}
	if h := analyze(t, chat("", system("short"), user), chat("", system("short"), user, done)).Hit; h.OpenAI != 0 || h.Anthropic != 0 || h.DeepSeek == 0 {
		t.Errorf("a short prompt: %+v", h)
	}
}

// strip leaves what a report says as JSON.
func strip(r cache.Report) string {
	b, _ := json.Marshal(r)
	return string(b)
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{`{`, "request 2: is not JSON"}, {``, "is not JSON"}, {`[]`, "is no request"}, {`{"model":"m"}`, "is no request"}, {`{"messages":[]} x`, "is not JSON"},
	} {
		a := cache.New(words)
		if err := a.Add(cache.Recorded{Body: []byte(chat("", user))}); err != nil {
			t.Fatal(err)
		}
		err := a.Add(cache.Recorded{Body: []byte(tt.body)})
		if err == nil || !strings.Contains(err.Error(), tt.want) || a.Report("").Requests != 1 {
			t.Errorf("%q: got %v", tt.body, err)
		}
		if strings.Contains(tt.want, "no request") != errors.Is(err, cache.ErrNoRequest) {
			t.Errorf("%q: %v is ErrNoRequest: %v", tt.body, err, errors.Is(err, cache.ErrNoRequest))
		}
	}
}

// Documents stand on one line each, or are indented.
func TestRead(t *testing.T) {
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(chat(grep, user)), "", "  "); err != nil {
		t.Fatal(err)
	}
	long := chat("", system(strings.Repeat("x", 200<<10)))
	text := "\n" + chat("", user) + "\r\n\n" + indented.String() + "\n" + long + "\n" + chat("", done)
	var got []string
	err := cache.Read(strings.NewReader(text), "f", func(r cache.Recorded) error {
		if !json.Valid(r.Body) {
			t.Errorf("%s: %s", r.Name, r.Body)
		}
		got = append(got, r.Name)
		return nil
	})
	lines := 4 + strings.Count(indented.String(), "\n")
	want := []string{"f:2", "f:4", fmt.Sprintf("f:%d", lines+1), fmt.Sprintf("f:%d", lines+2)}
	if diff := cmp.Diff(got, want); err != nil || diff != "" {
		t.Errorf("%v (-got +want)\n%s", err, diff)
	}
}

// Whatever a body is, figures stay within their bounds, and one that is sent twice
// is found whole.
func FuzzAdd(f *testing.F) {
	f.Add(chat(grep, system("a"), user), chat(grep, system("b"), user, call, result))
	f.Add(`{"model":"m","system":"x","messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}]}`,
		`{"input":[{"type":"reasoning","encrypted_content":"x"}],"instructions":"\ud83d\ude00"}`)
	f.Add(`{"messages":[1,"x",null,{"content":{"input":{}}}],"tools":{"cache_control":1}}`, `{"messages":{},"tools":[{"cache_control":{}}]}`)
	f.Fuzz(func(t *testing.T, one, two string) {
		a := cache.New(words)
		n := 0
		for _, b := range []string{one, two, two, one} {
			if a.Add(cache.Recorded{Body: []byte(b)}) == nil {
				n++
			}
		}
		r := a.Report("")
		if r.Requests != n || r.Retained < 0 || r.Retained > 1 || r.Misses < 0 || r.Misses > r.Input || len(r.Breaks)+r.AppendOnly != max(0, n-1) {
			t.Errorf("%+v", r)
		}
		for _, h := range []float64{r.Hit.Token, r.Hit.OpenAI, r.Hit.Anthropic, r.Hit.DeepSeek} {
			if h < 0 || h > 1 {
				t.Errorf("%+v", r.Hit)
			}
		}
		for _, b := range r.Breaks {
			if b.Offset < 0 || b.Offset > max(len(one), len(two)) || b.Cause == "" || b.Section == "" {
				t.Errorf("%+v", b)
			}
		}
		same := cache.New(words)
		first, again := same.Add(cache.Recorded{Body: []byte(one)}), same.Add(cache.Recorded{Body: []byte(one)})
		if first == nil && again == nil {
			if r := same.Report(""); r.Retained != 1 || r.AppendOnly != 1 {
				t.Errorf("a body sent twice: %+v", r)
			}
		}
	})
}
