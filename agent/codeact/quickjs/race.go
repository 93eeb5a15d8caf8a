//go:build race

package quickjs

// raced says that the program was built with the race detector.
const raced = true
