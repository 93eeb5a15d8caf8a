package main

func Example() {
	main()
	// Output:
	// You are an agent run by proem.
	//
	// You serve tea at the house by the river.
	//
	// Read the menu before you name a price.
	//
	// Runtime context as of this step. It replaces every earlier runtime context.
	//
	// the house by the river closes at 22:00.
	//
	// read_menu
}
