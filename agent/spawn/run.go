package spawn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/tool"
)

var errNoCaller = errors.New("subagents run in a turn of an agent only")

// Spawn implements [subagent.Spawner].
func (s *Spawner) Spawn(ctx context.Context, name, task string, background bool) (tool.Result, error) {
	caller, ok := agent.CallerOf(ctx)
	if !ok {
		return tool.Result{}, errNoCaller
	}
	d, refused := s.declared(ctx, name)
	switch {
	case refused != "":
		return tool.Errorf("%s", refused), nil
	case strings.TrimSpace(task) == "":
		return tool.Errorf("the task is empty; say what the subagent shall do"), nil
	case caller.Depth >= s.cfg.MaxDepth:
		return tool.Errorf("not started: subagents may be nested %d deep, and you are at this limit; do the task yourself", s.cfg.MaxDepth), nil
	case background && caller.Depth > 0:
		return tool.Errorf("not started: a subagent cannot start others in the background; leave background out"), nil
	}
	c := &child{parent: session.Parent{Session: caller.Session, Turn: caller.Turn, Step: caller.Step, Call: caller.Call,
		Agent: d.Name, Depth: caller.Depth + 1, Background: background}, task: oneLine(task, 80)}
	a, notes, err := s.build(ctx, d, c.parent.Depth, background)
	if err != nil {
		return tool.Errorf("not started: %v", err), nil
	}
	if err := caller.InOrder(ctx); err != nil { // the first call has the first number
		a.Close()
		return tool.Result{}, err
	}
	k, err := s.kinOf(ctx, caller.Session)
	if err != nil {
		a.Close()
		return tool.Result{}, err
	}
	refused, err = s.join(ctx, k, c)
	k.mu.Unlock()
	caller.Pass()
	if err != nil || refused != "" {
		a.Close()
		return tool.Errorf("not started: %s", refused), err
	}
	j := job{s: s, k: k, c: c, caller: caller, agent: a, in: agent.Input{Text: task}}
	if !background {
		r, err := j.foreground(ctx)
		r.Diagnostics = append(r.Diagnostics, notes...)
		return r, err
	}
	if err := j.background(ctx); err != nil {
		return tool.Errorf("not started: %v", err), nil
	}
	return tool.Result{Diagnostics: notes,
		Text: said("The subagent %s works in the background as %s. Go on; you are told when it is done.", d.Name, c.id)}, nil
}

// declared returns the declaration of a subagent, or why it cannot be started.
func (s *Spawner) declared(ctx context.Context, name string) (*subagents.Declaration, string) {
	d, err := s.cfg.Declarations.Find(ctx, name)
	switch {
	case errors.Is(err, subagents.ErrUnknown):
		return nil, fmt.Sprintf("there is no subagent %.80q; %s", name, s.names(ctx))
	case err != nil:
		return nil, err.Error()
	case d.Mode == subagents.Primary:
		return nil, fmt.Sprintf("%s is started by the user only; %s", d.Name, s.names(ctx))
	}
	return d, ""
}

// names says which subagents there are.
func (s *Spawner) names(ctx context.Context) string {
	var names []string
	if cat, err := s.cfg.Declarations.Catalog(ctx); err == nil {
		for i := range cat.Entries {
			if e := &cat.Entries[i]; e.ShadowedBy == "" && e.Listed() {
				names = append(names, e.Name)
			}
		}
	}
	if len(names) == 0 {
		return "there is none"
	}
	return "there are: " + strings.Join(names, ", ")
}

// join gives a new child its id and lets it run, or says which limit is in the
// way. The kin is locked.
func (s *Spawner) join(ctx context.Context, k *kin, c *child) (refused string, err error) {
	if len(k.list) >= s.cfg.MaxTotal {
		return fmt.Sprintf("a session may have %d subagents, and this one had them; agent_send goes on with one of them", s.cfg.MaxTotal), nil
	}
	for ; ; k.next++ {
		c.id = childID(c.parent.Session, k.next)
		if err := session.CheckID(c.id); err != nil {
			return "the id of this session leaves no room for one below it: " + err.Error(), nil
		}
		found, err := s.read(ctx, &child{id: c.id})
		if err != nil {
			return "", err
		}
		if !found {
			break
		}
	}
	if refused = s.admit(c); refused == "" {
		k.next++
		k.list = append(k.list, c)
	}
	return refused, nil
}

