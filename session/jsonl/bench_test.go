package jsonl_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/sessiontest"
)

func BenchmarkAppend(b *testing.B) {
	for _, bench := range []struct {
		name   string
		noSync bool
	}{{"sync", false}, {"nosync", true}} {
		b.Run(bench.name, func(b *testing.B) {
			s := open(b, jsonl.Config{Dir: b.TempDir(), NoSync: bench.noSync})
			e := sessiontest.Inputs(0, 1)[0]
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Append(context.Background(), "s", e.Seq-1, e); err != nil {
					b.Fatal(err)
				}
				e.Seq++
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	log := journal(b, sessiontest.Inputs(0, 1000))
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range jsonl.Read(bytes.NewReader(log)) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 1000 {
			b.Fatalf("got %d events", n)
		}
	}
}
