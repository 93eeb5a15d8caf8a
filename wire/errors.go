package wire

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// ErrTruncated is the error of a stream that ended without its terminal event.
var ErrTruncated error = StreamError("stream.truncated: the response ended before its terminal event")

// StreamError is a fault in the form of a response.
type StreamError string

// Error returns the message.
func (e StreamError) Error() string { return string(e) }

// An APIError is an error that a provider reported, by status or inside a
// stream.
type APIError struct {
	Kind    ErrorKind
	Status  int    // HTTP status, or 0 inside a stream
	Code    string // the provider's code or type
	Message string // the provider's message, without credentials
	// Limit and Used are the numbers of tokens that a ContextTooLong error names;
	// 0: not given.
	Limit, Used int
}

// Error returns the kind, the status and the provider's message.
func (e *APIError) Error() string {
	s := string(e.Kind)
	if e.Status != 0 {
		s += " (HTTP " + strconv.Itoa(e.Status) + ")"
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// ErrorKind classifies provider errors.
type ErrorKind string

// The kinds of provider errors.
const (
	Authentication ErrorKind = "authentication"
	Quota          ErrorKind = "quota"
	RateLimit      ErrorKind = "rate_limit"
	Overloaded     ErrorKind = "overloaded"
	ContextTooLong ErrorKind = "context_too_long"
	InvalidRequest ErrorKind = "invalid_request"
	ContentFilter  ErrorKind = "content_filter"
	ServerError    ErrorKind = "server_error"
)

// maxMessage bounds the message of a provider that an APIError keeps.
const maxMessage = 2000

// ParseError reads the error that a provider put into a response. Status is the
// HTTP status, or 0 for an error inside a stream. A body that is no known error
// object becomes the message.
func ParseError(status int, body []byte) *APIError {
	var doc struct {
		Error   json.RawMessage
		Message string
		Detail  json.RawMessage
	}
	e := &APIError{Status: status}
	if json.Unmarshal(body, &doc) != nil {
		e.Message = strings.TrimSpace(strings.ToValidUTF8(string(body), "\ufffd"))
	} else if !e.fromObject(doc.Error) {
		if e.Message = doc.Message; e.Message == "" && len(doc.Detail) > 0 {
			e.Message = text(doc.Detail)
		}
	}
	if len(e.Message) > maxMessage {
		e.Message = strings.ToValidUTF8(e.Message[:maxMessage], "") + "…"
	}
	e.Kind = e.classify()
	if e.Kind == ContextTooLong {
		e.Limit, e.Used = tokenNumbers(e.Message)
	}
	return e
}

// fromObject reads the error member: an object or a plain string.
func (e *APIError) fromObject(raw json.RawMessage) bool {
	var s string
	if json.Unmarshal(raw, &s) == nil && s != "" {
		e.Message = s
		return true
	}
	var obj struct {
		Message, Type string
		Code          json.RawMessage
	}
	if json.Unmarshal(raw, &obj) != nil || obj.Message == "" && obj.Type == "" && len(obj.Code) == 0 {
		return false
	}
	e.Message, e.Code = obj.Message, text(obj.Code)
	if n, err := strconv.Atoi(e.Code); err == nil && e.Status == 0 && 400 <= n && n < 600 {
		e.Status = n
	}
	if e.Code == "" || e.Code == "null" {
		e.Code = obj.Type
	}
	return true
}

// text returns a JSON string's value, or any other value as it is written.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

var tooLong = []string{
	"context_length", "maximum context", "context length", "context window", "prompt is too long",
	"exceed_context_size", "too many tokens", "input is too long", "exceed context limit",
}

// badInput are codes of responses that fail because of what they were given.
var badInput = []string{"invalid_prompt", "invalid_image", "invalid_base64_image", "image_too_", "image_parse_error",
	"image_file_", "unsupported_image", "empty_image_file", "failed_to_download_image", "data_residency_mismatch"}

// classify decides by the provider's own words first: hosts disagree about
// statuses more than about codes.
func (e *APIError) classify() ErrorKind {
	words := strings.ToLower(e.Code + " " + e.Message)
	has := func(list ...string) bool {
		for _, w := range list {
			if strings.Contains(words, w) {
				return true
			}
		}
		return false
	}
	switch s := e.Status; {
	case (s == 0 || s == 400 || s == 413 || s == 422 || s == 500) && has(tooLong...):
		return ContextTooLong
	case s == 402, has("insufficient_quota", "billing_hard_limit", "billing_error", "insufficient balance", "credit balance is too low"):
		return Quota
	case s == 401, s == 403, s == 0 && has("authentication", "invalid_api_key", "permission"):
		return Authentication
	case has("content_filter", "content_policy", "bio_policy"):
		return ContentFilter
	case s == 529, s == 503, has("overloaded", "slow_down"):
		return Overloaded
	case s == 429, s == 0 && has("rate_limit"):
		return RateLimit
	case s == 0 && (has("invalid_request", "not_found_error", "request_too_large") || has(badInput...)), 400 <= s && s < 500 && s != 408 && s != 409:
		return InvalidRequest
	}
	return ServerError
}

var numbers = regexp.MustCompile(`[0-9][0-9,]*`)

// sum is how some hosts write input and output limit against what is allowed.
var sum = regexp.MustCompile(`([0-9]+) \+ ([0-9]+) > ([0-9]+)`)

// tokenNumbers returns the two greatest numbers of a message about a context
// that is too long: what was allowed and what was asked for.
func tokenNumbers(message string) (limit, used int) {
	if m := sum.FindStringSubmatch(message); m != nil {
		in, _ := strconv.Atoi(m[1])
		out, _ := strconv.Atoi(m[2])
		limit, _ = strconv.Atoi(m[3])
		return limit, in + out
	}
	for _, s := range numbers.FindAllString(message, 8) {
		n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
		if err != nil || n < 100 {
			continue
		}
		if n > used {
			limit, used = used, n
		} else if n > limit && n < used {
			limit = n
		}
	}
	if limit == 0 {
		return used, 0
	}
	return limit, used
}
