package permit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/tool/permit/names"
	"github.com/proemhq/proem/tool/permit/plain"
)

// A Rule says what happens to calls that it matches. What is empty matches
// everything; a rule has a Path or a Command, not both.
//
// A rule that denies or asks covers more than its letters: a Path also what lies
// below it, a Command also further words, options in between and the same program
// in another folder.
type Rule struct {
	Action Action // never empty in a policy; ParseRule leaves it empty
	Tool   string // a name, or "*"
	// Path is a glob: "*" and "?" within a name, "[…]", "**" for any folders. A
	// relative one is meant below each root; one that begins with "~/" below the
	// home. A backslash takes the meaning of the next character.
	Path string
	// Command are the words of one program. A last "*" stands for any further plain
	// words, except those that make the program do something else than it is known
	// for; see package plain.
	Command []string
}

// ParseRule reads a rule as it is written on a command line, without its action:
//
//	TOOL
//	TOOL(path GLOB)
//	shell(WORD WORD *)
//
// Words are separated by blanks and may be quoted. For a tool of another name
// write TOOL(command WORD …).
func ParseRule(s string) (Rule, error) {
	r, err := parseRule(strings.TrimSpace(s))
	if err != nil {
		return Rule{}, fmt.Errorf("rule %q: %w", s, err)
	}
	return r, nil
}

func parseRule(s string) (Rule, error) {
	name, rest, paren := strings.Cut(s, "(")
	r := Rule{Tool: name}
	if err := checkTool(name); err != nil {
		return r, err
	}
	if !paren {
		return r, nil
	}
	inner, ok := strings.CutSuffix(rest, ")")
	if !ok {
		return r, errors.New("the last character must be the closing parenthesis")
	}
	inner = strings.Trim(inner, " \t\n")
	kind, arg, _ := strings.Cut(inner, " ")
	switch {
	case inner == "":
		return r, fmt.Errorf("the parentheses are empty; to mean every call write %s", name)
	case kind == "path":
		if r.Path = strings.Trim(arg, " \t\n"); r.Path == "" {
			return r, errors.New("path needs a glob, as in (path docs/**)")
		}
		return r, names.Check(r.Path)
	case kind == "command":
		inner = arg
	case name != "shell":
		return r, fmt.Errorf("only shell takes words; for paths write %s(path %s)", name, inner)
	}
	words, err := splitWords(inner)
	r.Command = words
	if err == nil {
		err = checkWords(words)
	}
	return r, err
}

func checkTool(name string) error {
	switch {
	case name == "":
		return errors.New("the name of the tool is missing")
	case name != "*" && strings.ContainsAny(name, "*? \t\r\n()'\""):
		return fmt.Errorf("%q is no name of a tool; write a name, or * for all", name)
	}
	return nil
}

func checkWords(words []string) error {
	if len(words) == 0 {
		return errors.New("the words of the command are missing")
	}
	if i := slices.Index(words, "*"); i >= 0 && i < len(words)-1 {
		return errors.New("* stands for all further words and must be the last one")
	}
	if slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, "\x00\r") }) {
		return errors.New("a word holds a character that no command can hold")
	}
	return nil
}

// splitWords reads the words of a rule. A "*" is alone in its word or in quotes.
func splitWords(s string) (words []string, err error) {
	var b strings.Builder
	open, quote, star := false, rune(0), false
	end := func() {
		switch w := b.String(); {
		case !open:
		case w == "*" && !star:
			err = errors.New("a word that is only a star cannot be meant literally")
		case star && w != "*":
			err = fmt.Errorf("%q: a star is a word of its own; a literal one is quoted", w)
		default:
			words = append(words, w)
		}
		b.Reset()
		open, star = false, false
	}
	escaped := false
	for _, r := range s {
		switch {
		case escaped:
			escaped = false
			b.WriteRune(r)
		case r == '\\' && quote != '\'':
			escaped, open = true, true
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, open = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			end()
		default:
			star = star || quote == 0 && r == '*'
			open = true
			b.WriteRune(r)
		}
	}
	if escaped || quote != 0 {
		return nil, errors.New("a quote or a backslash is not completed")
	}
	end()
	return words, err
}

// String writes the rule so that ParseRule reads it, without its action.
func (r Rule) String() string {
	switch {
	case r.Path != "":
		return r.Tool + "(path " + r.Path + ")"
	case len(r.Command) == 0:
		return r.Tool
	}
	var b strings.Builder
	b.WriteString(r.Tool + "(")
	if r.Tool != "shell" || r.Command[0] == "path" || r.Command[0] == "command" {
		b.WriteString("command ")
	}
	for i, w := range r.Command {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case w == "*" && i == len(r.Command)-1:
			b.WriteByte('*')
		case w == "" || strings.ContainsAny(w, " \t\n\\\"'*"):
			b.WriteString(quoteWord(w))
		default:
			b.WriteString(w)
		}
	}
	return b.String() + ")"
}

// quoteWord writes a word in double quotes, or in single ones if that is shorter.
func quoteWord(w string) string {
	if !strings.Contains(w, "'") {
		return "'" + w + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(w) + `"`
}

// check says what is wrong with a rule of a configuration.
func (r Rule) check() error {
	if err := checkTool(r.Tool); err != nil {
		return err
	}
	switch {
	case r.Action != Allow && r.Action != Ask && r.Action != Deny:
		return fmt.Errorf("the action %q is not allow, ask or deny", r.Action)
	case r.Path != "" && r.Command != nil:
		return errors.New("a rule has a path or a command, not both")
	case r.Path != "":
		return names.Check(r.Path)
	case r.Command == nil:
		return nil
	}
	if err := checkWords(r.Command); err != nil {
		return err
	}
	n := len(r.Command) - 1
	if r.Action == Allow && n > 0 && r.Command[n] == "*" {
		if why := plain.Never(r.Command[0]); why != "" {
			return fmt.Errorf("%s, so that * covers nothing behind it; write all words", why)
		}
	}
	return nil
}

// Literal returns the glob that matches a path and what lies below it, whatever
// characters it has.
func Literal(path string) string { return names.Escape(path) }
