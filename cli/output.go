package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/env"
	shown "github.com/proemhq/proem/internal/visible"
	"github.com/proemhq/proem/prompt"
)

// printError prints what ended a command: one line for each fault.
func (c *command) printError(err error) {
	var faults prompt.Faults
	var wrong config.Faults
	switch {
	case errors.As(err, &wrong):
		for _, f := range wrong {
			fmt.Fprintln(c.p.Stderr, c.line(f.Diagnostic().String()))
		}
	case errors.As(err, &faults):
		for _, f := range faults {
			fmt.Fprintln(c.p.Stderr, c.line(f.Diagnostic().String()))
		}
	default:
		for _, line := range strings.Split(strings.TrimRight(err.Error(), "\n"), "\n") {
			fmt.Fprintln(c.p.Stderr, c.line("error "+line))
		}
	}
}

// diagnose prints diagnostics; with --quiet only errors.
func (c *command) diagnose(ds []prompt.Diagnostic) {
	for _, d := range ds {
		if c.flags.quiet && d.Severity != prompt.Error {
			continue
		}
		fmt.Fprintln(c.p.Stderr, c.line(d.String()))
	}
}

// say prints one line for people to standard error.
func (c *command) say(format string, args ...any) {
	if !c.flags.quiet {
		c.tell("%s", c.hidden.Values(fmt.Sprintf(format, args...)))
	}
}

// tell is say for what is needed with --quiet too. Nothing is taken out of it: who is
// asked about a command must see all of it.
func (c *command) tell(format string, args ...any) {
	fmt.Fprintln(c.p.Stderr, visibleLine(fmt.Sprintf(format, args...)))
}

// dim prints a line like say, in a weaker colour if it goes to a terminal.
func (c *command) dim(line string) {
	if c.flags.quiet {
		return
	}
	line = c.line(line)
	if c.colours(c.p.Stderr) {
		line = coloured("2", line)
	}
	fmt.Fprintln(c.p.Stderr, line)
}

// diffLine prints a line of a difference, in the colour of its kind.
func (c *command) diffLine(line string) {
	code := "2"
	switch {
	case strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++"):
		code = "32"
	case strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "---"):
		code = "31"
	}
	line = "    " + visibleLine(line)
	if c.colours(c.p.Stderr) {
		line = coloured(code, line)
	}
	fmt.Fprintln(c.p.Stderr, line)
}

// own returns a text in which the commands are those of this binary: "proem run"
// is "acme run" there.
func (c *command) own(text string) string {
	return strings.ReplaceAll(text, "proem ", c.app.Name+" ")
}

// visible replaces what would move a terminal's cursor, hide text or turn its
// direction, so that a text shows what it says. Line ends and tabs stay.
func visible(s string) string { return shown.Text(s) }

// visibleLine is visible for what is to stay in one line, such as the name of a
// file: a line end in it would begin a line that looks like one of ours.
func visibleLine(s string) string { return shown.Line(s) }

// printJSON prints a value as indented JSON.
func (c *command) printJSON(v any) error {
	enc := json.NewEncoder(c.p.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(v)
}

// colours reports whether a stream is a terminal and wants colour.
func (c *command) colours(stream any) bool {
	if c.flags.noColor || c.getenv("NO_COLOR") != "" || c.getenv("TERM") == "dumb" {
		return false
	}
	return isTerminal(stream)
}

// isTerminal reports whether a stream is a terminal. The null device is a
// character device too, but nobody sits at it.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	fi, err := f.Stat()
	if err != nil || fi.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(fi, null)
}

// paint colours text of a result.
func (c *command) paint(code, s string) string {
	if !c.colours(c.p.Stdout) {
		return s
	}
	return coloured(code, s)
}

func coloured(code, s string) string { return "\x1b[" + code + "m" + s + "\x1b[0m" }

// readFile reads a whole file of at most limit bytes.
func readFile(e *env.Env, path string, limit int64) ([]byte, error) {
	root, err := e.Files.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(filepath.Base(path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is longer than %d bytes", path, limit)
	}
	return data, err
}
