package provider_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
)

const (
	messageStart = `data: {"type":"message_start","message":{"usage":{"input_tokens":1}}}` + "\n\n"
	messageText  = `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"yo"}}` + "\n\n"
	messageEnd   = `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"
	overloaded   = `data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}` + "\n\n"
)

func TestSendAnthropic(t *testing.T) {
	var head http.Header
	var path, got string
	ok := status(200, nil, messageStart+messageText+messageEnd)
	for _, c := range []struct {
		name    string
		answers []func(*http.Request) (*http.Response, error)
		want    string
		kind    wire.ErrorKind
		tries   int
	}{
		{"at once", nil, "yoend_turn", "", 1},
		{"overloaded", []func(*http.Request) (*http.Response, error){
			status(529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)}, "yoend_turn", "", 2},
		{"an error before any output", []func(*http.Request) (*http.Response, error){
			status(200, nil, messageStart+overloaded)}, "yoend_turn", "", 2},
		{"an error after output", []func(*http.Request) (*http.Response, error){
			status(200, nil, messageStart+messageText+overloaded)}, "yo", wire.Overloaded, 1},
		{"a wrong key", []func(*http.Request) (*http.Response, error){
			status(401, nil, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key `+key+`"}}`)}, "", wire.Authentication, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := quick()
			network := &respond{answers: append(c.answers, func(req *http.Request) (*http.Response, error) {
				raw, err := io.ReadAll(req.Body)
				head, path, got = req.Header, req.URL.String(), string(raw)
				if err != nil {
					return nil, err
				}
				return ok(req)
			})}
			e.Net = network
			m := &provider.HTTP{Dialect: anthropic.Dialect, BaseURL: "https://host.test", Key: key, Env: e,
				Cap: wire.Lookup("anthropic", "claude-sonnet-4-5")}
			b := body(t, m, wire.Options{})
			text, err := send(context.Background(), m, b)
			var api *wire.APIError
			if errors.As(err, &api); text != c.want || (err == nil) != (c.kind == "") || err != nil && (api == nil || api.Kind != c.kind) {
				t.Errorf("got %q, %v", text, err)
			}
			if err != nil && strings.Contains(err.Error(), key) {
				t.Errorf("the key is in %q", err)
			}
			if network.n != c.tries {
				t.Errorf("%d requests, want %d", network.n, c.tries)
			}
			if err == nil {
				want := []string{key, anthropic.Version, "", "https://host.test/v1/messages", string(b.JSON)}
				if diff := cmp.Diff([]string{head.Get("x-api-key"), head.Get("anthropic-version"), head.Get("Authorization"), path, got}, want); diff != "" {
					t.Errorf("(-got +want)\n%s", diff)
				}
			}
		})
	}
}
