package wiretest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/proemhq/proem/wire"
)

// decodeAll writes one line per event, and the error.
func (s Suite) decodeAll(r io.Reader) (events []string, err error) {
	for ev, e := range s.Dialect.Decode(r) {
		if e != nil {
			if err != nil {
				events = append(events, "a second error")
			}
			err = e
			continue
		}
		events = append(events, show(ev))
	}
	return events, err
}

func show(ev wire.Event) string {
	switch ev.Kind {
	case wire.TextDelta:
		return fmt.Sprintf("text %q", ev.Text)
	case wire.ReasoningDelta:
		return fmt.Sprintf("reasoning %q", ev.Text)
	case wire.CallStart:
		return fmt.Sprintf("call %d start %s %s", ev.Index, ev.ID, ev.Name)
	case wire.CallDelta:
		return fmt.Sprintf("call %d delta %q", ev.Index, ev.Text)
	case wire.CallEnd:
		return fmt.Sprintf("call %d end %s %s %s", ev.Index, ev.Call.ID, ev.Call.Name, ev.Call.Args)
	case wire.UsageReport:
		b, _ := json.Marshal(ev.Usage)
		return fmt.Sprintf("usage %s", b)
	case wire.OpaqueItem:
		return fmt.Sprintf("opaque %s %s %s", ev.Opaque.Provider, ev.Opaque.Type, ev.Opaque.JSON)
	case wire.Stop:
		if ev.ID != "" {
			return fmt.Sprintf("stop %s (%s) of %s", ev.Stop, ev.Text, ev.ID)
		}
		return fmt.Sprintf("stop %s (%s)", ev.Stop, ev.Text)
	}
	return fmt.Sprintf("%+v", ev)
}

type fixture struct {
	name   string
	file   string
	ar     *txtar.Archive
	stream []byte
}

func fixtures(t testing.TB) []fixture {
	files, err := filepath.Glob("testdata/decode/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	var out []fixture
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ar := txtar.Parse(raw)
		out = append(out, fixture{strings.TrimSuffix(filepath.Base(file), ".txtar"), file, ar, ar.Files[0].Data})
	}
	return out
}

func result(events []string, err error) string {
	x := strings.Join(append(events, ""), "\n")
	if err != nil {
		x += fmt.Sprintf("error: %v\n", err)
	}
	return x
}

// DecodeGolden compares the events of the streams in testdata/decode with those
// that stand there, or writes them anew.
func (s Suite) DecodeGolden(t *testing.T, update bool) {
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			got := result(s.decodeAll(bytes.NewReader(f.stream)))
			if update {
				f.ar.Files = []txtar.File{f.ar.Files[0], {Name: "events", Data: []byte(got)}}
				if err := os.WriteFile(f.file, txtar.Format(f.ar), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(got, string(f.ar.Files[1].Data)); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
		})
	}
}

// DecodeChunks checks that nothing depends on how the bytes arrive and on which
// line ends they have.
func (s Suite) DecodeChunks(t *testing.T) {
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			want := result(s.decodeAll(bytes.NewReader(f.stream)))
			forms := map[string][]byte{
				"lf":   f.stream,
				"crlf": bytes.ReplaceAll(f.stream, []byte("\n"), []byte("\r\n")),
				"cr":   bytes.ReplaceAll(f.stream, []byte("\n"), []byte("\r")),
			}
			for name, form := range forms {
				check := func(how string, r io.Reader) {
					t.Helper()
					if diff := cmp.Diff(result(s.decodeAll(r)), want); diff != "" {
						t.Fatalf("%s, %s: (-got +want)\n%s", name, how, diff)
					}
				}
				check("byte by byte", iotest.OneByteReader(bytes.NewReader(form)))
				check("last bytes with the end", iotest.DataErrReader(bytes.NewReader(form)))
				for i := range form {
					if name != "lf" && !atLineEnd(form, i) {
						continue // inside a line all forms are the same
					}
					check(fmt.Sprintf("cut at %d", i), io.MultiReader(bytes.NewReader(form[:i]), bytes.NewReader(form[i:])))
				}
			}
		})
	}
}

// atLineEnd reports whether a cut is before, within or behind a line end.
func atLineEnd(form []byte, cut int) bool {
	return bytes.ContainsAny(form[max(0, cut-1):min(len(form), cut+1)], "\r\n")
}

// DecodeTruncated checks that a stream that ends early is an error without a
// complete call, unless all but the usage had come.
func (s Suite) DecodeTruncated(t *testing.T) {
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			whole, err := s.decodeAll(bytes.NewReader(f.stream))
			if err != nil {
				t.Skip("the fixture is an error already")
			}
			whole = slices.DeleteFunc(whole, func(s string) bool { return strings.HasPrefix(s, "usage") })
			for i := range f.stream {
				got, err := s.decodeAll(bytes.NewReader(f.stream[:i]))
				if err != nil {
					if !errors.Is(err, wire.ErrTruncated) {
						t.Errorf("cut at %d: %v", i, err)
					}
					for _, s := range got {
						if strings.HasPrefix(s, "stop") || strings.Contains(s, " end ") {
							t.Errorf("cut at %d: %s, and then %v", i, s, err)
						}
					}
					continue
				}
				got = slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "usage") })
				if diff := cmp.Diff(got, whole); diff != "" {
					t.Errorf("cut at %d is taken for complete: (-got +want)\n%s", i, diff)
				}
			}
		})
	}
}

// DecodeLongLine checks a stream with a line of two million bytes: the text that
// the function is given must come out as one event, and end be the last.
func (s Suite) DecodeLongLine(t *testing.T, stream func(text string) string, end string) {
	long := strings.Repeat("0123456789", 200_000)
	got, err := s.decodeAll(iotest.HalfReader(strings.NewReader(stream(long))))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, []string{fmt.Sprintf("text %q", long), end}); diff != "" {
		t.Errorf("(-got +want)\n%.200s", diff)
	}
}

// DecodeReadError checks that a failure of the connection stays one.
func (s Suite) DecodeReadError(t *testing.T) {
	broken := errors.New("connection reset")
	for _, f := range fixtures(t) {
		if strings.HasPrefix(f.name, "object") {
			continue
		}
		_, err := s.decodeAll(io.MultiReader(bytes.NewReader(f.stream[:20]), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) {
			t.Errorf("%s: got %v, want %v", f.name, err, broken)
		}
	}
	_, err := s.decodeAll(io.MultiReader(strings.NewReader("data: {"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if !errors.Is(err, wire.ErrTruncated) {
		t.Errorf("got %v, want %v", err, wire.ErrTruncated)
	}
}

// DecodeBreak checks that nothing is read on after the consumer stops.
func (s Suite) DecodeBreak(t *testing.T) {
	for _, f := range fixtures(t) {
		n := 0
		for range s.Dialect.Decode(bytes.NewReader(f.stream)) {
			n++
			break
		}
		if n > 1 {
			t.Errorf("%s: got %d events", f.name, n)
		}
	}
}

// FuzzDecode checks that any response ends, with an error or a stop, and that
// chunks change nothing.
func (s Suite) FuzzDecode(f *testing.F) {
	for _, x := range fixtures(f) {
		f.Add(x.stream)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		want := result(s.decodeAll(bytes.NewReader(in)))
		got := result(s.decodeAll(iotest.OneByteReader(bytes.NewReader(in))))
		if got != want {
			t.Fatalf("byte by byte: got %q, at once: %q", got, want)
		}
		if strings.Contains(got, "a second error") || !strings.Contains(got, "error: ") && !strings.Contains(got, "stop ") {
			t.Fatalf("%q: no end: %q", in, got)
		}
	})
}
