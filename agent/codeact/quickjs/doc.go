// Package quickjs runs JavaScript for [codeact.Runtime] in a process of its own.
//
// The process is the program itself, started again, so the program calls [Main]
// first of all:
//
//	func main() {
//		quickjs.Main() // returns at once, except in a process that runs code
//		…
//	}
//
// The process has an empty environment, two pipes, and, on Linux, limits of the
// system: it can open no descriptor, so no file and no socket, write no file, and
// use so much memory and processor time. The engine in it has no modules of the
// system to begin with. It dies with the program, and when Run returns it is gone.
// What it sends is read as data from a stranger.
//
// On other systems the limits are those of the engine, for memory, and of the
// program, which ends the process when its time is over.
package quickjs
