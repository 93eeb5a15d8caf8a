package sse_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/internal/sse"
)

func read(r io.Reader) (out []string, err error) {
	events := sse.NewReader(r)
	for {
		ev, err := events.Next()
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return out, err
		}
		s := fmt.Sprintf("%s %q", ev.Name, ev.Data)
		if ev.Partial {
			s += " partial"
		}
		out = append(out, s)
	}
}

func TestNext(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"\n\n\n", nil},
		{"data: a\n\n", []string{` "a"`}},
		{"data:a\r\rdata: b\r\n\r\n", []string{` "a"`, ` "b"`}},
		{"data:  a\n\n", []string{` " a"`}},
		{"event: x\ndata: a\ndata: b\ndata\n\n", []string{`x "a\nb\n"`}},
		{"event: x\n\ndata: a\n\n", []string{` "a"`}},
		{": comment\nid: 3\nretry: 5\nunknown\ndata: a\n\n", []string{` "a"`}},
		{"data: a\n", []string{` "a" partial`}},
		{"data: a", []string{` "a" partial`}},
		{"\ufeffdata: a\n\n", []string{` "a"`}},
		{"\ufeff", nil},
		{"data: \u2028\n\n", []string{` "\u2028"`}},
	} {
		for name, r := range map[string]io.Reader{
			"at once":      strings.NewReader(c.in),
			"byte by byte": iotest.OneByteReader(strings.NewReader(c.in)),
			"with the end": iotest.DataErrReader(strings.NewReader(c.in)),
		} {
			got, err := read(r)
			if err != nil {
				t.Errorf("%q: %v", c.in, err)
			}
			if diff := cmp.Diff(got, c.want); diff != "" {
				t.Errorf("%q %s: (-got +want)\n%s", c.in, name, diff)
			}
		}
	}
}

func TestNextBounds(t *testing.T) {
	for name, unit := range map[string]string{"one line": "x", "many lines": strings.Repeat("x", 1000) + "\ndata: "} {
		r := io.MultiReader(strings.NewReader("data: "), &endless{unit: []byte(unit)})
		if _, err := read(r); err == nil || !strings.Contains(err.Error(), "longer than") {
			t.Errorf("%s: got %v, want an error about the length", name, err)
		}
	}
}

// endless repeats a piece of text for ever.
type endless struct{ unit, rest []byte }

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) < len(p) {
		e.rest = bytes.Repeat(e.unit, len(p)/len(e.unit)+2)
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func TestNextError(t *testing.T) {
	r := io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(iotest.ErrTimeout))
	got, err := read(r)
	if err != iotest.ErrTimeout {
		t.Errorf("got %v, want %v", err, iotest.ErrTimeout)
	}
	if diff := cmp.Diff(got, []string{` "a"`}); diff != "" {
		t.Errorf("(-got +want)\n%s", diff)
	}
}

func FuzzNext(f *testing.F) {
	f.Add([]byte("event: x\r\ndata: a\rdata: b\n\n: c\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		want, _ := read(bytes.NewReader(in))
		got, _ := read(iotest.OneByteReader(bytes.NewReader(in)))
		if diff := cmp.Diff(got, want); diff != "" {
			t.Fatalf("%q: byte by byte: (-got +want)\n%s", in, diff)
		}
	})
}
