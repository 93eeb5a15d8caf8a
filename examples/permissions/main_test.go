package main

func Example() {
	main()
	// Output:
	// write_file {"path":"note.txt","content":"two packets of Longjing\n"}
	//   created note.txt (24 bytes)
	//   Not run: a rule denies it: write_file(path secret/**). Do not try another way to the same effect; go on without it, or ask.
	// shell {"command":"cat note.txt"}
	//   two packets of Longjing
	// ? shell rm note.txt: it is a command
	//   Not run: a person refused it. Do not try another way to the same effect; go on without it, or ask. They say: keep the note
}
