//go:build !race

package cli_test

// raceEnabled says that the tests run with the race detector.
const raceEnabled = false
