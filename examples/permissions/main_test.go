package main

func Example() {
	main()
	// Output:
	// write_file {"path":"note.txt","content":"two packets of Longjing\n"}
	// write_file {"path":"secret/key.txt","content":"x\n"}
	// shell {"command":"cat note.txt"}
	// shell {"command":"rm note.txt"}
	//   created note.txt (24 bytes)
	//   not run: blocked by guard: Not run: a rule denies it: write_file(path secret/**). Do not try another way to the same effect; go on without it, or ask.
	//   two packets of Longjing
	//   not run: blocked by guard: Not run: it needs the consent of a person, and nobody can be asked here. Do not try another way to the same effect; go on without it, or say in your answer what is missing. To permit it: --allow 'shell(rm note.txt)'.
}
