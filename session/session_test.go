package session_test

import (
	"context"
	"fmt"
	"time"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
)

func ExampleFold() {
	ctx, now := context.Background(), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var store memory.Store
	input := chat.UserText("hello", nil)
	err := store.Append(ctx, "s1", 0,
		session.Event{Seq: 1, Time: now, Kind: session.Start},
		session.Event{Seq: 2, Time: now, Kind: session.Input, Turn: 1, Message: &input})
	if err != nil {
		fmt.Println(err)
		return
	}

	var folder session.Folder
	for e, err := range store.Events(ctx, "s1") {
		if err == nil {
			err = folder.Add(e)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	view := folder.View()
	fmt.Println(view.Seq, view.Turn, view.Messages[0].Text(), view.Pending)

	err = store.Append(ctx, "s1", 1, session.Event{Seq: 2, Time: now, Kind: session.Input, Turn: 1, Message: &input})
	fmt.Println(err)
	// Output:
	// 2 1 hello true
	// session s1: append after event 1, but the last one is 2
}
