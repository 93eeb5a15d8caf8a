package main

func Example() {
	main()
	// Output:
	// ── system
	// You are an agent run by proem.
	//
	// You serve tea at the house by the river.
	//
	// Read the menu before you name a price.
	// ── instructions
	//
	// ── context
	// Runtime context as of this step. It replaces every earlier runtime context.
	//
	// The house closes at 22:00.
	// ── reminder
	//
	// ── tools
	// read_menu
}
