// Package subagent has the tools by which a model hands tasks to other agents:
// agent_spawn begins one, agent_send tells it more, agent_list shows those that
// there are.
//
// What an agent is, and how it runs, is the affair of a [Spawner], such as that of
// package agent/spawn:
//
//	s, err := spawn.New(spawn.Config{…})
//	tools := subagent.Tools(s)
//
// The tools themselves change nothing, so that several calls of one answer run at
// the same time; what a subagent does is judged call by call, as its parent's is.
package subagent

import (
	"context"

	"github.com/proemhq/proem/tool"
)

// The names of the tools.
const (
	SpawnName = "agent_spawn"
	SendName  = "agent_send"
	ListName  = "agent_list"
)

// A Spawner runs subagents. The context says in which session and for whom it is
// called. Its methods may be called concurrently. Those that run an agent may
// return a [tool.Pending]: the agent asks a person.
type Spawner interface {
	// Spawn begins a subagent with a task and returns what it answers, or in the
	// background the id under which its answer will be told.
	Spawn(ctx context.Context, agent, task string, background bool) (tool.Result, error)
	// Send tells a subagent more and returns what it answers.
	Send(ctx context.Context, id, message string) (tool.Result, error)
	// List returns the subagents of the session.
	List(ctx context.Context) (tool.Result, error)
	// Answer goes on with a subagent that asked, after a person answered. id is
	// empty where the present call began it.
	Answer(ctx context.Context, id, answer string) (tool.Result, error)
}

// Tools returns the tools.
func Tools(s Spawner) []tool.Tool { return []tool.Tool{List(s), Send(s), Spawn(s)} }

type spawnArgs struct {
	Agent      string `json:"agent" description:"The name of the subagent."`
	Task       string `json:"task" description:"The task, complete in itself: it sees nothing of this conversation."`
	Background bool   `json:"background,omitempty" description:"Return at once and go on; you are told when it is done."`
}

// Spawn returns the tool agent_spawn{agent, task, background?}.
func Spawn(s Spawner) tool.Tool {
	return tool.Must(tool.Make(tool.Def[spawnArgs]{
		Name: SpawnName,
		Description: "Hands a task to a subagent, which works with a history of its own, and returns its answer. " +
			"Several calls at once run at the same time.",
		Call: func(ctx context.Context, a spawnArgs) (tool.Result, error) {
			return s.Spawn(ctx, a.Agent, a.Task, a.Background)
		},
		Answer: func(ctx context.Context, _ spawnArgs, answer string) (tool.Result, error) {
			return s.Answer(ctx, "", answer)
		},
		Effect: func(context.Context, spawnArgs) tool.Effect { return tool.Effect{ReadOnly: true} },
	}))
}

type sendArgs struct {
	ID      string `json:"id" description:"The id of the subagent."`
	Message string `json:"message" description:"What to tell it; it knows what it did so far."`
}

// Send returns the tool agent_send{id, message}.
func Send(s Spawner) tool.Tool {
	return tool.Must(tool.Make(tool.Def[sendArgs]{
		Name:        SendName,
		Description: "Tells a subagent that is not running more, and returns its answer.",
		Call: func(ctx context.Context, a sendArgs) (tool.Result, error) {
			return s.Send(ctx, a.ID, a.Message)
		},
		Answer: func(ctx context.Context, a sendArgs, answer string) (tool.Result, error) {
			return s.Answer(ctx, a.ID, answer)
		},
		Effect: func(context.Context, sendArgs) tool.Effect { return tool.Effect{ReadOnly: true} },
	}))
}

// List returns the tool agent_list.
func List(s Spawner) tool.Tool {
	return tool.Must(tool.Make(tool.Def[struct{}]{
		Name:        ListName,
		Description: "Lists the subagents of this conversation, running and done.",
		Call:        func(ctx context.Context, _ struct{}) (tool.Result, error) { return s.List(ctx) },
		Effect:      func(context.Context, struct{}) tool.Effect { return tool.Effect{ReadOnly: true, Idempotent: true} },
	}))
}
