package main

func Example() {
	main()
	// Output:
	// for you to carry over: [session]
	// step 1: 1 tool, 1 messages
	// system: "You serve tea.\nCall a tool only where you need one, and end with a short final answer."
	// runtime: "Call a tool only where you need one, and end with a short final answer."
	// instructions: "Answer in one sentence."
	// step 2: 1 tool, 3 messages
	//   result: 42 or 38, ask the cook
	// step 3: 1 tool, 5 messages
	//   result: [tool result cleared: price(white)]
	//   result: 42 or 38, ask the cook
	// White is 42, green 38.
}
