//go:build race

package shell_test

// slow is how much longer and larger everything is under the race detector.
const slow = 4
