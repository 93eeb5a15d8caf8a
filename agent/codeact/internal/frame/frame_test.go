package frame_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/agent/codeact/internal/frame"
)

func raw(json string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(json))), json...)
}

func ptr(s string) *string { return &s }

func TestFrames(t *testing.T) {
	var b bytes.Buffer
	want := []frame.FromCode{
		{Out: ptr("a\u2028<b>\x00")},
		{Calls: []frame.Call{{Name: "x", Args: `{"a":1}`}, {Name: "", Args: ""}}},
		{Done: &frame.Done{Value: ptr(`{"a":[1]}`)}},
		{Done: &frame.Done{Error: "no"}},
	}
	for _, f := range want {
		if err := frame.Write(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	whole := b.Bytes()
	for i := range want {
		got, err := frame.ReadFromCode(&b)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(got, want[i]); d != "" {
			t.Errorf("frame %d (-got +want):\n%s", i, d)
		}
	}
	if _, err := frame.ReadFromCode(&b); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	for n := range whole { // cut anywhere, it ends with an error and not with other frames
		r := bytes.NewReader(whole[:n])
		i := 0
		for {
			got, err := frame.ReadFromCode(r)
			if err != nil {
				break
			}
			if d := cmp.Diff(got, want[i]); d != "" {
				t.Fatalf("cut at %d, frame %d:\n%s", n, i, d)
			}
			i++
		}
	}
}

func TestRefused(t *testing.T) {
	for _, in := range []string{
		`{}`, `null`, `[]`, `{"out":"a","done":{}}`, `{"calls":[]}`, `{"done":{"value":"{"}}`, `{"more":1}`, `{"out":"a"} {}`,
		`{"done":{"value":1}}`, `{"calls":[{"name":1}]}`, `{"out":"a"`,
	} {
		if f, err := frame.ReadFromCode(bytes.NewReader(raw(in))); err == nil {
			t.Errorf("%s: got %+v", in, f)
		}
	}
	for _, head := range [][]byte{{0, 0, 0, 0}, {0xff, 0xff, 0xff, 0xff}, {1, 0, 0, 1}, {1, 0}} {
		if _, err := frame.ReadFromCode(bytes.NewReader(head)); err == nil || err == io.EOF {
			t.Errorf("% x: %v", head, err)
		}
	}
	if err := frame.Write(io.Discard, frame.FromCode{Out: ptr(strings.Repeat("x", frame.Max))}); err == nil {
		t.Error("a frame that is too long was written")
	}
}

func FuzzReadFromCode(f *testing.F) {
	f.Add(raw(`{"out":"a"}`))
	f.Add(raw(`{"calls":[{"name":"a","args":"{}"}]}`))
	f.Add(append(raw(`{"out":"a"}`), raw(`{"done":{"value":"1"}}`)...))
	f.Add([]byte{0, 0xff, 0xff, 0xff, '{'})
	f.Fuzz(func(t *testing.T, in []byte) {
		r := bytes.NewReader(in)
		for {
			got, err := frame.ReadFromCode(r)
			if err != nil {
				return
			}
			var b bytes.Buffer
			if err := frame.Write(&b, got); err != nil {
				t.Fatal(err)
			}
			again, err := frame.ReadFromCode(&b)
			if err != nil {
				t.Fatalf("%+v cannot be read again: %v", got, err)
			}
			if d := cmp.Diff(again, got); d != "" {
				t.Fatal(d)
			}
		}
	})
}
