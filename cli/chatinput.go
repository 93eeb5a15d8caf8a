package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// quotes begin and end an input of several lines.
const quotes = `"""`

// terminalLine is how many bytes of a line a terminal hands on; it drops the
// rest without a word.
const terminalLine = 4095

// read reads the next input: a line, lines that end with a backslash and the one
// after them, or what stands between two marks of three quotes.
func (t *talk) read(ctx context.Context) (string, error) {
	line, err := t.line(ctx, "> ")
	if err != nil {
		return "", err
	}
	if rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), quotes); ok {
		return t.quoted(ctx, rest)
	}
	var b strings.Builder
	for goesOn(line) {
		b.WriteString(line[:len(line)-1] + "\n")
		line, err = t.line(ctx, "… ")
		if err == io.EOF { // nothing follows: the line is all
			return strings.TrimSuffix(b.String(), "\n"), nil
		}
		if err != nil {
			return "", err
		}
		if b.Len() > maxInput {
			return "", fmt.Errorf("standard input: the input is longer than %d bytes", maxInput)
		}
	}
	return b.String() + line, nil
}

// goesOn reports whether a line ends with a backslash that is not doubled.
func goesOn(line string) bool {
	n := len(line) - len(strings.TrimRight(line, `\`))
	return n%2 == 1
}

// quoted reads up to the closing quotes.
func (t *talk) quoted(ctx context.Context, line string) (string, error) {
	var b strings.Builder
	for first := true; ; first = false {
		end, closed := strings.CutSuffix(strings.TrimRight(line, " \t"), quotes)
		if closed {
			b.WriteString(end)
			return strings.TrimSuffix(b.String(), "\n"), nil
		}
		if !first || line != "" {
			b.WriteString(line + "\n")
		}
		if b.Len() > maxInput {
			return "", fmt.Errorf("standard input: the input is longer than %d bytes", maxInput)
		}
		var err error
		line, err = t.line(ctx, "… ")
		if err == io.EOF && !t.live {
			return "", usage(errors.New(`standard input: it ends within """`))
		}
		if err != nil {
			return "", err
		}
	}
}

// line reads a line, in a terminal behind a prompt. Its context ends at Ctrl-C.
func (t *talk) line(ctx context.Context, prompt string) (string, error) {
	ctx, stop := t.c.interruptible(ctx)
	defer stop()
	if t.live {
		if t.c.colours(t.c.p.Stderr) {
			prompt = coloured("1;36", prompt)
		}
		fmt.Fprint(t.c.p.Stderr, prompt)
	}
	line, err := t.lines.next(ctx)
	if t.live && len(line) >= terminalLine {
		t.c.say("warning input.long: the terminal may have cut off this line after %d bytes; longer ones can come from a pipe", terminalLine)
	}
	return line, err
}
