// Package todo has the tool by which a model keeps a list of what it is about to
// do, and the reminder of that list.
//
//	cfg := agent.Config{Tools: []tool.Tool{todo.New(todo.Config{})}, …}
//
// The list is state of the session and no part of the conversation: it survives a
// summary, another process and a fork. The tool replaces it as a whole. Every few
// steps after it did, as long as something is open, the next request ends with the
// open items; such a reminder is sent once and kept nowhere.
package todo

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/tool"
)

// Name is the tool's name.
const Name = "todo_write"

// StateName is the name under which a session keeps the list.
const StateName = "todos"

// Limits of a list.
const (
	MaxItems   = 100
	MaxContent = 500 // bytes of one item
)

// DefaultEvery is how many steps lie between reminders.
const DefaultEvery = 6

// Config are the options. The zero value is the default.
type Config struct {
	// Every is how many steps lie between the last use of the tool and a reminder,
	// and between reminders; 0: DefaultEvery, negative: there are none. The request
	// right after a use has none, and that right after a summary one.
	Every int
}

type arguments struct {
	Todos []entry `json:"todos" description:"The whole list, in order; it replaces the old one."`
}

type entry struct {
	Content  string `json:"content" description:"What is to be done, in a line."`
	Status   string `json:"status,omitempty" description:"pending, in_progress (one item at most) or completed."`
	Priority string `json:"priority,omitempty" description:"high, medium or low."`
}

// guide is what the model is told of the tool's use.
const guide = "Keep a list with todo_write when a task has three steps or more: one item in progress at a time, each marked completed as soon " +
	"as it is done. Leave it for small things."

// New returns the tool todo_write{todos}. It changes nothing outside the session.
func New(cfg Config) tool.Tool {
	if cfg.Every == 0 {
		cfg.Every = DefaultEvery
	}
	return tool.Must(tool.Make(tool.Def[arguments]{
		Name:        Name,
		Description: "Replaces your list of what is to be done, which the user can see.",
		Call:        write,
		Effect: func(context.Context, arguments) tool.Effect {
			return tool.Effect{ReadOnly: true, Idempotent: true, Keeps: true}
		},
		Passages: []tool.Passage{
			{Section: prompt.SectionDef{Name: Name, Body: prompt.Body{Literal: guide}}, Needs: []string{Name}},
			{Section: prompt.SectionDef{Name: "todo-reminder", Channel: prompt.Reminder, Class: prompt.Turn, Order: 200, Source: Name},
				Source: source.Func(cfg.remind), Needs: []string{Name}},
		},
	}))
}

// write replaces the list, or changes nothing if something in it is wrong.
func write(ctx context.Context, a arguments) (tool.Result, error) {
	if len(a.Todos) > MaxItems {
		return tool.Errorf("%s: %d items, and a list has at most %d; the list is as it was", Name, len(a.Todos), MaxItems), nil
	}
	items := make([]Item, len(a.Todos))
	working := 0
	for i, e := range a.Todos {
		item, err := e.item()
		if err != nil {
			return tool.Errorf("%s: todos[%d]: %v; the list is as it was", Name, i, err), nil
		}
		if item.Status == InProgress {
			working++
		}
		items[i] = item
	}
	if working > 1 {
		return tool.Errorf("%s: %d items are in_progress, and one at most can be; the list is as it was", Name, working), nil
	}
	list := From(ctx).replaced(items)
	state, err := tool.NewState(StateName, list)
	if err != nil {
		return tool.Result{}, err
	}
	result := tool.Text(list.String())
	result.State = []tool.State{state}
	return result, nil
}

// item checks an entry.
func (e entry) item() (Item, error) {
	item := Item{Content: line(e.Content), Status: Pending}
	switch n := len(item.Content); {
	case n == 0:
		return item, fmt.Errorf("content is blank")
	case n > MaxContent:
		return item, fmt.Errorf("content has %d bytes, and at most %d are kept", n, MaxContent)
	}
	switch s := Status(strings.ToLower(strings.TrimSpace(e.Status))); s {
	case "":
	case Pending, InProgress, Completed:
		item.Status = s
	default:
		return item, fmt.Errorf("the status %.40q is none of pending, in_progress and completed", e.Status)
	}
	switch p := strings.ToLower(strings.TrimSpace(e.Priority)); p {
	case "high", "medium", "low":
		item.Priority = p
	}
	return item, nil
}

// line returns a text as one line without what people cannot see, so that an item
// looks like nothing but an item.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == 0xfeff:
			return -1
		case unicode.IsControl(r), r == 0x2028, r == 0x2029:
			return ' '
		}
		return r
	}, textnorm.String(s))
	return strings.Join(strings.Fields(s), " ")
}
