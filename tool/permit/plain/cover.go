package plain

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
)

var rows = sync.OnceValue(func() map[string]*options { return parseTable(table) })

// gitVerbs are the subcommands of git that a "*" covers: those that are built in,
// so that no alias of a repository takes their place, and that run no program
// which their arguments name.
var gitVerbs = set(`add am annotate apply archive blame branch cat-file check-attr check-ignore checkout cherry cherry-pick
	clean clone commit count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc
	grep init log ls-files ls-remote ls-tree merge merge-base mv name-rev pull push range-diff rebase reflog reset restore
	rev-list rev-parse revert rm shortlog show show-branch show-ref stash status switch symbolic-ref tag var verify-commit
	verify-tag version whatchanged worktree write-tree`)

// nested are further words that make a subcommand run what its arguments say.
var nested = map[string]map[string]bool{
	"git submodule": set("foreach"), "git bisect": set("run visualize view"), "git hook": set("run"),
}

// sedSafe is a script of sed that only prints, deletes or substitutes. A pattern
// ends at the first slash for some programs, and for others not within brackets,
// so none stands there.
var sedSafe = func() *regexp.Regexp {
	const (
		char    = `(?:[^/\\\[\n]|\\[^\n])`
		item    = `(?:\[:[a-z]+:\]|[^/\\\[\]\n])`
		bracket = `\[(?:\^?\]` + item + `*|\^?[^/\\\[\]^\n]` + item + `*|\^?\[:[a-z]+:\]` + item + `*)\]`
		pattern = `/(?:` + char + `|` + bracket + `)*/`
		line    = `(?:[0-9]+|\$|` + pattern + `)`
	)
	return regexp.MustCompile(`^(?:` + line + `(?:,(?:\+?[0-9]+|\$|` + pattern + `))?!?)?(?:[pdq=]|s` + pattern + `(?:[^/\\\n]|\\[^\n])*/[gpiI0-9]*)$`)
}()

// Covers says why the "*" of a rule does not cover words[from:], as a clause; empty:
// it does. The words are those of one program, its name first. What a rule names
// itself, words[:from], is not looked at.
func Covers(words []string, from int) string {
	if from >= len(words) {
		return ""
	}
	if why := Never(words[0]); why != "" {
		return why
	}
	name := program(words[0])
	start := max(from, 1)
	if name == "sed" {
		return sed(words, start)
	}
	verb, at := subcommand(words)
	row := rows()[name+" "+verb]
	if row == nil {
		row = rows()[name]
	}
	if name == "git" && at >= start && !gitVerbs[verb] {
		return fmt.Sprintf("git %s may be an alias or run another program", verb)
	}
	if at >= start && launchers[name][verb] {
		return fmt.Sprintf("%s %s runs another program", name, verb)
	}
	if next, third := nested[name+" "+verb], at+1; next != nil && third < len(words) && third >= start && next[words[third]] {
		return fmt.Sprintf("%s %s %s runs another program", name, verb, words[third])
	}
	if top := rows()[name]; top != nil && at >= start && top.refused[verb] {
		return fmt.Sprintf("%s %s runs another program or changes settings", name, verb)
	}
	operands, ended := 0, false
	for i, w := range words {
		dash := len(w) > 1 && w[0] == '-'
		switch {
		case i == 0:
		case ended && dash && i >= start:
			return fmt.Sprintf("%q starts with a dash and is no option", w)
		case ended:
			operands++
		case w == "--" || w == "--end-of-options":
			ended = true
		case !dash:
			operands++
			if row != nil && i >= start && (bundled(name, i, w, row) || w[:min(1, len(w))] == "+" && strings.Contains(row.short, "+")) {
				return fmt.Sprintf("%q of %s runs another program or writes a file", w, name)
			}
			if i >= start && w[:min(1, len(w))] == "@" && argumentFiles[name] {
				return fmt.Sprintf("%s reads further options from %q", name, w)
			}
			if name == "make" && i >= start && strings.Contains(w, "=") {
				return fmt.Sprintf("%q sets a variable of make", w)
			}
		case row != nil && row.most >= 0 && operands > 0: // xxd takes "-a" for a file there
			operands++
		case row != nil && i >= start && row.option(w):
			return fmt.Sprintf("the option %q of %s runs another program, writes a file or reads settings", w, name)
		}
	}
	if row != nil && row.most >= 0 && operands > row.most {
		return fmt.Sprintf("a further argument of %s is a file it writes", name)
	}
	return ""
}

// Never says why the "*" of a rule covers no argument at all of a program; empty:
// it covers some.
func Never(word string) string {
	for _, name := range []string{path.Base(word), program(word)} {
		switch {
		case wrappers[name], shells[name], code[name]:
			return name + " runs what its arguments say"
		case stateful[name]:
			return name + " changes what the shell does next"
		}
	}
	return ""
}

// option reports whether the row lists what a word asks for.
func (o *options) option(w string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
	name = strings.TrimPrefix(name, "expand-")                         // curl --expand-output
	if o.dashed[name] || o.dashed[strings.TrimPrefix(name, "test.")] { // go test -test.cpuprofile=x
		return true
	}
	if !strings.HasPrefix(w, "--") {
		return strings.ContainsAny(w[1:], strings.ReplaceAll(o.short, "+", "")) && o.short != ""
	}
	for _, l := range o.long {
		if strings.HasPrefix(l, name) {
			return true
		}
	}
	return false
}

// bundled reports whether the first argument of tar is a group of options without
// a dash.
func bundled(name string, i int, w string, row *options) bool {
	return name == "tar" && i == 1 && strings.ContainsAny(w, row.short)
}

// subcommand is the first argument that is no option.
func subcommand(words []string) (string, int) {
	for i, w := range words[1:] {
		if !strings.HasPrefix(w, "-") {
			return w, i + 1
		}
	}
	return "", -1
}

// sed judges a call of sed: few options, one script that is harmless.
func sed(words []string, start int) string {
	script := false
	for i, w := range words[1:] {
		switch {
		case i+1 < start:
		case w == "--quiet", w == "--silent", w == "--regexp-extended", w == "--posix", w == "--debug":
		case len(w) > 1 && w[0] == '-':
			if strings.Trim(w[1:], "nErsuz") != "" {
				return fmt.Sprintf("the option %q of sed may write or run a script", w)
			}
		case !script && !sedSafe.MatchString(w):
			return fmt.Sprintf("the script %q of sed may write or run something", w)
		}
		script = script || !strings.HasPrefix(w, "-")
	}
	return ""
}
