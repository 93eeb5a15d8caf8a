package openaichat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

// events decodes a stream of chunks and returns what it says, and the error.
func said(chunks ...string) (text string, stop wire.StopReason, err error) {
	var b strings.Builder
	for _, c := range chunks {
		b.WriteString("data: " + c + "\n\n")
	}
	b.WriteString("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	for e, err := range openaichat.Dialect.Decode(strings.NewReader(b.String())) {
		if err != nil {
			return text, stop, err
		}
		switch e.Kind {
		case wire.TextDelta:
			text += e.Text
		case wire.Stop:
			stop = e.Stop
		}
	}
	return text, stop, nil
}

// A chunk reads the same behind one of its own form, which is read quickly, as
// behind one of another form, which is not.
func FuzzQuick(f *testing.F) {
	for _, s := range []string{"word", "", "two\nlines", `"quoted" \back\`, "世界 \U0001F600", "\x00\x7f", "\ufffd", `{"content":"x"}`, "\u2028"} {
		f.Add(s, `{"id":"a","choices":[{"index":0,"delta":{"content":"first"}}]}`)
	}
	f.Add("x", `{"choices":[{"index":1,"delta":{"content":"first"}}]}`)
	f.Add("x", `{"choices":[{"index":0,"delta":{"content":"first"},"finish_reason":"length"}]}`)
	f.Add("x", `{"choices":[{"index":0,"delta":{"content":"first","refusal":"no"}}]}`)
	f.Add("x", `{"content":"first","choices":[{"index":0,"delta":{"content":"first"}}]}`)
	f.Add("x", `{"choices":[{"index":0,"delta":{"content":"first"}}],"usage":{"prompt_tokens":1}}`)
	f.Fuzz(func(t *testing.T, s, first string) {
		if strings.ContainsAny(first, "\r\n") || !json.Valid([]byte(first)) {
			return
		}
		quoted, err := json.Marshal(s)
		if err != nil {
			return
		}
		for _, inside := range []string{string(quoted[1 : len(quoted)-1]), s} {
			if strings.ContainsAny(inside, "\r\n") {
				continue
			}
			second := strings.Replace(first, `"content":"first"`, `"content":"`+inside+`"`, 1)
			another := `{"choices":[{"delta":{"role":"assistant"},"index":0}]}`
			alone, stopAlone, errAlone := said(first)
			quick, stopQuick, errQuick := said(first, second)
			full, stopFull, errFull := said(first, another, second)
			if quick != full || stopQuick != stopFull || (errQuick == nil) != (errFull == nil) {
				t.Errorf("after %s (%q, %s, %v)\n%s\nquick %q, %s, %v\n full %q, %s, %v",
					first, alone, stopAlone, errAlone, second, quick, stopQuick, errQuick, full, stopFull, errFull)
			}
		}
	})
}
