package openaichat_test

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
	"github.com/proemhq/proem/wire/openaichat"
)

// decodeAll writes one line per event, and the error.
func decodeAll(r io.Reader) (events []string, err error) {
	for ev, e := range openaichat.Dialect.Decode(r) {
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
	case wire.Stop:
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
	s := strings.Join(append(events, ""), "\n")
	if err != nil {
		s += fmt.Sprintf("error: %v\n", err)
	}
	return s
}

func TestDecodeGolden(t *testing.T) {
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			got := result(decodeAll(bytes.NewReader(f.stream)))
			if *update {
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

// How the bytes arrive, and which line ends they have, changes nothing.
func TestDecodeChunks(t *testing.T) {
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			want := result(decodeAll(bytes.NewReader(f.stream)))
			forms := map[string][]byte{
				"lf":   f.stream,
				"crlf": bytes.ReplaceAll(f.stream, []byte("\n"), []byte("\r\n")),
				"cr":   bytes.ReplaceAll(f.stream, []byte("\n"), []byte("\r")),
			}
			for name, s := range forms {
				check := func(how string, r io.Reader) {
					t.Helper()
					if diff := cmp.Diff(result(decodeAll(r)), want); diff != "" {
						t.Fatalf("%s, %s: (-got +want)\n%s", name, how, diff)
					}
				}
				check("byte by byte", iotest.OneByteReader(bytes.NewReader(s)))
				check("last bytes with the end", iotest.DataErrReader(bytes.NewReader(s)))
				for i := range s {
					check(fmt.Sprintf("cut at %d", i), io.MultiReader(bytes.NewReader(s[:i]), bytes.NewReader(s[i:])))
				}
			}
		})
	}
}

// A stream that ends early is an error without a complete call, unless the
// finish reason had come: then only the usage can be missing.
func TestDecodeTruncated(t *testing.T) {
	for _, f := range fixtures(t) {
		t.Run(f.name, func(t *testing.T) {
			whole, err := decodeAll(bytes.NewReader(f.stream))
			if err != nil {
				t.Skip("the fixture is an error already")
			}
			whole = slices.DeleteFunc(whole, func(s string) bool { return strings.HasPrefix(s, "usage") })
			for i := range f.stream {
				got, err := decodeAll(bytes.NewReader(f.stream[:i]))
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

func TestDecodeLongLine(t *testing.T) {
	long := strings.Repeat("0123456789", 200_000)
	s := `data: {"choices":[{"index":0,"delta":{"content":"` + long + `"}}]}` + "\n\n" +
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	got, err := decodeAll(iotest.HalfReader(strings.NewReader(s)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, []string{fmt.Sprintf("text %q", long), "stop end (stop)"}); diff != "" {
		t.Errorf("(-got +want)\n%.200s", diff)
	}
}

func TestDecodeReadError(t *testing.T) {
	broken := errors.New("connection reset")
	for _, f := range fixtures(t) {
		if f.name == "object" {
			continue
		}
		_, err := decodeAll(io.MultiReader(bytes.NewReader(f.stream[:20]), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) {
			t.Errorf("%s: got %v, want %v", f.name, err, broken)
		}
	}
	_, err := decodeAll(io.MultiReader(strings.NewReader("data: {"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if !errors.Is(err, wire.ErrTruncated) {
		t.Errorf("got %v, want %v", err, wire.ErrTruncated)
	}
}

// Nothing is read on after the consumer stops.
func TestDecodeBreak(t *testing.T) {
	for _, f := range fixtures(t) {
		n := 0
		for range openaichat.Dialect.Decode(bytes.NewReader(f.stream)) {
			n++
			break
		}
		if n > 1 {
			t.Errorf("%s: got %d events", f.name, n)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, x := range fixtures(f) {
		f.Add(x.stream)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		want := result(decodeAll(bytes.NewReader(in)))
		got := result(decodeAll(iotest.OneByteReader(bytes.NewReader(in))))
		if got != want {
			t.Fatalf("byte by byte: got %q, at once: %q", got, want)
		}
		if strings.Contains(got, "a second error") || !strings.Contains(got, "error: ") && !strings.Contains(got, "stop ") {
			t.Fatalf("%q: no end: %q", in, got)
		}
	})
}
