package main

func Example() {
	main()
	// Output:
	// You serve the guests of a tea house.
	//
	// <block 665f813c2ec483ee kind="file" path="AGENTS.md" trust="workspace">
	// Your name is Ming. You are unhurried and speak plainly.
	//
	// </block 665f813c2ec483ee>
	//
	// <block cede6503849edd17 kind="file" path="knowledge" trust="workspace">
	// Longjing: 38 yuan a pot. White tea: 42 yuan a pot.
	//
	// </block cede6503849edd17>
}
