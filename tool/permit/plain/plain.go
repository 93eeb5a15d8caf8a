// Package plain reads shell commands the way a permission needs them: it says
// which programs a command runs, and whether the command is nothing but a list of
// plain words.
//
// A plain word is one that no shell changes: letters, digits and harmless
// punctuation, or text in quotes without an expansion. What is made of plain
// words does exactly what it says, so it can be compared with a rule and be
// executed without a shell. Everything else, be it harmless or not, is not plain;
// there is no list of dangerous characters that could have a gap.
//
//	s, err := plain.Parse("go vet ./... && git log -n3 | cat", plain.Limits{})
//	s.Reason         // "": plain
//	s.List[1].Args() // ["git", "log", "-n3"]
//	s, err = plain.Parse("ls $(curl x.example)", plain.Limits{})
//	s.Reason         // "it holds a command substitution"
//	s.All[1].Args()  // ["curl", "x.example"]
//
// For what forbids, the reading is generous where it is strict for what allows:
// All also holds the commands inside of substitutions, functions and strings that
// are handed to another shell.
package plain

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The limits that stand where a [Limits] is zero.
const (
	MaxBytes    = 16 << 10
	MaxCommands = 50
	MaxNesting  = 40
	MaxWords    = 4000
)

// ErrBudget says that a command is larger than a limit. It was not judged, so it
// must not run.
var ErrBudget = errors.New("the command is too large to be judged")

// Limits bound what is judged. The zero value has the limits of this package.
type Limits struct {
	Bytes    int // of a command; 0: MaxBytes
	Commands int // parts of a command that start a program, nested ones included; 0: MaxCommands
	Nesting  int // brackets, quotes and blocks inside each other, and shells inside shells; 0: MaxNesting
	Words    int // of all parts together; 0: MaxWords
}

func (l Limits) filled() Limits {
	for _, f := range []struct {
		at *int
		to int
	}{{&l.Bytes, MaxBytes}, {&l.Commands, MaxCommands}, {&l.Nesting, MaxNesting}, {&l.Words, MaxWords}} {
		if *f.at <= 0 {
			*f.at = f.to
		}
	}
	return l
}

// A Word is one word of a command.
type Word struct {
	Text  string // if not Known, with a "*" for each part that is not
	Known bool   // no shell changes it
}

// A Command is a program with its arguments.
type Command struct {
	Words []Word // the program first; never empty
	// Inner says that the command was found in the arguments of another, such as
	// sudo or sh -c. It may be text that only looks like a command.
	Inner bool
	// Join is the operator before the command, "" before the first: "&&", "||",
	// "|" or ";". It is set in a plain list only.
	Join string
	// Redirects are those of a plain list, ready to be written behind the words.
	Redirects []string
}

// Args returns the texts of the words.
func (c Command) Args() []string {
	out := make([]string, len(c.Words))
	for i, w := range c.Words {
		out[i] = w.Text
	}
	return out
}

// A Script is a command as it was read.
type Script struct {
	// List is the command as a list of plain words; nil if it is something else.
	List []Command
	// Reason says why the command is not plain, as the end of a sentence that
	// starts with "the command is not made of plain words: "; empty: it is plain.
	Reason string
	// All holds every command in it, at any depth, as far as it can be told.
	All []Command
	// Targets are the files of redirections.
	Targets []Word
	// Hidden says that there are or may be programs that All does not name.
	Hidden bool
}

// Parse reads a command. The error is one of the limits and wraps ErrBudget; a
// command that cannot be parsed is a Script with a Reason that is Hidden.
func Parse(command string, limits Limits) (Script, error) {
	limits = limits.filled()
	if len(command) > limits.Bytes {
		return Script{}, fmt.Errorf("%w: %d bytes are more than %d", ErrBudget, len(command), limits.Bytes)
	}
	c := &collector{limits: limits}
	reason := unreadable(command)
	f, err := c.parse(command)
	switch {
	case errors.Is(err, ErrBudget):
		return Script{}, err
	case err != nil:
		if reason == "" {
			reason = "it cannot be parsed"
		}
		return Script{Reason: reason, Hidden: true}, nil
	}
	if err := c.file(f); err != nil {
		return Script{}, err
	}
	s := Script{Reason: reason, All: c.all, Targets: c.targets, Hidden: c.hidden || reason != ""}
	if s.Reason == "" {
		s.List, s.Reason = list(f, command)
	}
	return s, nil
}

// Plain returns the words of a command that is one program, or several joined by
// "&&", without any redirection. Such a command can be executed without a shell:
// one program after the other until one fails.
func Plain(command string) ([][]string, bool) {
	s, err := Parse(command, Limits{})
	if err != nil || s.Reason != "" {
		return nil, false
	}
	return s.Argv()
}

// Argv is [Plain] of a command that was already read.
func (s Script) Argv() ([][]string, bool) {
	var out [][]string
	for _, c := range s.List {
		if c.Join != "" && c.Join != "&&" || len(c.Redirects) > 0 || Stateful(c.Words[0].Text) {
			return nil, false
		}
		out = append(out, c.Args())
	}
	return out, len(out) > 0
}

// Quoted writes a plain list so that every shell reads it in the same way: each
// word in single quotes. It is what to hand to a shell where [Script.Argv] has
// nothing, never the command as it was asked for. It is empty if the command is
// not plain.
func (s Script) Quoted() string {
	var b strings.Builder
	for _, c := range s.List {
		if c.Join != "" {
			b.WriteString(" " + c.Join + " ")
		}
		for i, w := range c.Words {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(Quote(w.Text))
		}
		for _, r := range c.Redirects {
			b.WriteString(" " + r)
		}
	}
	return b.String()
}

// Quote returns a word in single quotes.
func Quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// unreadable says why the bytes of a command are read differently by different
// shells, whatever they mean.
func unreadable(command string) string {
	for i, r := range command {
		switch {
		case r == '\n' && i > 0 && command[i-1] == '\\':
			return "a line is continued by a backslash"
		case r == '\r':
			return "it holds a carriage return"
		case r == 0:
			return "it holds a NUL character"
		case r < ' ' && r != '\n' && r != '\t', r == 0x7f:
			return "it holds a control character"
		case r == '\uFFFD':
			return "it is not valid UTF-8"
		}
	}
	return ""
}

func (c *collector) parse(command string) (*syntax.File, error) {
	if deep(command) > c.limits.Nesting {
		return nil, fmt.Errorf("%w: brackets are nested more than %d deep", ErrBudget, c.limits.Nesting)
	}
	return syntax.NewParser(syntax.KeepComments(true), syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
}

// deep is how many brackets at most are open at once, whatever they mean. It
// bounds the depth of the parser's recursion.
func deep(command string) (most int) {
	open, quotes := 0, 0
	for i := range len(command) {
		switch command[i] {
		case '(', '{', '[':
			open++
		case ')', '}', ']':
			open = max(open-1, 0)
		case '`':
			quotes++
		}
		most = max(most, open, quotes/2)
	}
	return most
}
