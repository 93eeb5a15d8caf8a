package cli_test

import (
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

var idPattern = regexp.MustCompile(`s_[a-z0-9]{26}`)

// sessionID sets a variable to the first id of a session that the last command
// printed:
//
//	id NAME
func sessionID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: id NAME")
	}
	id := idPattern.FindString(ts.ReadFile("stdout"))
	if id == "" {
		ts.Fatalf("no id of a session was printed")
	}
	ts.Setenv(args[0], id)
}
