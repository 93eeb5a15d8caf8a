// Package ai4j is the composition model of AI4J's agent runtime as a preset: two
// fields, a system prompt and instructions, that travel apart and are placed by
// each protocol.
//
//	p := ai4j.New(ai4j.Config{Projection: ai4j.Projection{MaxMessages: 40, RecentResults: 5}})
//	a, err := agent.New(agent.Config{Model: m, ModelName: "gpt-5", Preset: &p,
//		System: "You review Go.", Instructions: "Answer with a list of findings.", Tools: tools})
//
// The whole of it, in the order in which it happens at every step:
//
//	what                     how
//	base, instructions       sections that the agent registers, sent at every step as they are
//	tool-order, visibility   stages: tools are sorted, then hidden by rules; hidden is not forbidden
//	protect                  stage: assembly hooks
//	runtime                  stage: how the loop works, behind a newline at the end of system, and of no other text
//	interpolate, drop-blank  stages: references of templates; blank texts leave no trace
//	fence, budget            stages: what others wrote stands in blocks; sections fit the budget
//	Projection               what is sent of the history: old results and reasoning cleared, then a window in whole units
//	request hook             of the agent: sees the above, and what it returns is sent
//	placement                of the request: split or merged, as the dialect has it
//	trace                    the request's event holds both texts as sent, and the bytes that are the runtime's
//
// A new session has another history and nothing else that differs. What the
// projection leaves out stays in the session.
//
// Where it differs on purpose:
//
//   - A call and its results are sent or left out together, the input of the present
//     turn always stays, and the window has no gaps but behind pinned messages.
//   - A limit counts messages or tokens, not characters of a printed object.
//   - Text of files is fenced, sections have origins, and a template is one only
//     where its author says so.
//   - A preset does not see the history before the tools: which is looked at first
//     cannot be told from what is sent, but the budget counts the tools that are shown.
//   - A plan stands where a hook puts it, with and without streaming (see [Plan]).
//   - The texts of the runtimes are ours. Code as actions is package agent/codeact,
//     whose text takes the place of [ReAct].
package ai4j
