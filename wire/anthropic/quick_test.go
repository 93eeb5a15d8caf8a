package anthropic_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
)

// texts of the events of a response that ends as it should.
func decoded(t *testing.T, delta string) (out []string, err error) {
	t.Helper()
	stream := "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"i\",\"name\":\"n\",\"input\":{}}}\n\n" +
		"data: " + delta + "\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n"
	for ev, e := range anthropic.Dialect.Decode(strings.NewReader(stream)) {
		if e != nil {
			return out, e
		}
		if ev.Kind != wire.Stop && ev.Kind != wire.CallStart && ev.Kind != wire.CallEnd {
			out = append(out, fmt.Sprintf("%d %q", ev.Kind, ev.Text))
		}
	}
	return out, nil
}

var deltas = []string{
	`plain`, ``, `é 日本 \u00e9 \ud83d\ude00`, `\"quoted\" \\ \/ \b\f\n\r\t`, `\ud83d`, "bad \xff", `<&>`, `}}`, `"`, `\`, `\x`, "tab\t",
}

// A delta in its usual form is read as one in any other form.
func TestDecodeUsualForm(t *testing.T) {
	for _, kind := range []string{`text_delta","text`, `thinking_delta","thinking`, `input_json_delta","partial_json`} {
		for _, text := range deltas {
			body := fmt.Sprintf(`"index":0,"delta":{"type":"%s":"%s"}`, kind, text)
			want, wantErr := decoded(t, `{ "type":"content_block_delta",`+body+`}`)
			for _, form := range []string{`{"type":"content_block_delta",` + body + `}`, `{"type":"content_block_delta",` + body + `      }`} {
				got, err := decoded(t, form)
				if diff := cmp.Diff(got, want); diff != "" || (err == nil) != (wantErr == nil) {
					t.Errorf("%s: %v, want %v (-got +want)\n%s", form, err, wantErr, diff)
				}
			}
		}
	}
}

func FuzzDecodeUsualForm(f *testing.F) {
	for _, text := range deltas {
		f.Add(`text_delta","text":"` + text + `"}}`)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if strings.ContainsAny(in, "\r\n") {
			t.Skip()
		}
		body := `content_block_delta","index":0,"delta":{"type":"` + in
		got, err := decoded(t, `{"type":"`+body)
		want, wantErr := decoded(t, `{ "type":"`+body)
		if !slices.Equal(got, want) || (err == nil) != (wantErr == nil) {
			t.Errorf("got %q, %v, want %q, %v", got, err, want, wantErr)
		}
	})
}