// admit counts a child among those that run. Its kin is locked.
func (s *Spawner) admit(c *child) (refused string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.root = c.parent.Session
	if p := s.running[c.root]; p != nil {
		c.root = p.root
	}
	n := 0
	for _, o := range s.running {
		if o.root == c.root {
			n++
		}
	}
	switch {
	case s.closed:
		return "the program is about to end"
	case n >= s.cfg.MaxRunning:
		return fmt.Sprintf("%d subagents may run at the same time, and as many do; wait for one of them", s.cfg.MaxRunning)
	}
	s.running[c.id] = c
	s.work.Add(1)
	c.state, c.done = Running, make(chan struct{})
	return ""
}

// leave ends what admit began.
func (s *Spawner) leave(c *child) {
	s.mu.Lock()
	delete(s.running, c.id)
	s.mu.Unlock()
	if r, ok := s.cfg.Store.(session.Releaser); ok {
		_ = r.Release(c.id) // it is taken back with the next event; a failure shows then
	}
	close(c.done)
	s.work.Done()
}

// Send implements [subagent.Spawner].
func (s *Spawner) Send(ctx context.Context, id, message string) (tool.Result, error) {
	if strings.TrimSpace(message) == "" {
		return tool.Errorf("the message is empty"), nil
	}
	return s.again(ctx, func(c *child, _ agent.Caller) bool { return c.id == id }, id, func(*agent.Agent, *child) (agent.Input, error) {
		return agent.Input{Text: message}, nil
	})
}

// Answer implements [subagent.Spawner].
func (s *Spawner) Answer(ctx context.Context, id, answer string) (tool.Result, error) {
	mine := func(c *child, by agent.Caller) bool {
		return c.id == id || id == "" && c.parent.Turn == by.Turn && c.parent.Step == by.Step && c.parent.Call == by.Call
	}
	return s.again(ctx, mine, id, func(a *agent.Agent, c *child) (agent.Input, error) {
		asked, err := a.Asked(ctx, c.id)
		if err == nil && len(asked) == 0 {
			err = fmt.Errorf("the subagent %s does not wait for an answer any more", c.id)
		}
		if err != nil {
			return agent.Input{}, err
		}
		return agent.Input{Replies: []session.Reply{reply(asked[0], answer)}}, nil
	})
}

// again runs another turn, or the rest of one, of a child that is there.
func (s *Spawner) again(ctx context.Context, mine func(*child, agent.Caller) bool, id string, input func(*agent.Agent, *child) (agent.Input, error)) (tool.Result, error) {
	caller, k, err := s.turnOf(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	i := slices.IndexFunc(k.list, func(c *child) bool { return mine(c, caller) })
	refused := ""
	var c *child
	switch {
	case i < 0:
		refused = fmt.Sprintf("this session has no subagent %.80q; agent_list shows those that it has", id)
	case k.list[i].state == Running:
		refused = k.list[i].id + " is still running; you are told when it is done"
	default:
		c = k.list[i]
		refused = s.admit(c)
	}
	k.mu.Unlock()
	caller.Pass()
	if refused != "" {
		return tool.Errorf("%s", refused), nil
	}
	j := job{s: s, k: k, c: c, caller: caller}
	var notes tool.Result
	d, refused := s.declared(ctx, c.parent.Agent)
	if refused == "" {
		if j.agent, notes.Diagnostics, err = s.build(ctx, d, c.parent.Depth, false); err == nil {
			if j.in, err = input(j.agent, c); err != nil {
				j.agent.Close()
			}
		}
		if err != nil {
			refused = err.Error()
		}
	}
	if refused != "" {
		k.mu.Lock()
		c.state = c.last.state
		k.mu.Unlock()
		s.leave(c)
		return tool.Errorf("%s", refused), nil
	}
	r, err := j.foreground(ctx)
	r.Diagnostics = append(r.Diagnostics, notes.Diagnostics...)
	return r, err
}
