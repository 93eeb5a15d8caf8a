package jsonl_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := jsonl.Open(jsonl.Config{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()

	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	if err := store.Append(context.Background(), "s1", 0, session.Event{Seq: 1, Time: now, Kind: session.Start}); err != nil {
		fmt.Println(err)
		return
	}
	log, err := os.ReadFile(filepath.Join(dir, "s1.jsonl"))
	fmt.Print(string(log), err)
	// Output:
	// {"crc":"89826976","len":62,"event":{"seq":1,"time":"2026-03-01T12:00:00Z","kind":"session.start"}}
	// <nil>
}
