package reply_test

import (
	"strings"
	"testing"

	"github.com/proemhq/proem/providertest/internal/reply"
	"github.com/proemhq/proem/providertest/internal/request"
)

// Sealed reasoning is known again, byte for byte.
func TestSeal(t *testing.T) {
	seal := reply.Seal("I look.")
	for _, c := range []struct {
		seal, text string
		want       bool
	}{
		{seal, "I look.", true},
		{seal, "", true},
		{seal, "I looked.", false},
		{seal[:len(seal)-2], "", false},
		{strings.Replace(seal, "proem-sealed-", "proem-sealed-0", 1), "", false},
		{"of another server", "anything", true},
	} {
		if got := reply.Issued(c.seal, c.text); got != c.want {
			t.Errorf("%q, %q: got %v", c.seal, c.text, got)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		e    reply.Error
		p    request.Protocol
		want string
	}{
		{reply.Error{Status: 400, Message: "is missing", Param: "model"}, request.Chat,
			`{"error":{"code":null,"message":"model: is missing","param":"model","type":"invalid_request_error"}}`},
		{reply.Error{Status: 529}, request.Messages,
			`{"error":{"message":"the server answers 529, as the test asked for","type":"overloaded_error"},"request_id":"req_providertest","type":"error"}`},
		{reply.Error{Status: 500, Message: "x"}, request.Responses, `{"error":{"code":null,"message":"x","param":null,"type":"server_error"}}`},
	} {
		if got := string(c.e.Object(c.p)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	e := reply.Error{Status: 529, Message: "x"}
	for p, want := range map[request.Protocol]string{
		request.Chat:      "data: {\"error\":{\"code\":null,\"message\":\"x\",\"param\":null,\"type\":\"overloaded_error\"}}\n\n",
		request.Responses: "event: error\ndata: {\"code\":\"overloaded_error\",\"message\":\"x\",\"param\":null,\"sequence_number\":0,\"type\":\"error\"}\n\n",
		request.Messages:  "event: error\ndata: {\"error\":{\"message\":\"x\",\"type\":\"overloaded_error\"},\"request_id\":\"req_providertest\",\"type\":\"error\"}\n\n",
	} {
		if got := string(e.Event(p).Bytes()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
