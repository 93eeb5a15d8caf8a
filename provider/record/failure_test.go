package record_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/provider/record"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
)

// Failures are played as they were.
func TestFailures(t *testing.T) {
	s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: one two three}]"), Env: quick(), Faults: []providertest.Fault{
		{At: 1, Kind: providertest.Drop, N: 500},
		{At: 2, Kind: providertest.Stall, N: 2},
		{At: 3, Kind: providertest.ContextLength, N: 5000},
	}})
	m := s.Model(openaichat.Dialect)
	m.Idle, m.Retry.Max = 100*time.Millisecond, -1
	dir := t.TempDir()
	rec, err := record.To(m, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	run := func(m provider.Model) (out []string) {
		for i := range 4 {
			got, err := send(t.Context(), m, fmt.Sprint("request ", i))
			kind := "none"
			var api *wire.APIError
			switch {
			case errors.As(err, &api):
				kind = err.Error()
			case errors.Is(err, wire.ErrTruncated):
				kind = "truncated"
			case err != nil:
				kind = "transport"
			}
			out = append(out, got+" "+kind)
		}
		return out
	}
	want := run(rec)
	got := run(from(t, dir, openaichat.Dialect))
	for i := range want {
		if i == 2 {
			want[i], got[i] = strings.ReplaceAll(want[i], s.URL(), "http://recording"), strings.ReplaceAll(got[i], "/v1", "")
			want[i] = strings.ReplaceAll(want[i], "/v1", "")
		}
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-played +recorded)\n%s", diff)
	}
	if !strings.HasSuffix(want[0], "truncated") || !strings.HasSuffix(want[1], "transport") || want[3] != "one two threestop none" {
		t.Errorf("got %q", want)
	}
}

// Sends that ran at the same time may be played in any order, others may not.
func TestOrder(t *testing.T) {
	s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: a}]")})
	dir := t.TempDir()
	rec, err := record.To(s.Model(openaichat.Dialect), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	b, err := rec.Encode(nil, wire.Request{Model: "m", Messages: []chat.Message{chat.UserText("outer", nil)}})
	if err != nil {
		t.Fatal(err)
	}
	inner := false
	for _, err := range rec.Send(t.Context(), b) {
		if err != nil {
			t.Fatal(err)
		}
		if !inner {
			inner = true
			if _, err := send(t.Context(), rec, "inner"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := send(t.Context(), rec, "after"); err != nil {
		t.Fatal(err)
	}
	for order, ok := range map[string]bool{"outer inner after": true, "inner outer after": true, "after": false, "outer after": false} {
		p := from(t, dir, openaichat.Dialect)
		var failed error
		for _, text := range strings.Fields(order) {
			if _, err := send(t.Context(), p, text); err != nil {
				failed = err
			}
		}
		if (failed == nil) != ok {
			t.Errorf("%s: got %v", order, failed)
		}
	}
}

func TestRefused(t *testing.T) {
	if _, err := record.To(scripted.New(scripted.Script{}), t.TempDir(), nil); err == nil {
		t.Error("a model without a host was recorded")
	}
	s := providertest.New(t, providertest.Config{})
	dir := t.TempDir()
	m := s.Model(openaichat.Dialect)
	rec, err := record.To(m, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	if _, err := send(t.Context(), rec, "my key is "+m.Key); err == nil || !strings.Contains(err.Error(), "credential") || strings.Contains(err.Error(), m.Key) {
		t.Errorf("got %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("got %v, %v", files, err)
	}
	if _, err := send(t.Context(), rec, "hello"); err != nil {
		t.Error(err)
	}
	if _, err := record.To(m, dir, nil); err == nil || !strings.Contains(err.Error(), "holds a recording already") {
		t.Errorf("got %v", err)
	}
	if _, err := record.From(dir, anthropic.Dialect, nil); err == nil || !strings.Contains(err.Error(), "of openai-chat, not of anthropic") {
		t.Errorf("got %v", err)
	}
	p := from(t, dir, openaichat.Dialect)
	for _, want := range []string{"", "no further request"} {
		_, err := send(t.Context(), p, "hello")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A disk that fails at any effect makes the send fail, and leaves a recording
// that can be played as far as it goes, or none.
func TestFailingDisk(t *testing.T) {
	for k := 1; ; k++ {
		s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: a}]")})
		dir := filepath.Join(t.TempDir(), "run")
		fail := &env.Failpoints{At: k, After: true}
		rec, err := record.To(s.Model(openaichat.Dialect), dir, &env.Env{Fail: fail})
		done := 0
		for i := 0; i < 2 && err == nil; i++ {
			if _, err = send(t.Context(), rec, fmt.Sprint("request ", i)); err == nil {
				done++
			}
		}
		if rec != nil {
			rec.Close()
		}
		if fail.Hits() < k {
			if done != 2 {
				t.Errorf("without a fault: %v", err)
			}
			return
		}
		if !errors.Is(err, env.ErrInjected) {
			t.Errorf("effect %d: got %v", k, err)
		}
		p, err := record.From(dir, openaichat.Dialect, nil)
		if err != nil {
			if done > 0 {
				t.Errorf("effect %d: %v", k, err)
			}
			continue
		}
		if n := p.Rest(); n < done {
			t.Errorf("effect %d: %d sends were stored, %d recorded", k, done, n)
		}
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	host := &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: "http://127.0.0.1:1/v1", Retry: provider.Retry{Max: -1}}
	recorder, err := record.To(host, dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, first := send(context.Background(), recorder, "hi")
	if err := recorder.Close(); err != nil {
		fmt.Println(err)
	}
	player, err := record.From(dir, openaichat.Dialect, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, second := send(context.Background(), player, "hi")
	fmt.Println(first != nil, second != nil)
	_, third := send(context.Background(), player, "hi")
	fmt.Println(third)
	// Output:
	// true true
	// record: the recording has no further request
}

// A credential that a host repeats is not stored, in whatever form.
func TestRepeatedCredential(t *testing.T) {
	const key = "key/with+<odd>/letters"
	for name, answer := range map[string]http.HandlerFunc{
		"header": func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Retry-After", key); w.WriteHeader(404) },
		"plain":  func(w http.ResponseWriter, r *http.Request) { http.Error(w, key, 404) },
		"slash":  func(w http.ResponseWriter, r *http.Request) { http.Error(w, strings.ReplaceAll(key, "/", `\/`), 404) },
		"json":   func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(404); _ = json.NewEncoder(w).Encode(key) },
	} {
		server := httptest.NewServer(answer)
		dir := t.TempDir()
		rec, err := record.To(&provider.HTTP{Dialect: openaichat.Dialect, BaseURL: server.URL, Key: key}, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := send(context.Background(), rec, "hi"); err == nil {
			t.Errorf("%s: no error", name)
		}
		server.Close()
		index, err := os.ReadFile(filepath.Join(dir, "index.json"))
		if err != nil {
			t.Fatal(err)
		}
		response, err := os.ReadFile(filepath.Join(dir, "0001-1.response"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if stored := string(index) + string(response); strings.Contains(stored, "letters") || !strings.Contains(stored, "[redacted]") {
			t.Errorf("%s: got %s", name, stored)
		}
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	}
}
