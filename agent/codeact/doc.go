// Package codeact lets a model act by writing code. Every answer is one JSON
// object: code to run, or the final answer.
//
//	{"type":"code","language":"js","code":"return (await weather({city: \"Oslo\"})).celsius"}
//	{"type":"final","output":"It is 4 degrees in Oslo."}
//
// A [Runtime] is given to an agent, with an engine that runs the code:
//
//	a, err := agent.New(agent.Config{
//		Model:   model,
//		Tools:   tools,
//		Runtime: codeact.Runtime{Engine: quickjs.Engine{}, ReAct: true},
//	})
//
// How to answer, the language, and the tools with their parameters and notes stand
// in the section "runtime" of the system channel; the request has no tools. In the
// code each tool is a function. A call takes the way of a call by the model:
// limits, hooks, permissions, the log. Calls that the code makes at the same time
// are made like those of one answer, so those that only read run together.
//
// A call may have to wait for a person. The turn then pauses, and the code ends.
// When the answer is there, also in another process, the code runs again from its
// start; calls that were made before get the results they had and are not made
// again. That works because code has no other source of news: the clock stands at
// when the code first ran, random numbers follow from its id, and results arrive in
// the order of the calls, all of those that were made at the same time together.
//
// The engine lives in a module of its own, agent/codeact/quickjs, so that a program
// without it does not carry it.
package codeact
