package cache_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/inspect/cache"
)

// quarter estimates tokens as providers' rules of thumb do: four bytes each.
func quarter(s string) int { return (len(s) + 3) / 4 }

// grown returns the bodies of a run: a system text of 40 KB, 20 tools, and per
// request an answer and a result of 2.5 KB more.
func grown(requests int) [][]byte {
	var tools, messages strings.Builder
	for i := range 20 {
		fmt.Fprintf(&tools, `%s{"type":"function","function":{"name":"tool_%d","description":%q,"parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}`,
			comma(i), i, strings.Repeat("Does this and that. ", 40))
	}
	fmt.Fprintf(&messages, `{"role":"system","content":%q},{"role":"user","content":"go"}`, strings.Repeat("Use tabs, and \"quote\".\n", 1700))
	out := make([][]byte, requests)
	for i := range out {
		out[i] = fmt.Appendf(nil, `{"model":"m","tools":[%s],"messages":[%s]}`, tools.String(), messages.String())
		fmt.Fprintf(&messages, `,{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"tool_1","arguments":"{\"path\":\"a%d.go\"}"}}]}`, i, i)
		fmt.Fprintf(&messages, `,{"role":"tool","tool_call_id":"c%d","content":%q}`, i, fmt.Sprint(i)+strings.Repeat("\tif err != nil {\n\t\treturn err\n\t}\n", 70))
	}
	return out
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

func BenchmarkAnalyze(b *testing.B) {
	bodies := grown(60)
	size := 0
	for _, x := range bodies {
		size += len(x)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		a := cache.New(quarter)
		for _, x := range bodies {
			if err := a.Add(cache.Recorded{Body: x}); err != nil {
				b.Fatal(err)
			}
		}
		if r := a.Report(""); r.Retained != 1 {
			b.Fatalf("retained %v", r.Retained)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	for _, x := range grown(60) {
		text.Write(x)
		text.WriteByte('\n')
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		a := cache.New(quarter)
		if err := cache.Read(strings.NewReader(text.String()), "run", a.Add); err != nil {
			b.Fatal(err)
		}
	}
}
