package doctest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// filter applies "head -n N", "tail -n N", "grep WORD" or "jq [-c] PATH" to a
// text.
func filter(words []string, text string) (string, error) {
	switch {
	case len(words) == 3 && (words[0] == "head" || words[0] == "tail") && words[1] == "-n":
		n, err := strconv.Atoi(words[2])
		if err != nil {
			return "", err
		}
		lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
		if words[0] == "head" {
			lines = lines[:min(n, len(lines))]
		} else {
			lines = lines[max(0, len(lines)-n):]
		}
		return strings.TrimSuffix(strings.Join(lines, ""), "\n") + "\n", nil
	case words[0] == "grep" && len(words) == 2:
		var out strings.Builder
		for _, line := range strings.SplitAfter(text, "\n") {
			if strings.Contains(line, words[1]) {
				out.WriteString(line)
			}
		}
		return out.String(), nil
	case words[0] == "jq" && len(words) == 2:
		return query(text, words[1], false)
	case words[0] == "jq" && len(words) == 3 && words[1] == "-c":
		return query(text, words[2], true)
	}
	return "", fmt.Errorf("package doctest has no filter %q", words)
}

var stepPattern = regexp.MustCompile(`^(?:\.([A-Za-z_][A-Za-z0-9_]*)|\.?\["([^"]*)"\]|\[(\d+)\]|\[(\])|\.$)`)

// query prints what a path leads to, in jq's form and in the order of the text.
func query(text, path string, compact bool) (string, error) {
	values := []json.RawMessage{json.RawMessage(text)}
	for rest := path; rest != ""; {
		m := stepPattern.FindStringSubmatch(rest)
		if m == nil {
			return "", fmt.Errorf("package doctest does not understand the path %q at %q", path, rest)
		}
		rest = rest[len(m[0]):]
		var next []json.RawMessage
		for _, v := range values {
			found, err := step(v, m)
			if err != nil {
				return "", fmt.Errorf("%s: %w", path, err)
			}
			next = append(next, found...)
		}
		values = next
	}
	var out bytes.Buffer
	for _, v := range values {
		var err error
		if compact {
			err = json.Compact(&out, v)
		} else {
			err = json.Indent(&out, v, "", "  ")
		}
		if err != nil {
			return "", err
		}
		out.WriteByte('\n')
	}
	return out.String(), nil
}

func step(v json.RawMessage, m []string) ([]json.RawMessage, error) {
	switch {
	case m[1] != "" || m[2] != "":
		var object map[string]json.RawMessage
		err := json.Unmarshal(v, &object)
		got, ok := object[m[1]+m[2]]
		if err == nil && !ok {
			err = fmt.Errorf("no member %q", m[1]+m[2])
		}
		return []json.RawMessage{got}, err
	case m[3] != "" || m[4] != "":
		var list []json.RawMessage
		err := json.Unmarshal(v, &list)
		if m[4] != "" || err != nil {
			return list, err
		}
		i, _ := strconv.Atoi(m[3])
		if i >= len(list) {
			return nil, fmt.Errorf("no element %d", i)
		}
		return list[i : i+1], nil
	}
	return []json.RawMessage{v}, nil
}

func TestFilters(t *testing.T) {
	const text = `{"b":1,"a":[{"x-y":"<é>"},{"x-y":[]}]}`
	tests := []struct{ command, want string }{
		{`jq .`, "{\n  \"b\": 1,\n  \"a\": [\n    {\n      \"x-y\": \"<é>\"\n    },\n    {\n      \"x-y\": []\n    }\n  ]\n}\n"},
		{`jq '.a[0]'`, "{\n  \"x-y\": \"<é>\"\n}\n"},
		{`jq -c '.a[]["x-y"]'`, "\"<é>\"\n[]\n"},
		{`jq .b`, "1\n"},
		{`head -n 1`, text + "\n"},
		{`grep x-y`, text},
	}
	for _, tt := range tests {
		words, err := split(tt.command)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := filter(words, text); err != nil || got != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.command, got, err, tt.want)
		}
	}
}
