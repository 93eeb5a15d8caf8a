//go:build !race

package reliability_test

// raced says that the race detector is on, under which a process starts slowly.
const raced = false
