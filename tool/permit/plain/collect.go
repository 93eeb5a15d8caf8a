package plain

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// collector finds every command of a script.
type collector struct {
	limits  Limits
	all     []Command
	targets []Word
	own     int // commands that are not Inner
	words   int
	depth   int // of shells inside shells
	hidden  bool
}

func (c *collector) file(f *syntax.File) (err error) {
	level := 0
	syntax.Walk(f, func(n syntax.Node) bool {
		if n == nil {
			level--
			return true
		}
		if level++; level > 8*c.limits.Nesting && err == nil {
			err = fmt.Errorf("%w: it is nested too deep", ErrBudget)
		}
		if err != nil {
			level--
			return false
		}
		switch n := n.(type) {
		case *syntax.Stmt:
			err = c.heredoc(n)
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				err = c.add(c.wordsOf(nil, n.Args), c.depth > 0)
			}
		case *syntax.DeclClause:
			args := []*syntax.Word{}
			for _, a := range n.Args {
				if a.Naked && a.Value != nil {
					args = append(args, a.Value)
				}
			}
			err = c.add(c.wordsOf([]Word{{n.Variant.Value, true}}, args), c.depth > 0)
		case *syntax.Redirect:
			if n.Word != nil && n.Hdoc == nil {
				c.targets = append(c.targets, wordOf(n.Word))
			}
		}
		return true
	})
	return err
}

func (c *collector) wordsOf(words []Word, args []*syntax.Word) []Word {
	for _, a := range args {
		words = append(words, wordOf(a))
	}
	return words
}

// wordOf reads a word; what is not known of it is a "*".
func wordOf(w *syntax.Word) Word {
	if text, reason := literal(w); reason == "" {
		return Word{text, true}
	}
	var b strings.Builder
	var write func(parts []syntax.WordPart)
	write = func(parts []syntax.WordPart) {
		for _, p := range parts {
			switch p := p.(type) {
			case *syntax.Lit:
				b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
			case *syntax.SglQuoted:
				b.WriteString(p.Value)
			case *syntax.DblQuoted:
				write(p.Parts)
			default:
				b.WriteByte('*')
			}
		}
	}
	write(w.Parts)
	return Word{b.String(), false}
}

// add records a command and what its arguments run.
func (c *collector) add(words []Word, inner bool) error {
	c.words += len(words)
	if !inner {
		c.own++
	}
	switch {
	case c.own > c.limits.Commands:
		return fmt.Errorf("%w: it has more than %d parts", ErrBudget, c.limits.Commands)
	case c.words > c.limits.Words || len(c.all) >= c.limits.Words:
		return fmt.Errorf("%w: it has more than %d words", ErrBudget, c.limits.Words)
	case c.depth > c.limits.Nesting:
		return fmt.Errorf("%w: it is nested too deep", ErrBudget)
	}
	c.all = append(c.all, Command{Words: words, Inner: inner})
	if !words[0].Known {
		c.hidden = true
		return nil
	}
	c.depth++
	defer func() { c.depth-- }()
	name := path.Base(words[0].Text)
	switch {
	case wrappers[name]:
		return c.wrapped(words)
	case shells[name]:
		return c.shell(words)
	}
	if verb := slices.IndexFunc(words[1:], func(w Word) bool { return launchers[program(name)][w.Text] }) + 1; verb > 0 {
		rest := words[verb:]
		if err := c.wrapped(rest); err != nil { // uv run rm
			return err
		}
		if i := slices.IndexFunc(rest[1:], func(w Word) bool { return !strings.HasPrefix(w.Text, "-") }) + 1; i > 0 {
			return c.wrapped(rest[i:]) // docker exec NAME rm
		}
		return nil
	}
	for i, w := range words[1:] {
		if introduces(name, w) && i+2 < len(words) {
			if err := c.add(words[i+2:], true); err != nil {
				return err
			}
		}
	}
	return nil
}

// wrapped adds what a program like sudo runs. Which word that is depends on its
// options, so every word that may be it is tried.
func (c *collector) wrapped(words []Word) error {
	option, skip := false, operandFirst[path.Base(words[0].Text)]
	for i := 1; i < len(words); i++ {
		w := words[i]
		dash := strings.HasPrefix(w.Text, "-")
		if dash || w.Known && strings.Contains(w.Text, "=") {
			option = dash
			_, script, ok := strings.Cut(w.Text, "=")
			if short, s := strings.CutPrefix(w.Text, "-S"); s {
				script, ok = short, true
			}
			if dash && ok { // env -S "rm x"
				if err := c.script(script, w.Known); err != nil {
					return err
				}
			}
			continue
		}
		if err := c.add(words[i:], true); err != nil {
			return err
		}
		if strings.ContainsAny(w.Text, " \t\n") {
			if err := c.script(w.Text, w.Known); err != nil {
				return err
			}
		}
		switch numeric := w.Text != "" && '0' <= w.Text[0] && w.Text[0] <= '9'; {
		case option || numeric:
			option = false
		case skip:
			skip = false
		default:
			return nil
		}
	}
	return nil
}

// shell adds what a program runs that takes a command as text: each argument and
// all of them together.
func (c *collector) shell(words []Word) error {
	var texts []string
	known := true
	for _, w := range words[1:] {
		if strings.HasPrefix(w.Text, "-") {
			continue
		}
		texts = append(texts, w.Text)
		known = known && w.Known
		if err := c.script(w.Text, w.Known); err != nil {
			return err
		}
	}
	if len(texts) == 0 {
		c.hidden = true // it reads commands from its input
	}
	if len(texts) > 1 {
		return c.script(strings.Join(texts, " "), known)
	}
	return nil
}

func (c *collector) script(text string, known bool) error {
	c.hidden = c.hidden || !known
	if c.words += 1 + len(text)/64; c.words > c.limits.Words {
		return fmt.Errorf("%w: it has more than %d words", ErrBudget, c.limits.Words)
	}
	f, err := c.parse(text)
	switch {
	case errors.Is(err, ErrBudget):
		return err
	case err != nil:
		c.hidden = true
		return nil
	}
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > c.limits.Nesting {
		return fmt.Errorf("%w: it is nested too deep", ErrBudget)
	}
	return c.file(f)
}

// heredoc adds what a shell is given as its input.
func (c *collector) heredoc(s *syntax.Stmt) error {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return nil
	}
	name := wordOf(call.Args[0])
	for _, r := range s.Redirs {
		body := r.Hdoc
		if r.Op == syntax.WordHdoc {
			body = r.Word
		}
		if body == nil || name.Known && !shells[path.Base(name.Text)] && !wrappers[path.Base(name.Text)] {
			continue
		}
		w := wordOf(body)
		var raw strings.Builder
		if err := syntax.NewPrinter().Print(&raw, body); err == nil && !w.Known && r.Op != syntax.WordHdoc {
			w.Text = raw.String()
		}
		if err := c.script(w.Text, true); err != nil {
			return err
		}
	}
	return nil
}
