package plain

import (
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// list returns the statements of a file as a plain list, or why they are none.
func list(f *syntax.File, source string) ([]Command, string) {
	l := &lister{source: source}
	if len(f.Last) > 0 {
		return nil, "it holds a comment"
	}
	for _, s := range f.Stmts {
		if l.reason == "" {
			l.stmt(s, ";")
		}
	}
	if l.reason == "" && len(l.out) == 0 {
		l.reason = "it is empty"
	}
	if l.reason != "" {
		return nil, l.reason
	}
	l.out[0].Join = ""
	return l.out, ""
}

type lister struct {
	source string
	out    []Command
	reason string
}

func (l *lister) no(reason string) {
	if l.reason == "" {
		l.reason = reason
	}
}

func (l *lister) stmt(s *syntax.Stmt, join string) {
	switch {
	case len(s.Comments) > 0:
		l.no("it holds a comment")
	case s.Negated:
		l.no("a result is negated")
	case s.Background || s.Coprocess || s.Disown:
		l.no("a part runs in the background")
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		l.call(cmd, s.Redirs, join)
	case *syntax.BinaryCmd:
		op := cmd.Op.String()
		if op != "&&" && op != "||" && op != "|" {
			l.no("it holds the operator " + op)
		}
		if len(s.Redirs) > 0 {
			l.no("it redirects a group")
		}
		l.stmt(cmd.X, join)
		l.stmt(cmd.Y, op)
	case nil:
		l.no("it redirects without a program")
	default:
		l.no("it holds " + kind(cmd))
	}
}

func (l *lister) call(c *syntax.CallExpr, redirs []*syntax.Redirect, join string) {
	if len(c.Assigns) > 0 {
		l.no("it sets a variable")
		return
	}
	out := Command{Join: join}
	for _, w := range c.Args {
		text, reason := literal(w)
		if reason != "" {
			l.no(reason)
			return
		}
		out.Words = append(out.Words, Word{Text: text, Known: true})
	}
	if !programName(out.Words[0].Text) {
		l.no("its program has an unusual name")
	}
	for _, r := range redirs {
		if at := r.Pos().Offset(); at == 0 || l.source[at-1] != ' ' && l.source[at-1] != '\t' {
			l.no("there is no blank before a redirection") // 2>&1>x is read in two ways
			return
		}
		text, ok := harmless(r)
		if !ok {
			l.no("it redirects to or from something other than /dev/null")
			return
		}
		out.Redirects = append(out.Redirects, text)
	}
	l.out = append(l.out, out)
}

// harmless returns a redirection that touches no file but /dev/null. What sh does
// not have, such as "&>", which is two commands there, is none.
func harmless(r *syntax.Redirect) (string, bool) {
	target, reason := literal(r.Word)
	n := ""
	if r.N != nil {
		n = r.N.Value
	}
	if reason != "" || r.Hdoc != nil || n != "" && n != "0" && n != "1" && n != "2" {
		return "", false
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrIn:
		return n + r.Op.String() + target, target == "/dev/null"
	case syntax.DplOut:
		return n + r.Op.String() + target, target == "1" || target == "2"
	}
	return "", false
}

// programName reports whether a first word is a program in every shell: no
// reserved word, job, assignment, option or history reference.
func programName(s string) bool {
	for i := range len(s) {
		c := s[i]
		word := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '/'
		if !word && (i == 0 || c != '-' && c != '+' && c != '@') {
			return false
		}
	}
	return s != "" && !syntax.IsKeyword(s)
}

// literal returns the text of a plain word, or why it is none.
func literal(w *syntax.Word) (text, reason string) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			reason = bare(&b, p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", "it holds a quoted text that a shell decodes"
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			reason = quoted(&b, p)
		default:
			return "", "it holds " + kind(part)
		}
		if reason != "" {
			return "", reason
		}
	}
	return b.String(), ""
}

// bare writes what stands outside of quotes.
func bare(b *strings.Builder, s string) (reason string) {
	prev := rune(0)
	escaped := false
	for _, r := range s {
		switch {
		case escaped:
			if r < ' ' || r > '~' {
				return "it holds an unusual character behind a backslash"
			}
			escaped = false
			b.WriteRune(r)
			prev = 0
			continue
		case r == '\\':
			escaped = true
			continue
		case r == '~' || r == '^' || r == '#':
			// HEAD~2, HEAD^ and a#b are words; at the start, or behind "=" and ":",
			// they are a home, a history and a comment.
			if !wordRune(prev) && prev != '~' && prev != '^' {
				return "it holds an unquoted " + string(r)
			}
		case r == '=':
			if b.Len() == 0 { // also behind "", which zsh looks through
				return "a word starts with ="
			}
		case !wordRune(r) && !strings.ContainsRune("_-./:,+@%", r):
			return "it holds an unquoted " + show(r)
		}
		b.WriteRune(r)
		prev = r
	}
	if escaped {
		return "it ends with a backslash"
	}
	return ""
}

func wordRune(r rune) bool {
	if r < 0x80 {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
}

// quoted writes what stands in double quotes.
func quoted(b *strings.Builder, q *syntax.DblQuoted) (reason string) {
	if q.Dollar {
		return "it holds a quoted text that a shell translates"
	}
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return "it holds " + kind(part)
		}
		s := lit.Value
		for i := 0; i < len(s); i++ {
			switch s[i] {
			case '$', '`', '!':
				return "it holds an unquoted " + string(s[i])
			case '\\':
				if i+1 < len(s) && strings.IndexByte("$`\"\\", s[i+1]) >= 0 {
					i++
				}
			}
			b.WriteByte(s[i])
		}
	}
	return ""
}

func show(r rune) string {
	if r < 0x80 || unicode.IsPrint(r) {
		return string(r)
	}
	return "invisible character"
}

// kind names what stands in the way of a plain list.
func kind(n syntax.Node) string {
	switch n.(type) {
	case *syntax.ParamExp:
		return "a variable"
	case *syntax.CmdSubst:
		return "a command substitution"
	case *syntax.ProcSubst:
		return "a process substitution"
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause:
		return "arithmetic"
	case *syntax.ExtGlob:
		return "a glob"
	case *syntax.BraceExp:
		return "a brace expansion"
	case *syntax.Subshell, *syntax.Block:
		return "a group"
	case *syntax.FuncDecl:
		return "a function"
	case *syntax.DeclClause:
		return "a declaration"
	case *syntax.TimeClause:
		return "a measurement of time"
	}
	return "a control structure"
}
