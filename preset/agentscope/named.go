package agentscope

import (
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
)

// named is the tools that a request shows, by what they are for. Texts name no
// others; empty: there is none.
type named struct {
	read, grep, glob, shell string
	search, get, save       string // of the memory
	todo                    string
	planWrite, planExit     string
	agents                  []chat.ToolSpec
}

// agentTools are the tools that have to do with subagents, in the order in which
// they are listed.
var agentTools = []string{"agent_spawn", "agent_send", "agent_list", "task_output", "task_list", "task_cancel", "wait_async_results"}

func namedOf(specs []chat.ToolSpec) named {
	one := func(names ...string) string {
		for _, n := range names {
			if slices.ContainsFunc(specs, func(s chat.ToolSpec) bool { return s.Name == n }) {
				return n
			}
		}
		return ""
	}
	t := named{
		read: one("read_file"), grep: one("grep_files", "grep"), glob: one("glob_files", "glob"), shell: one("execute", "shell"),
		search: one("memory_search"), get: one("memory_get"), save: one("memory_save"), todo: one("todo_write"),
		planWrite: one("plan_write"), planExit: one("plan_exit"),
	}
	for _, name := range agentTools {
		if i := slices.IndexFunc(specs, func(s chat.ToolSpec) bool { return s.Name == name }); i >= 0 {
			t.agents = append(t.agents, specs[i])
		}
	}
	return t
}

// or joins the names that are there.
func or(names ...string) string {
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	return strings.Join(names, "")
}
