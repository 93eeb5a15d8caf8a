package todo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/tool"
)

// A Status is how far an item is.
type Status string

// The statuses.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress" // of one item at most
	Completed  Status = "completed"
)

// An Item is one thing to be done.
type Item struct {
	ID       int    `json:"id"`      // from 1; it stays as long as the content does
	Content  string `json:"content"` // one line
	Status   Status `json:"status"`
	Priority string `json:"priority,omitempty"` // high, medium, low, or empty
}

// String returns the item with a mark for its status.
func (i Item) String() string {
	mark := map[Status]string{Completed: "[x] ", InProgress: "[~] "}[i.Status]
	if mark == "" {
		mark = "[ ] "
	}
	if i.Priority != "" {
		return mark + i.Content + " (" + i.Priority + ")"
	}
	return mark + i.Content
}

// A List is what is to be done, in order. The zero List is empty.
type List struct {
	Items []Item `json:"items"`
	Last  int    `json:"last,omitempty"` // the highest id that was given
}

// Parse reads what a session keeps under StateName; nothing is the empty list.
func Parse(value json.RawMessage) (List, error) {
	var l List
	if len(value) == 0 {
		return l, nil
	}
	if err := json.Unmarshal(value, &l); err != nil {
		return List{}, fmt.Errorf("the list of todos: %w", err)
	}
	return l, nil
}

// From returns the list of the session in which a tool is called or a source read.
// One that cannot be read is empty: the tool replaces it.
func From(ctx context.Context) List {
	l, _ := Parse(tool.StateOf(ctx, StateName).Value)
	return l
}

// Count returns how many items have a status.
func (l List) Count(s Status) int {
	n := 0
	for _, i := range l.Items {
		if i.Status == s {
			n++
		}
	}
	return n
}

// Open returns how many items are not completed.
func (l List) Open() int { return len(l.Items) - l.Count(Completed) }

// String returns the numbers of a list in a line.
func (l List) String() string {
	if len(l.Items) == 0 {
		return "The list is empty."
	}
	var parts []string
	for _, s := range []Status{Completed, InProgress, Pending} {
		if n := l.Count(s); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return "Kept: " + strings.Join(parts, ", ") + "."
}

// replaced returns a list of other items. Those with the content of an old one have
// its id.
func (l List) replaced(items []Item) List {
	old := slices.Clone(l.Items)
	last := l.Last
	for i := range items {
		at := slices.IndexFunc(old, func(o Item) bool { return o.Content == items[i].Content })
		if at >= 0 {
			items[i].ID = old[at].ID
			old = slices.Delete(old, at, at+1)
		}
	}
	for i := range items {
		if items[i].ID == 0 {
			last++
			items[i].ID = last
		}
	}
	return List{Items: items, Last: last}
}

// remind is the source of the reminder.
func (c Config) remind(ctx context.Context, _ source.Query) (prompt.Fact, error) {
	kept := tool.StateOf(ctx, StateName)
	l, err := Parse(kept.Value)
	if err != nil {
		return prompt.Fact{}, err
	}
	if l.Open() == 0 || !c.due(kept) {
		return prompt.Fact{None: true}, nil
	}
	return prompt.Fact{Text: l.reminder(), Class: prompt.Turn}, nil
}

// due reports whether a reminder is due. Once a summary took the place of the call
// that wrote the list, steps are counted from there, and the first is due at once.
func (c Config) due(k tool.Kept) bool {
	switch {
	case c.Every < 0:
		return false
	case k.Forgotten > 0:
		return (k.Forgotten-1)%c.Every == 0
	}
	return k.Age > 1 && k.Age%c.Every == 0
}

// reminder returns the open items, and how many are not.
func (l List) reminder() string {
	var b strings.Builder
	b.WriteString("Open items of your list; call todo_write when something of it changed, and say nothing of this reminder:")
	for _, i := range l.Items {
		if i.Status != Completed {
			b.WriteString("\n- " + i.String())
		}
	}
	if n := l.Count(Completed); n > 0 {
		fmt.Fprintf(&b, "\n(%d completed)", n)
	}
	return b.String()
}
