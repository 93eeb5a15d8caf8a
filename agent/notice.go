package agent

import (
	"context"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
)

// A Notice is what a [NoticeHook] tells the model.
type Notice struct {
	// Text is shown as it is: what others wrote in it, the hook fences.
	Text span.Text
	// Tasks are those whose end it tells. They become part of View.Told, by which the
	// hook knows that it need not tell them again.
	Tasks []session.Task
}

// notify records what there is to tell before a request.
func (r *run) notify(ctx context.Context) error {
	if len(r.a.hooks.notice) == 0 {
		return nil
	}
	events, err := r.a.hooks.notices(ctx, r.at(), r.l.folder.View())
	if err != nil || len(events) == 0 {
		return err
	}
	return r.append(ctx, events...)
}

// notices asks the hooks what there is to tell.
func (c *hooks) notices(ctx context.Context, at At, view session.View) ([]session.Event, error) {
	var events []session.Event
	for _, h := range c.notice {
		var told []Notice
		err := guard(h.name, func() (err error) {
			told, err = h.hook.Notices(ctx, at, view)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, n := range told {
			if n.Text.Len() == 0 {
				continue
			}
			m := chat.TextMessage(chat.User, owned(n.Text, span.Generated(h.name)))
			events = append(events, session.Event{Kind: session.Notice, Message: &m, Tasks: n.Tasks})
		}
	}
	return events, nil
}
