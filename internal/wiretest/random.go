package wiretest

import (
	"bytes"
	"math/rand"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/wire"
)

// EncodeRandom encodes requests of every shape: marks tile the texts of the body,
// and the rules of the protocol hold.
func (s Suite) EncodeRandom(t *testing.T) {
	for seed := range int64(5000) {
		m := maker{rand.New(rand.NewSource(seed))}
		r := m.request(m.Intn(12))
		b := s.Encode(t, nil, r)
		s.CheckMarks(t, b)
		s.Turns(t, b, !r.Capability.ConsecutiveUser)
		if bytes.Contains(b.JSON, []byte(`url":""`)) || bytes.Contains(b.JSON, []byte(`base64,"`)) {
			t.Errorf("an image without data: %s", b.JSON)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// EncodeFromPrevious checks that a body which was encoded from the one before
// equals one from scratch, while the conversation grows, shrinks and changes, and
// that the one before stays as it was.
func (s Suite) EncodeFromPrevious(t *testing.T) {
	for seed := range int64(3000) {
		m := maker{rand.New(rand.NewSource(seed))}
		r := m.request(m.Intn(6))
		prev := s.Encode(t, nil, r)
		var older *wire.Body
		for step := range 8 {
			kept := bytes.Clone(prev.JSON)
			r = m.change(r)
			r.Scratch = older
			got := s.Encode(t, &prev, r)
			fresh := r
			fresh.Scratch = nil
			want := s.Encode(t, nil, fresh)
			if !bytes.Equal(got.JSON, want.JSON) {
				t.Fatalf("seed %d step %d: (-got +want)\n%s", seed, step, cmp.Diff(string(got.JSON), string(want.JSON)))
			}
			if !slices.Equal(got.Marks, want.Marks) || !slices.Equal(got.Losses, want.Losses) ||
				!slices.Equal(got.Breakpoints, want.Breakpoints) {
				t.Fatalf("seed %d step %d: (-got +want)\n%s", seed, step, cmp.Diff(
					[]any{got.Marks, got.Losses, got.Breakpoints}, []any{want.Marks, want.Losses, want.Breakpoints}))
			}
			if !bytes.Equal(prev.JSON, kept) {
				t.Fatalf("seed %d step %d: the previous body was changed", seed, step)
			}
			p := prev
			older, prev = &p, got
		}
	}
}
